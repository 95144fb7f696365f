"""The first load, and the first things a reader does."""

from playwright.sync_api import expect

from tests.browser.playground import MATRICES, PUBLISHED_CONTEXT_OF_JOURNEY, Playground, eventually


def test_the_first_load_shows_the_published_numbers_and_every_heatmap_has_a_text(playground: Playground) -> None:
    playground.shows("context", "journey", PUBLISHED_CONTEXT_OF_JOURNEY)
    playground.shows("attention_weights", "journey", ["0.1500", "0.2264", "0.2199", "0.1311", "0.0906", "0.1820"])
    playground.shows("q", "journey", ["0.4306", "1.4551"])
    playground.says("“journey” reads itself most: attention weight 0.2264, where an even share would be 0.1667.")
    eventually(lambda: playground.address, "")
    figures = playground.page.get_by_role("figure")
    expect(figures).to_have_count(len((*MATRICES, "w_q", "w_k", "w_v")))
    for figure in figures.all():
        assert "Values from" in (figure.get_attribute("aria-label") or "")
