"""A few stories told behind a pooler in transaction mode, where no connection keeps anything."""

import pytest

from bot.ledger.ledger import Ledger
from tests.scenarios import test_main_job, test_many_bots, test_starts, test_withdrawn

pytestmark = [pytest.mark.slow, pytest.mark.postgres]


@pytest.fixture
def ledger(pooled_ledger: Ledger) -> Ledger:
    """The ledger of every story here."""
    return pooled_ledger


test_everything_again_changes_nothing = test_main_job.test_everything_again_changes_nothing
test_nothing_is_sent_when_the_look_fails = test_starts.test_nothing_is_sent_when_the_look_fails
test_a_mention_deleted_after_its_answer = (
    test_withdrawn.test_a_mention_deleted_after_its_answer_takes_reply_and_app_with_it
)
test_two_at_once_say_nothing_twice = test_many_bots.test_two_that_do_all_rounds_at_once_say_nothing_twice
