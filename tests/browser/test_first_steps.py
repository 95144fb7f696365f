"""The first load, and the first things a reader does."""

from playwright.sync_api import expect

from tests.browser.playground import MATRICES, PUBLISHED_CONTEXT_OF_JOURNEY, Playground, eventually


def test_the_first_load_shows_the_published_numbers(playground: Playground) -> None:
    playground.shows("context", "journey", PUBLISHED_CONTEXT_OF_JOURNEY)
    playground.shows("attention_weights", "journey", ["0.1500", "0.2264", "0.2199", "0.1311", "0.0906", "0.1820"])
    playground.shows("q", "journey", ["0.4306", "1.4551"])
    playground.says("'journey' attends most to itself: attention weight 0.2264.")
    assert playground.address == ""


def test_every_heatmap_is_a_figure_with_a_text(playground: Playground) -> None:
    figures = playground.page.get_by_role("figure")
    expect(figures).to_have_count(len(MATRICES))
    for figure in figures.all():
        assert "Values from" in (figure.get_attribute("aria-label") or "")


def test_three_edits_change_the_heatmaps_and_hold(playground: Playground) -> None:
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


def test_an_edit_can_be_undone(playground: Playground) -> None:
    playground.edit(0, 1, 0.9)
    playground.shows("q", "journey", ["0.4306", "1.6659"])
    playground.press("Undo")
    playground.shows("q", "journey", ["0.4306", "1.4551"])
    eventually(lambda: playground.address, "")
    playground.edit(0, 1, 0.9)
    playground.shows("q", "journey", ["0.4306", "1.6659"])


def test_another_seed_drops_an_edit_and_offers_it_back(playground: Playground) -> None:
    playground.edit(0, 1, 0.9)
    playground.shows("q", "journey", ["0.4306", "1.6659"])
    playground.set_number("Seed", 5)
    playground.says("1 change was dropped, because the matrices under them were drawn anew.")
    eventually(lambda: playground.address, "?seed=5")
    playground.press("Bring back")
    eventually(lambda: playground.address, "?seed=5&edits=w_q.0.1.0.9")


def test_another_sentence_keeps_the_edits_of_the_projections(playground: Playground) -> None:
    playground.edit(0, 1, 0.9)
    playground.shows("q", "journey", ["0.4306", "1.6659"])
    playground.type_sentence("one journey")
    playground.shows("q", "journey", ["0.4306", "1.6659"])
    eventually(lambda: playground.labels("q"), ["one", "journey"])
    playground.shows("q", "journey", ["0.4306", "1.6659"])


def test_each_matrix_can_be_made_an_identity(playground: Playground) -> None:
    for symbol in ("W_q", "W_k", "W_v"):
        playground.look_at(symbol).press("Identity").says(f"{symbol}: identity")
        playground.shows(symbol[-1], "journey", ["0.5500", "0.8700"])
    playground.look_at("X").press("Identity").says("X: identity")
    playground.shows("x", "journey", ["0.0000", "1.0000", "0.0000"])


def test_a_table_can_be_pasted(playground: Playground) -> None:
    playground.paste("W_q", "1\t0\n0\t1\n0\t0")
    playground.shows("q", "journey", ["0.5500", "0.8700"])


def test_controls_change_the_picture(playground: Playground) -> None:
    playground.choose("Initialization", "linear").set_number("Seed", 789)
    playground.shows("context", "journey", ["−0.0748", "0.0703"])
    playground.set_number("Shown digits", 2)
    playground.shows("context", "journey", ["−0.07", "0.07"])
    playground.press("Start over")
    playground.shows("context", "journey", PUBLISHED_CONTEXT_OF_JOURNEY)
    eventually(lambda: playground.address, "")
