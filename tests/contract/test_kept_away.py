"""What an account keeps away from itself: mutes, blocks, notifications; and what its password lets it do."""

from pydantic import SecretStr

from bot.bluesky.kept_away import EVERYBODY, KeptAway, Some, kept_away, who_may_notify
from bot.bluesky.scope import Scope
from bot.bluesky.session import Account
from tests.contract.conftest import Opener
from tests.contract.target import Person, Target


def test_mutes_and_blocks_are_counted(account: Account, target: Target, alice: Person, mallory: Person) -> None:
    """Those of the account itself, not those that others set against it."""
    before = kept_away(account)
    target.mute(account.did, alice.did)
    target.block(account.did, mallory.did)
    target.block(mallory.did, account.did)
    target.process()

    assert KeptAway(Some(0), Some(0), Some(0)) == before
    assert KeptAway(muted=Some(1), muted_lists=Some(0), blocked=Some(1)) == kept_away(account)
    assert {"mention": EVERYBODY, "reply": EVERYBODY} == who_may_notify(account, ("mention", "reply"))


def test_a_session_tells_by_what_password_it_began(account: Account, opener: Opener) -> None:
    """The account's own, an app password, or one that may do more."""
    scopes = [account.scope]
    for privileged in (False, True):
        asked = {"name": f"privileged {privileged}", "privileged": privileged}
        made = account.procedure("com.atproto.server.createAppPassword", asked, writes=True)
        opener.keeper.kept.clear()
        opener.keeper.forbidden = None
        scopes.append(opener(password=SecretStr(made["password"])).scope)

    assert [Scope.MAIN, Scope.APP, Scope.PRIVILEGED] == scopes
