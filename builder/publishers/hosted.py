"""Publishes to the bot itself: the upload under the claim."""

from collections.abc import Mapping

from builder.client import BotClient
from builder.errors import BotRefused, BotUnreachable
from builder.outcomes import Broken, Done, Outcome, Published, RetryLater
from builder.workspace import pack, sha256_of
from guardrails.wire import Claim

RETRY_SECONDS = 60.0


class HostedPublisher:
    """The bot's own apps listener serves the bundle once the build is reported done, and takes it down itself."""

    name = "hosted"
    sets_headers = True
    answers_gone = True

    def __init__(self, client: BotClient) -> None:
        self._client = client

    def prepare(self, files: Mapping[str, bytes], claim: Claim) -> Mapping[str, bytes]:
        """The very files: the listener sets the policy."""
        return files

    def publish(self, claim: Claim, files: Mapping[str, bytes]) -> Outcome[Published]:
        """Upload the bundle; the address is the one that the ledger gave with the claim."""
        bundle = pack(files)
        sha256 = sha256_of(bundle)
        try:
            uploaded = self._client.upload(claim.claim_id, bundle)
        except BotRefused as problem:
            return Broken(f"the upload of {sha256} is refused: {problem}")
        except BotUnreachable as problem:
            return RetryLater(RETRY_SECONDS, f"the upload cannot be delivered: {problem}")
        if uploaded.sha256 != sha256:
            return Broken("what is stored is not what was sent: the hashes differ")
        return Done(Published(address=uploaded.address, sha256=sha256))

    def unpublish(self, slug: str, reason: str) -> Outcome[None]:
        """Not a lane's to do: the bot takes down what it hosts."""
        return Broken("the bot takes down what it hosts: skywright takedown")
