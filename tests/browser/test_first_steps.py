"""The first load, and the first things a reader does."""

from playwright.sync_api import expect

from attnviz.explanation.changes_in_words import filled_with
from tests.browser.playground import MATRICES, PUBLISHED_CONTEXT_OF_JOURNEY, Playground, eventually
from tests.whole import dear


def parts_of(address: str) -> set[str]:
    """The parameters of an address, whose order says nothing."""
    return set(address.removeprefix("?").split("&"))


def test_the_first_load_shows_the_published_numbers_and_every_heatmap_has_a_text(playground: Playground) -> None:
    playground.shows("context", "journey", PUBLISHED_CONTEXT_OF_JOURNEY)
    playground.shows("attention_weights", "journey", ["0.1500", "0.2264", "0.2199", "0.1311", "0.0906", "0.1820"])
    playground.shows("q", "journey", ["0.4306", "1.4551"])
    playground.says("“journey” reads itself most: attention weight 0.2264, where an even share would be 0.1667.")
    assert playground.address == ""
    figures = playground.page.get_by_role("figure")
    expect(figures).to_have_count(len((*MATRICES, "w_q", "w_k", "w_v")))
    for figure in figures.all():
        assert "Values from" in (figure.get_attribute("aria-label") or "")


@dear
def test_three_edits_change_the_heatmaps_hold_and_can_be_undone(playground: Playground) -> None:
    keys = playground.cells("k")
    playground.edit(0, 1, 0.9)
    playground.shows("q", "journey", ["0.4306", "1.6659"])
    playground.says("W_q[0, 1]: 0.5166 → 0.9000")
    playground.edit(2, 0, -1)
    playground.shows("q", "journey", ["−0.2782", "1.6659"])
    playground.edit(1, 1, 0)
    playground.shows("q", "journey", ["−0.2782", "1.0669"])
    for listed in ("W_q[0, 1]: 0.5166 → 0.9000", "W_q[2, 0]: 0.0740 → −1.0000", "W_q[1, 1]: 0.6886 → 0.0000"):
        playground.says(listed)
    assert playground.cells("k") == keys
    assert playground.row("context", "journey") != PUBLISHED_CONTEXT_OF_JOURNEY
    eventually(lambda: playground.address, "?edits=w_q.0.1.0.9*w_q.1.1.0.0*w_q.2.0.-1.0")
    playground.page.get_by_role("button", name="Undo", exact=True).first.click()
    playground.shows("q", "journey", ["−0.2782", "0.8560"])
    eventually(lambda: playground.address, "?edits=w_q.1.1.0.0*w_q.2.0.-1.0")
    playground.edit(0, 1, 0.9).shows("q", "journey", ["−0.2782", "1.0669"])


@dear
def test_an_edit_outlasts_another_sentence_and_is_offered_back_after_another_seed(playground: Playground) -> None:
    playground.edit(0, 1, 0.9)
    playground.shows("q", "journey", ["0.4306", "1.6659"])
    playground.type_sentence("one journey")
    eventually(lambda: playground.labels("q"), ["one", "journey"])
    playground.shows("q", "journey", ["0.4306", "1.6659"])
    playground.set_number("Seed", 5)
    playground.says("1 change was dropped, because its matrix was drawn anew.")
    eventually(lambda: parts_of(playground.address), {"seed=5", "text=one+journey"})
    playground.press("Bring back")
    eventually(lambda: parts_of(playground.address), {"seed=5", "text=one+journey", "edits=w_q.0.1.0.9"})


@dear
def test_a_matrix_is_made_an_identity_or_pasted_as_a_table(playground: Playground) -> None:
    playground.look_at("X").press("Identity").says(f"X: {filled_with('identity')}")
    playground.shows("x", "journey", ["0.0000", "1.0000", "0.0000"])
    playground.paste("W_q", "1\t0\n0\t1\n0\t0")
    playground.shows("q", "journey", ["0.0000", "1.0000"])
