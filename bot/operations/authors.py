"""All that was made for one author, taken down at once."""

from dataclasses import replace

from bot.errors import AlreadyDone, NotDone
from bot.ledger.ledger import Ledger
from bot.ledger.selection import Ref
from bot.ledger.views import Document
from bot.operations.acts import USED, Acts
from bot.operations.deeds import deeds_at
from bot.operations.doing import Act, Deed, Ending, Outcome
from guardrails.access import Caller
from guardrails.documents import Did

DEED = "take_down_author"


def taken_down(
    ledger: Ledger, caller: Caller, did: Did, why: str, action_id: str, *, keep_replies: bool
) -> list[Outcome]:
    """Take down whatever there is of an author's, each under an id of its own that is made of the action's.

    So what a crash has cut short is finished by the same action, and what is done is told again. Replies of which only
    the address is known go with the rest. NotDone for the id of another action.
    """
    if not action_id:
        raise NotDone("an act needs an id of its own")

    def act(document: Document) -> Act:
        name = f"{action_id}:{document.id}"
        return Act(Deed.TAKE_DOWN, Ref(document.id, document.version), name, why, keep_reply=keep_replies)

    try:
        ledger.audit.add(replace(caller, action_id=action_id), DEED, did, why)
    except AlreadyDone:
        noted = ledger.audit.done([action_id])[action_id]
        if (noted.action, noted.target) != (DEED, did):
            raise NotDone(USED) from None
    acts = [(document, act(document)) for document in ledger.takedowns.of_author(did)]
    done = ledger.audit.done([each.action_id for _, each in acts])
    meant = [
        each for document, each in acts if each.action_id in done or Deed.TAKE_DOWN in deeds_at(document, caller.role)
    ]
    outcomes = Acts(ledger, caller).done(meant)
    if keep_replies:
        return outcomes
    lost = ledger.takedowns.take_back_known(caller, did)
    return outcomes + [Outcome(each, Ending.DONE, "our reply to it is deleted next") for each in lost]
