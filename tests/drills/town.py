"""A box, and a town of services around it, each of which has given it a key and takes no other."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bot.clock import Clock
from bot.sandbox.network import SandboxNetwork
from bot.sandbox.server import SandboxServer
from guardrails.documents import StrongRef
from guardrails.transitions import Status
from tests.bot.bluesky.scripted import Answer, Call, answered, scripted_pds
from tests.bot.hook import Hook, hooked
from tests.builder.llm.fake_models import PAGE, Fails, FakeModels, Reply, Request, Says, serving
from tests.drills.conftest import on
from tests.drills.hands import Box, Hands, box
from tests.drills.saying import answers
from tests.moderation import Service

OLD, NEW = "old-key-old-key-1", "new-key-new-key-2"


class Models(FakeModels):
    """A provider of models who takes one key only."""

    key = OLD

    def next_reply(self, request: Request) -> Reply:
        if request.headers.get("authorization") != f"Bearer {self.key}":
            return Fails(401, body={"error": {"message": "no such key", "type": "invalid_request_error"}})
        return super().next_reply(request)


@dataclass
class Keyed:
    """A service that takes one key only; `calls` are those that came with another, too."""

    answer: Callable[[Call], Answer]
    key: str = OLD
    calls: list[Call] = field(default_factory=list)

    def take(self, call: Call) -> Answer:
        self.calls.append(call)
        return self.answer(call) if call.token == self.key else answered({"message": "bad credentials"}, 401)


@dataclass
class Town:
    """The box, and everybody who has given it a key."""

    hands: Hands
    network: SandboxNetwork
    url: str
    hook: Hook
    moderation: Keyed
    github: Keyed
    models: Models

    @property
    def box(self) -> Box:
        return self.hands.box

    def ask(self, handle: str, text: str) -> StrongRef:
        return self.network.say(handle, f"@wright.test make me {text}")

    def answered(self, *posts: StrongRef) -> None:
        """Each of them is answered, once, and nothing that was answered before is answered again."""
        for post in posts:
            self.box.document(post.uri, Status.REPLIED)
        assert {1} == set(answers(self.network).values())


@contextmanager
def opened_town(folder: Path) -> Iterator[Town]:
    """Everything in a folder; the bot runs, and a lane."""
    network, service, models = a_network(), Service(), Models([Says(PAGE)])
    moderation = Keyed(service.answer)
    github = Keyed(lambda call: answered({"state": "active"}) if call.body == b"" else Answer(204, b""))
    with ExitStack() as stack:
        sandbox = stack.enter_context(SandboxServer(network))
        hook = stack.enter_context(hooked())
        stack.enter_context(serving(models))
        places = [stack.enter_context(scripted_pds(each.take)).url for each in (moderation, github)]
        (folder / "rules.toml").write_text(f"[moderation]\nurl = '{places[0]}'\n")
        settings = on(sandbox, hook) | {"password": OLD, "rules": str(folder / "rules.toml"), "moderation_key": OLD}
        settings |= {"github_repository": "olga/lanes", "github_token": OLD, "github_api_url": places[1]}
        here = stack.enter_context(box(folder, **settings))
        hands = Hands(here)
        here.enrol()
        hands.starts_the_lane()
        yield Town(hands, network, sandbox.url, hook, moderation, github, models)


def a_network() -> SandboxNetwork:
    """A bot's account with an app password, and who asks."""
    network = SandboxNetwork(Clock())
    account = network.create_account("wright.test", self_labels=["bot"])
    account.app_passwords["bot"], account.password = OLD, "its own"
    for handle in ("alice.test", "bob.test", "carol.test"):
        network.create_account(handle)
    return network
