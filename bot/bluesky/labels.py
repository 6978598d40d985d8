"""Labels out of the AppView's answers: what an account or a post is called, and by whom."""

from guardrails.documents import Did
from guardrails.facts import Label
from guardrails.text import visible

BOT = "bot"


def labels_in(view: object) -> tuple[Label, ...]:
    """The labels that a view of an account or a post carries, hidden signs spelled out; a negated one is none."""
    match view:
        case {"labels": list(labels)}:
            return tuple(_read(labels))
    return ()


def calls_itself_bot(did: str, labels: tuple[Label, ...]) -> bool:
    """By a label that the account gave itself, not one that somebody else put on it."""
    return Label(src=Did(did), val=BOT) in labels


def _read(labels: list[object]) -> list[Label]:
    found = []
    for label in labels:
        match label:
            case {"neg": True}:
                continue
            case {"src": str(source), "val": str(value)}:
                found.append(Label(src=Did(visible(source)), val=visible(value)))
    return found
