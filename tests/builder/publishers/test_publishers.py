"""What every publisher does, against a real bot, and looked at as the public does."""

import pytest

from builder.errors import ClaimLost
from builder.outcomes import Done
from builder.publishers.warnings import warnings
from builder.workspace import pack, sha256_of
from guardrails.bundle import content_type
from guardrails.policy import PAGE_POLICY
from tests.builder.publishers.sites import APP, OTHER, Site


def test_what_is_published_answers_with_the_very_bytes(site: Site) -> None:
    """Each file, under its type; the hash that is reported is that of the bundle, which the bot has as well."""
    claim = site.claim()
    prepared = site.publisher.prepare(APP, claim)
    published = site.publisher.publish(claim, prepared)

    assert isinstance(published, Done)
    assert sha256_of(pack(prepared)) == published.value.sha256
    assert "built" == site.report(claim, published)
    assert prepared == site.seen(claim)
    for name in ("index.html", "a.js", "css/a.css", "css/deep/icon.svg"):
        served = site.file(claim, name).headers["Content-Type"]
        assert content_type(name).partition(";")[0] == served.partition(";")[0]
    assert prepared == {file.path: file.content for file in site.stage.ledger.hosting.files(claim.slug, claim.version)}


def test_the_same_claim_again_changes_nothing(site: Site) -> None:
    """An answer that was lost is asked for again."""
    claim = site.claim()
    published = [site.publish(claim) for _ in range(2)]
    site.report(claim, published[1])

    assert published[0] == published[1]
    assert site.publisher.prepare(APP, claim) == site.seen(claim)


def test_a_version_never_changes(site: Site) -> None:
    """What was reported stays what it is."""
    claim = site.live()

    assert site.is_refused(claim, OTHER)
    assert site.publisher.prepare(APP, claim) == site.seen(claim)


def test_a_page_is_shut_in(site: Site) -> None:
    """By a header, where it can be set, else by what every page begins with."""
    claim = site.live()

    for name in ("index.html", "more/about.html"):
        answer = site.file(claim, name)
        said = answer.headers.get("Content-Security-Policy", "") + answer.text.partition("<script")[0].replace(
            "&#x27;", "'"
        )
        assert PAGE_POLICY in said
        assert site.publisher.sets_headers == (answer.content == APP[name])


def test_what_is_taken_down_is_gone(site: Site) -> None:
    """Every file, at once; 410 where the place can say so. Again, it stays as it is."""
    claim = site.live()
    site.take_down(claim)

    gone = 410 if site.publisher.answers_gone else 404
    assert {gone} == {site.file(claim, name).status_code for name in APP}
    if not site.publisher.answers_gone:
        assert Done(None) == site.publisher.unpublish(claim.slug, "Once more.")
        assert {gone} == {site.file(claim, name).status_code for name in APP}


def test_a_late_publish_of_what_was_taken_down_is_refused(site: Site) -> None:
    """Also of what had never been published."""
    live, under_way = site.live(), site.claim()
    site.take_down(live)
    site.take_down(under_way)

    assert [True, True] == [site.is_refused(claim) for claim in (live, under_way)]
    assert [{}, {}] == [site.seen(claim) for claim in (live, under_way)]


def test_what_was_published_and_then_taken_down_is_not_reported(site: Site) -> None:
    """While its build is under way: the report is refused, nothing of it answers, and its page says that it is gone."""
    claim = site.claim()
    published = site.publish(claim)
    site.take_down(claim)

    with pytest.raises(ClaimLost):
        site.report(claim, published)
    assert {} == site.seen(claim)
    assert 410 == site.page(claim).status_code


def test_one_app_never_touches_another(site: Site) -> None:
    """Neither a bad one nor one that goes."""
    good, goes = site.live(), site.live(OTHER)
    bad = site.claim()
    bad_files = {"index.html": b"x", f"../../{good.slug}/{good.version}/a.js": b"evil"}

    assert site.is_refused(bad, bad_files)
    site.take_down(goes)

    assert site.publisher.prepare(APP, good) == site.seen(good)
    assert {} == site.seen(bad)


def test_what_a_publisher_cannot_do_is_warned_of(site: Site) -> None:
    """A line for each."""
    cannot = [not site.publisher.sets_headers, not site.publisher.answers_gone]

    assert sum(cannot) == len(warnings(site.publisher))
