"""Every page, in light and dark: nothing serious for those who cannot see it, or not well."""

from collections.abc import Callable

import pytest

from attnviz.app.entry.main import PAGES
from tests.browser.accessibility import serious_trouble
from tests.browser.lesson import Learner
from tests.browser.playground import eventually


def pages() -> dict[str, str]:
    """Return all pages and where they are: the first is the first page."""
    return {name: "/" if i == 0 else f"/{name}" for i, name in enumerate(PAGES)}


@pytest.mark.parametrize("path", pages().values(), ids=pages())
def test_nothing_serious_is_found_on_a_page(new_learner: Callable[..., Learner], path: str) -> None:
    reader = new_learner().open(path, "board", causal="true", edits="w_q.0.1.0.9")
    reader.page.get_by_test_id("stMain").get_by_role("heading").first.wait_for()
    reader.page.wait_for_timeout(500)  # what is drawn last is there then
    for look in (reader.settle, reader.darken):
        look()
        eventually(lambda: serious_trouble(reader.page), [], seconds=5)  # until what fades in or changes has done so
