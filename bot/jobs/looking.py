"""The look at the network that a judgement needs: posts, threads, people and lists, for a whole batch at once."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import structlog

from bot.bluesky.context import context_from
from bot.bluesky.people import Profiles, read_profiles
from bot.bluesky.sight import Seen, Sight, ThreadSight, look_at
from bot.jobs.facts import Bench, Case, gathered_anew
from bot.jobs.outlook import outlook
from bot.jobs.rereading import reread
from bot.logs import about
from guardrails.around import people_around, quoted_by
from guardrails.documents import AtUri, Context, Did, DocId, Mention, split_at_uri
from guardrails.facts import Facts, Look, Membership, Profile, Standing
from guardrails.outlook import Outlook, View
from guardrails.pointing import pointed_at
from guardrails.said import Outcome
from guardrails.verdicts import BEFORE_THE_LOOK, judge

log = structlog.get_logger()

# A post that an ask points at may reach the AppView after the ask; later it is gone.
INDEXED_BY = timedelta(minutes=10)


@dataclass(frozen=True)
class _Seen:
    """What the network showed for a batch."""

    posts: Mapping[AtUri, Sight]
    around: Mapping[AtUri, Sight]
    people: Profiles
    members: Mapping[Did, Membership]
    ages: Mapping[Did, datetime]


def look_around(bench: Bench, cases: Mapping[DocId, Case]) -> dict[DocId, Case]:
    """The same cases, those that the cheaper checks let through as their posts are now, with what the network shows.

    A mention that was edited is read anew, and one that points at another post is given its words; nothing is written.
    """
    asked = {name: let for name, case in cases.items() if (let := _let_through(bench, case)) is not None}
    uris = [case.facts.mention.post.uri for case in asked.values()]
    posts = look_at(bench.account, uris, bench.over) if asked else {}
    asked |= gathered_anew(bench, asked, dict(_edited(bench, asked, posts)))
    if not asked:
        return dict(cases)
    # Of a post that is not visible nothing else is asked: it cannot be answered now.
    facts = [each for each in (case.facts for case in asked.values()) if _is_shown(each, posts)]
    mentions = [each.mention for each in facts]
    authors = {each.author_did for each in mentions}
    seen = _Seen(
        posts,
        look_at(bench.account, list(_uris_around(bench, mentions, posts)), bench.over),
        read_profiles(bench.account, (did for each in mentions for did in _people(bench, each)), bench.over),
        bench.allow_list.membership(bench.account, bench.rules.authors.allow_list, authors, bench.over),
        bench.ages.entered_at(_whose_age_counts(bench, facts), bench.over),
    )
    return {**cases, **{name: _guarded(bench, case, seen) for name, case in asked.items()}}


def _let_through(bench: Bench, case: Case) -> Case | None:
    """The case with what the cheaper checks said; None where the network need not be asked."""
    try:
        first = judge(case.facts, bench.rules, bench.now(), BEFORE_THE_LOOK)
    except Exception:  # it is told where the document is judged
        return None
    return replace(case, before=first.verdicts) if first.outcome in (Outcome.PASS, Outcome.HOLD) else None


def _is_shown(facts: Facts, posts: Mapping[AtUri, Sight]) -> bool:
    return posts[facts.mention.post.uri].kind is Seen.VISIBLE


def _whose_age_counts(bench: Bench, facts: Iterable[Facts]) -> set[Did]:
    """Where there is a floor of age: of those for whom no operator vouches."""
    if not bench.rules.authors.min_age_days:
        return set()
    return {each.mention.author_did for each in facts if Standing.ALLOWED not in each.standing}


def _edited(bench: Bench, cases: Mapping[DocId, Case], posts: Mapping[AtUri, Sight]) -> Iterator[tuple[DocId, Mention]]:
    for name, case in cases.items():
        mention = case.facts.mention
        edited = reread(mention, posts[mention.post.uri], bench.account.did)
        if edited is not None:
            yield name, edited


def _uris_around(bench: Bench, mentions: Iterable[Mention], posts: Mapping[AtUri, Sight]) -> Iterator[AtUri]:
    for mention in mentions:
        root = posts[mention.post.uri].root
        if root is not None:
            yield root
        yield from _to_read(bench, mention)


def _to_read(bench: Bench, mention: Mention) -> Sequence[AtUri]:
    """The posts that an ask points at, but for our own: what we have answered is no ask."""
    pointed = pointed_at(mention.ask, mention.record)
    return [uri for uri in dict.fromkeys(pointed) if split_at_uri(uri).did != bench.account.did]


def _people(bench: Bench, mention: Mention) -> Sequence[Did]:
    """The author, and whose posts it is about; never ourselves."""
    return [mention.author_did, *(did for did in people_around(mention) if did != bench.account.did)]


def _guarded(bench: Bench, case: Case, seen: _Seen) -> Case:
    """One that cannot be read does not stop the rest: it counts as not looked at."""
    with about(document=case.document.id):
        try:
            return _looked_at(bench, case, seen)
        except Exception:
            log.exception("look_failed")
            return case


def _looked_at(bench: Bench, case: Case, seen: _Seen) -> Case:
    mention = case.facts.mention
    post = seen.posts[mention.post.uri]
    if post.kind is not Seen.VISIBLE:
        return _with(case, mention, Look(outlook=outlook(ThreadSight(post))))
    did, *involved = _people(bench, mention)
    author = seen.people.found.get(did)
    look = Look(
        outlook=_first_unclear(_outlooks(bench, case, seen)),
        author=author.model_copy(update={"created_at": seen.ages.get(did)}) if author is not None else None,
        involved=tuple(_in_the_way(seen.people.found[each]) for each in involved if each in seen.people.found),
        post_labels=post.labels,
        membership=seen.members[did],
    )
    return _with(case, mention.model_copy(update={"context": tuple(_context(bench, mention, seen.around))}), look)


def _in_the_way(person: Profile) -> Profile:
    """Of somebody who has not asked only that is kept which an ask about their post may end by."""
    return Profile(did=person.did, nobot=person.nobot, blocked=person.blocked)


def _with(case: Case, mention: Mention, look: Look) -> Case:
    facts = case.facts.model_copy(update={"mention": mention, "look": look})
    # What it points at is looked at by the cheaper checks, too.
    return replace(case, facts=facts, before=case.before if mention.context == case.facts.mention.context else ())


def _context(bench: Bench, mention: Mention, around: Mapping[AtUri, Sight]) -> Iterator[Context]:
    quoted = quoted_by(mention.record)
    for uri in _to_read(bench, mention):
        context = context_from(uri, around[uri], quoted=uri == quoted)
        if context is not None:
            yield context


def _outlooks(bench: Bench, case: Case, seen: _Seen) -> Iterator[Outlook]:
    """May it be answered; and could everything be looked at that a judgement goes by?"""
    mention = case.facts.mention
    post = seen.posts[mention.post.uri]
    yield outlook(ThreadSight(post, seen.around[post.root] if post.root is not None else None))
    if seen.people.unclear & {*_people(bench, mention)}:
        told = "who asks, or whose post it is about, could not be looked up"
        yield Outlook(View.UNCLEAR, told, seen.people.retry_at)
    for sight in (seen.around[uri] for uri in _to_read(bench, mention)):
        if not _is_told(sight, case.document.created_at, bench.now()):
            yield Outlook(View.UNCLEAR, f"what it points at: {sight.detail}", sight.retry_at)


def _is_told(sight: Sight, asked_at: datetime, now: datetime) -> bool:
    """Whether a post that an ask points at was seen, or surely cannot be."""
    if sight.kind is Seen.GONE:
        return now - asked_at >= INDEXED_BY
    return sight.kind is not Seen.UNCLEAR


def _first_unclear(outlooks: Iterator[Outlook]) -> Outlook:
    return next((each for each in outlooks if each.view is not View.OPEN), Outlook(View.OPEN))
