"""What the checks may know of an ask: gathered by the bot from ledger and network, since checks ask nobody.

Kept on the document beside the verdicts, so that a changed rule set can be tried on what was known then.
"""

from enum import StrEnum

from pydantic import AwareDatetime

from guardrails.documents import AtUri, Did, DocId, Mention, Shape
from guardrails.outlook import Outlook
from guardrails.transitions import Reason, Status


class Standing(StrEnum):
    """What the ledger holds about a person; set by operators, or by the person's own command."""

    DENIED = "denied"
    ALLOWED = "allowed"
    FORGOTTEN = "forgotten"


class Label(Shape):
    """A label and who put it; `src` is the account itself for a self label."""

    src: Did
    val: str


class Profile(Shape):
    """What the network says of an account, as we see it; what it does not say is None.

    `created_at`: when the first operation of its DID was taken by the PLC, asked only where there is a floor of age.
    """

    did: Did
    labels: tuple[Label, ...] = ()
    nobot: bool = False
    created_at: AwareDatetime | None = None
    followers: int | None = None
    blocked: bool = False

    @property
    def is_bot(self) -> bool:
        """Whether the account says of itself that it is a bot; anybody else's label of that name counts for nothing."""
        return any(label.val == "bot" and label.src == self.did for label in self.labels)


class Membership(StrEnum):
    """What is known of the author's place on the allow list."""

    ON = "on"
    OFF = "off"
    UNSURE = "unsure"
    """The list could not be read to its end, and what is known of it does not name the author."""


class Earlier(Shape):
    """An earlier ask of the same author that may be the same; `about`: the posts that it points at, if it does."""

    id: DocId
    ask: str
    status: Status
    reason: Reason
    at: AwareDatetime
    about: tuple[AtUri, ...] = ()


class Used(Shape):
    """What is taken of the caps before this ask, and when hour and day begin anew."""

    author_hour: int = 0
    author_day: int = 0
    author_starts: int = 0
    thread_day: int = 0
    all_day: int = 0
    author_day_micros: int = 0
    hour_ends: AwareDatetime
    day_ends: AwareDatetime


class Conversation(Shape):
    """Where the ask stands among what was said before.

    `answered`: the document that our answer, to which this is a direct reply, belongs to; `by_asker`: its asker says
    this. `exchanges`: asks taken on or tried again, repeated asks and wishes for changes in this thread since somebody
    new came in.
    """

    answered: DocId | None = None
    by_asker: bool = False
    exchanges: int = 0


class Moderated(Shape):
    """What the moderation service said: the categories that it flagged, none for a clean bill.

    `of`: a digest of the text that it was asked about; another text is another question.
    """

    categories: tuple[str, ...] = ()
    of: str = ""


class Look(Shape):
    """What the network showed of an ask: gathered in one go, after the checks that need none of it."""

    outlook: Outlook
    author: Profile | None = None
    involved: tuple[Profile, ...] = ()
    post_labels: tuple[Label, ...] = ()
    membership: Membership = Membership.ON


class Facts(Shape):
    """Everything known of an ask. What is None was not asked for yet, or could not be told.

    `unknown_since`: since when each judgement has come to nothing, because something could not be told.
    `taken_down`: the document of the same ask whose app was taken down, whoever made it; `lost`: its author's own asks
    whose apps were.
    """

    mention: Mention
    our_did: Did
    answered: bool = False
    standing: frozenset[Standing] = frozenset()
    involved_standing: tuple[tuple[Did, Standing], ...] = ()
    conversation: Conversation = Conversation()
    earlier: tuple[Earlier, ...] = ()
    first_time: bool = False
    look: Look | None = None
    moderated: Moderated | None = None
    used: Used | None = None
    price_micros: int = 0
    unknown_since: AwareDatetime | None = None
    taken_down: DocId | None = None
    lost: tuple[Earlier, ...] = ()

    @property
    def thread(self) -> AtUri:
        """The root of the thread that the ask stands in."""
        return self.mention.thread
