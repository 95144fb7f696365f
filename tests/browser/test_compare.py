"""Comparing in a real browser: A stays as it was pinned while B changes, and one link opens both."""

from collections.abc import Callable

from tests.browser.playground import PUBLISHED_CONTEXT_OF_JOURNEY, Playground, eventually


def row(playground: Playground, figure: str, label: str = "journey") -> list[str]:
    """The numbers of a row in one of the figures of the page."""
    rows = playground.read_chart(f"compare-context-{figure}")
    return next((each["cells"] for each in rows if each["label"] == label), [])


def test_an_edit_made_after_pinning_moves_b_alone(new_reader: Callable[..., Playground]) -> None:
    playground = new_reader().open()
    playground.go_to("Compare").press("Pin this as A").says("B is as A.")
    playground.go_to("Playground").edit(0, 1, 0.9).shows("q", "journey", ["0.4306", "1.6659"])
    context = playground.row("context", "journey")
    assert context != PUBLISHED_CONTEXT_OF_JOURNEY
    playground.go_to("Compare").says("B differs from A in: W_q[0, 1] as drawn → 0.9000.")
    eventually(lambda: row(playground, "A"), PUBLISHED_CONTEXT_OF_JOURNEY)
    eventually(lambda: row(playground, "B"), context)
    moved = [f"{float(b) - float(a):+.4f}" for a, b in zip(PUBLISHED_CONTEXT_OF_JOURNEY, context, strict=True)]
    shown = [cell.replace("−", "-") for cell in row(playground, "B---A")]
    assert [abs(float(a) - float(b)) < 1.5e-4 for a, b in zip(shown, moved, strict=True)] == [True, True]
    receiver = new_reader()
    receiver.page.goto(playground.page.evaluate("location.href"))
    receiver.settle()
    eventually(lambda: [row(receiver, "A"), row(receiver, "B")], [PUBLISHED_CONTEXT_OF_JOURNEY, context])
    receiver.press("Go back to A").says("B is as A.")
    eventually(lambda: row(receiver, "B"), PUBLISHED_CONTEXT_OF_JOURNEY)
