"""The doctor's look at the account: its password, its labels, and what it keeps away from itself."""

import pytest

from bot.sandbox.faults import Fault
from bot.sandbox.server import SandboxServer
from bot.sandbox.state import PROFILE, SandboxAccount
from tests.bot.terminal.prompt import Prompt, findings

pytestmark = pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)
NOBODY = {f"SKYWRIGHT_{name}_URL": "http://127.0.0.1:1" for name in ("ADMIN", "LANE", "APPS")}
MUTES, PREFERENCES = "app.bsky.graph.getMutes", "app.bsky.notification.getPreferences"
FIRST_OF_THE_APPVIEW = "app.bsky.actor.getProfile"


@pytest.fixture
def silent(host: Prompt) -> Prompt:
    """All of the bot's settings, and no bot that runs."""
    return host.having(**NOBODY)


def test_the_accounts_own_password_is_told_of(silent: Prompt, wright: SandboxAccount) -> None:
    """With how to get another, and how to be rid of the session that was made with it."""
    told = findings(silent)["password"]

    assert ("warn", True) == (told["state"], "the account's own password" in told["told"])
    assert all(part in told["mend"] for part in ("app password", "SKYWRIGHT_PASSWORD", "skywright new-key"))


@pytest.mark.parametrize("privileged", [False, True])
def test_an_app_password_is_fine_unless_it_may_do_more(
    silent: Prompt, wright: SandboxAccount, privileged: bool
) -> None:
    """As to read the account's messages."""
    wright.app_passwords["bot"], wright.password = wright.password, "its own"
    wright.privileged = {"bot"} if privileged else set()

    told = findings(silent)["password"]

    assert ("warn" if privileged else "ok", privileged) == (told["state"], "messages" in told["told"])


def test_labels_of_others_and_its_own(silent: Prompt, sandbox: SandboxServer, wright: SandboxAccount) -> None:
    """Without the one that says what it is; with it; and with one for which readers' apps hide it."""
    labels = {"$type": "com.atproto.label.defs#selfLabels", "values": [{"val": "bot"}]}
    none = findings(silent)["labels"]
    sandbox.network.put_record(wright.did, PROFILE, "self", {"labels": labels})
    own = findings(silent)["labels"]
    sandbox.network.label(wright.did, "spam")
    hidden = findings(silent)["labels"]

    assert [("warn", "`skywright profile apply`"), ("ok", "")] == [(it["state"], it["mend"]) for it in (none, own)]
    assert ("fail", True) == (hidden["state"], hidden["told"].endswith("labelled the account spam"))


def test_whom_the_account_does_not_hear(
    silent: Prompt, sandbox: SandboxServer, wright: SandboxAccount, alice: SandboxAccount
) -> None:
    """Who is muted mentions the bot in vain; whoever is blocked, by design."""
    sandbox.network.block(wright.did, alice.did)
    blocked = findings(silent)["mutes"]
    sandbox.network.mute(wright.did, alice.did)
    muted = findings(silent)["mutes"]

    assert ["ok", "warn"] == [blocked["state"], muted["state"]]
    assert muted["told"].startswith("accounts muted: 1, lists: 0; accounts blocked: 1")
    assert "skywright deny" in muted["mend"]


def test_a_muted_list_counts_too(silent: Prompt, sandbox: SandboxServer, wright: SandboxAccount) -> None:
    """Be it somebody else's."""
    wright.muted_lists.add(sandbox.network.make_list(wright.did, "noise").uri)

    assert "lists: 1" in findings(silent)["mutes"]["told"]


@pytest.mark.parametrize("wanted", [{"include": "follows"}, {"list": False}])
def test_mentions_that_the_account_does_not_want(
    silent: Prompt, wright: SandboxAccount, wanted: dict[str, object]
) -> None:
    """A bot has to hear everybody."""
    usual = findings(silent)["notifications"]
    wright.notified_of["mention"] = wanted

    told = findings(silent)["notifications"]

    assert ["ok", "warn"] == [usual["state"], told["state"]]
    assert "mention: " in told["told"]
    assert "reply" not in told["told"]


def test_an_appview_that_is_away_is_asked_once(silent: Prompt, sandbox: SandboxServer) -> None:
    """What else would be asked of it would wait as long."""
    sandbox.network.faults.append(Fault(FIRST_OF_THE_APPVIEW, "status", status=502, times=9))

    told = findings(silent)

    assert ("ok", "fail") == (told["login"]["state"], told["appview"]["state"])
    assert "hears nobody" in told["appview"]["mend"]
    assert [] == sandbox.network.calls_to(MUTES)
    assert not {"labels", "mutes", "notifications"} & told.keys()


def test_what_a_network_does_not_tell_is_no_fault_of_the_bot(silent: Prompt, sandbox: SandboxServer) -> None:
    """What it could tell and does not, is asked again later."""
    unknown = {"error": "MethodNotImplemented", "message": "Method Not Implemented"}
    sandbox.network.faults.append(Fault(PREFERENCES, "status", status=501, body=unknown))
    sandbox.network.faults.append(Fault(MUTES, "status", status=502, times=9))

    told = findings(silent)

    assert ("ok", "this network does not tell") == (told["notifications"]["state"], told["notifications"]["told"])
    assert ("warn", "run the doctor again later") == (told["mutes"]["state"], told["mutes"]["mend"])
