"""Publishes to the bot itself: the upload under the claim."""

from builder.client import BotClient
from builder.errors import BotRefused, BotUnreachable
from builder.outcomes import Broken, Done, Outcome, Published, RetryLater
from guardrails.wire import Claim

RETRY_SECONDS = 60.0


class HostedPublisher:
    """The bot's own apps listener serves the bundle once the build is reported done."""

    def __init__(self, client: BotClient) -> None:
        self._client = client

    def publish(self, claim: Claim, bundle: bytes, sha256: str) -> Outcome[Published]:
        """Upload the bundle; the address is the one that the ledger gave with the claim."""
        try:
            uploaded = self._client.upload(claim.claim_id, bundle)
        except BotRefused as problem:
            return Broken(f"the upload of {sha256} is refused: {problem}")
        except BotUnreachable as problem:
            return RetryLater(RETRY_SECONDS, f"the upload cannot be delivered: {problem}")
        return Done(Published(address=uploaded.address, sha256=uploaded.sha256))
