"""Tokens on the page: repeated, pointed at, picked, and hostile."""

from collections.abc import Callable
from functools import partial

from playwright.sync_api import expect

from attnviz.words import plural, say
from tests.browser.board import Board
from tests.browser.playground import Playground, eventually
from tests.whole import dear

HOSTILE = (
    "<img src=x onerror=alert(1)> </script><script>alert(1)</script> <b>x</b> "
    "$\\frac12$ `a` 👨‍👩‍👧 שלום 我爱 z\u200bz \u202ea"
)
HOSTILE_TOKENS = [
    "<img", "src=x", "onerror=alert(1)>", "</script><script>alert(1)</script>", "<b>x</b>", "$\\frac12$", "`a`",
    "👨‍👩‍👧", "שלום", "我爱", "z⟨U+200B⟩z", "⟨U+202E⟩a",
]  # fmt: skip


@dear
def test_hover_names_query_key_and_value_and_a_picked_token_outlines_its_row(playground: Playground) -> None:
    assert playground.hover("attention_weights", 1, 2) == "query journey, key starts\nA = 0.2199"
    assert playground.hover("context", 1, 0) == "query journey, feature 0\nC = 0.3061"
    assert playground.hover("x", 0, 2) == "token Your, feature 2\nX = 0.8900"
    eventually(lambda: playground.outlined("scores"), ["journey"])
    playground.pick("step")
    playground.says("“step” reads “journey” most: attention weight 0.2092")
    for matrix in ("q", "k", "v", "scores", "scaled_scores", "attention_weights", "context"):
        eventually(partial(playground.outlined, matrix), ["step"])
    expect(playground.chip("step")).to_be_checked()
    expect(playground.chip("journey")).not_to_be_checked()


def test_hostile_texts_in_a_link_and_typed_are_shown_as_text(new_reader: Callable[..., Playground]) -> None:
    playground = new_reader().open(tokenizer="whitespace", text=HOSTILE, init=HOSTILE, edits=HOSTILE)
    playground.says("Parts of this link were ignored")
    expect(playground.chips).to_have_text(HOSTILE_TOKENS)
    nothing_is_markup(playground)
    playground.type_sentence(f"cat {HOSTILE}")
    expect(playground.chips).to_have_text(["cat", *HOSTILE_TOKENS])
    shown = [token if len(token) <= 18 else token[:17] + "…" for token in HOSTILE_TOKENS]
    eventually(lambda: playground.labels("attention_weights"), ["cat", *shown])
    assert "query <img, key <b>x</b>" in playground.hover("scores", 1, 5)
    playground.pick("<b>x</b>").says("“<b>x</b>” reads ")
    playground.look_at("X")
    expect(playground.page.locator("[data-testid=stDataFrame] table")).to_contain_text("</script><script>alert(1)")
    nothing_is_markup(playground)


def nothing_is_markup(playground: Playground) -> None:
    # The page's own script, which takes what is refused out of the address, is no text's.
    foreign = "img, .katex, [data-testid=stMain] :not([data-testid=stHtml]) > script"
    assert playground.page.locator(foreign).count() == 0
    assert playground.dialogs == []


@dear
def test_a_long_text_is_cut_and_stays_in_the_box(new_board: Callable[..., Board]) -> None:
    playground = new_board().open_board()
    text = ("word " * 2000)[:10_000]
    playground.type_sentence(text)
    playground.says(say("messages.long_sentence", tokens=plural(1024, "token")))
    expect(playground.page.get_by_label("Sentence", exact=True)).to_have_value(text)
    expect(playground.chips).to_have_count(1024)
    assert playground.sideways <= 0


@dear
def test_the_picked_of_many_tokens_is_in_sight_and_a_list_that_goes_on_fades(
    new_reader: Callable[..., Playground],
) -> None:
    playground = new_reader().open(text=" ".join(f"word{i}" for i in range(300)), embedding="stable", query=150)
    group = playground.page.get_by_role("radiogroup", name="Query token")
    expect(group).to_have_attribute("data-above", "true")
    expect(group).to_have_attribute("data-below", "true")
    box, chip = group.bounding_box(), playground.chip("word150").bounding_box()
    assert box is not None
    assert chip is not None
    assert box["y"] < chip["y"] < chip["y"] + chip["height"] < box["y"] + box["height"]
    playground.chip("word299").scroll_into_view_if_needed()
    expect(group).to_have_attribute("data-below", "false")
    expect(playground.chip("word150")).to_be_checked()
    playground.type_sentence("a cat")
    expect(group).to_have_attribute("data-above", "false")
    expect(group).to_have_attribute("data-below", "false")
