"""What operators should know of a publisher before the first app."""

from builder.ports import Publisher


def warnings(publisher: Publisher) -> tuple[str, ...]:
    """What a place cannot do, and what that means; nothing for one that can do all."""
    found = []
    if not publisher.sets_headers:
        found.append(
            f"{publisher.name} sends no content security policy: it is put into each page, and apps are to be opened "
            "through the bot's page only. They share one address, so they have no storage there; modules and fonts "
            "need the header Access-Control-Allow-Origin: * from the place."
        )
    if not publisher.answers_gone:
        found.append(
            f"{publisher.name} answers 404, not 410, for what was taken down, and the bot cannot take it down there: "
            "after a take-down run `skywright-builder unpublish SLUG --reason …` here."
        )
    return tuple(found)
