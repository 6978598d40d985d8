"""Brings a bundle to the bot, under its claim."""

from collections.abc import Mapping

from builder.client import BotClient
from builder.errors import BotRefused, BotUnreachable
from builder.outcomes import Broken, Done, Outcome, RetryLater
from builder.workspace import pack, sha256_of
from guardrails.wire import Claim, Uploaded

RETRY_SECONDS = 60.0


def upload(client: BotClient, claim: Claim, files: Mapping[str, bytes]) -> Outcome[Uploaded]:
    """Store the files with the bot, which judges what they say and shows their source; ClaimLost for a void claim."""
    bundle = pack(files)
    sha256 = sha256_of(bundle)
    try:
        uploaded = client.upload(claim.claim_id, bundle)
    except BotRefused as problem:
        return Broken(f"the upload of {sha256} is refused: {problem}")
    except BotUnreachable as problem:
        return RetryLater(RETRY_SECONDS, f"the upload cannot be delivered: {problem}")
    if uploaded.sha256 != sha256:
        return Broken("what is stored is not what was sent: the hashes differ")
    return Done(uploaded)
