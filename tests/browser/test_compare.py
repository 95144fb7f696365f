"""Comparing in a real browser: A stays as it was kept while B changes, and one link opens both."""

from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.cells import number_in, shows_number
from tests.browser.lesson import Learner
from tests.browser.playground import PUBLISHED_CONTEXT_OF_JOURNEY, Playground, eventually
from tests.whole import dear


def row(playground: Playground, figure: str, label: str = "journey") -> list[str]:
    """The numbers of a row in one of the figures of the page."""
    rows = playground.read_chart(f"compare-context-{figure}")
    return next((each["cells"] for each in rows if each["label"] == label), [])


@dear
def test_an_edit_made_after_keeping_moves_b_alone_and_a_reload_keeps_both(new_learner: Callable[..., Learner]) -> None:
    learner = new_learner().open("/", "board")
    learner.go_to("Compare").press("Keep this as A").says("B is still the same as A.")
    learner.go_to("Playground").cell("w_q", 0, 1).focus()
    learner.page.keyboard.type("0.9")
    learner.page.keyboard.press("Enter")
    shows_number(learner.cell("q", 1, 1), "1.6659")
    expect(learner.page.locator(".board .status")).to_contain_text("✓ checked with torch")
    context = [number_in(learner.cell("context", 1, column)) for column in range(2)]
    assert context != PUBLISHED_CONTEXT_OF_JOURNEY
    learner.go_to("Compare").says("B differs from A in: W_q[0, 1] 0.5166 → 0.9000.")
    eventually(lambda: row(learner, "A"), PUBLISHED_CONTEXT_OF_JOURNEY)
    eventually(lambda: row(learner, "B"), context)
    moved = [f"{float(b) - float(a):+.4f}" for a, b in zip(PUBLISHED_CONTEXT_OF_JOURNEY, context, strict=True)]
    shown = [cell.replace("−", "-") for cell in row(learner, "B---A")]
    assert [abs(float(a) - float(b)) < 1.5e-4 for a, b in zip(shown, moved, strict=True)] == [True, True]
    learner.page.reload()
    eventually(lambda: [row(learner, "A"), row(learner, "B")], [PUBLISHED_CONTEXT_OF_JOURNEY, context])
    learner.press("Go back to A").says("B is still the same as A.")
    eventually(lambda: row(learner, "B"), PUBLISHED_CONTEXT_OF_JOURNEY)
