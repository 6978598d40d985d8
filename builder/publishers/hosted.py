"""Publishes to the bot itself: the upload under the claim."""

from collections.abc import Mapping

from builder.client import BotClient
from builder.outcomes import Broken, Done, Outcome, Published
from builder.publishers.upload import upload
from guardrails.wire import Claim


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
        uploaded = upload(self._client, claim, files)
        if not isinstance(uploaded, Done):
            return uploaded
        return Done(Published(address=uploaded.value.address, sha256=uploaded.value.sha256))

    def unpublish(self, slug: str, reason: str) -> Outcome[None]:
        """Not a lane's to do: the bot takes down what it hosts."""
        return Broken("what the bot hosts is taken down there, by whoever runs it")
