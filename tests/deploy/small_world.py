"""A small Bluesky on a port, with the bot's account and somebody who asks for a timer; ends with its standard input."""

import sys

from bot.clock import Clock
from bot.sandbox.network import SandboxNetwork
from bot.sandbox.server import SandboxServer

BOT, PASSWORD, ALICE = "wright.test", "wwww-xxxx-yyyy-zzzz", "alice.test"
PORT = 2583


def main() -> None:
    """Serve until nobody reads any more."""
    network = SandboxNetwork(Clock(), secret=b"a secret of tests only")
    network.create_account(BOT, display_name="Skywright", self_labels=["bot"]).app_passwords["bot"] = PASSWORD
    network.create_account(ALICE, display_name="Alice")
    with SandboxServer(network, PORT):
        print("ready", flush=True)
        for _ in sys.stdin:
            network.say(ALICE, f"@{BOT} make me a pomodoro timer")
            print("said", flush=True)


if __name__ == "__main__":
    main()
