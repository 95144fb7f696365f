"""Tokens on the page: repeated, pointed at, picked, and hostile."""

from playwright.sync_api import expect

from tests.browser.playground import Playground, eventually
from tests.browser.readers import New

HOSTILE = (
    "<img src=x onerror=alert(1)> </script><script>alert(1)</script> <b>x</b> "
    "$\\frac12$ `a` 👨‍👩‍👧 שלום 我爱 z\u200bz \u202ea"
)
HOSTILE_TOKENS = [
    "<img", "src=x", "onerror=alert(1)>", "</script><script>alert(1)</script>", "<b>x</b>", "$\\frac12$", "`a`",
    "👨‍👩‍👧", "שלום", "我爱", "z⟨U+200B⟩z", "⟨U+202E⟩a",
]  # fmt: skip


def test_hostile_texts_in_a_link_and_typed_are_shown_as_text(new: New) -> None:
    playground = new(Playground).open(tokenizer="whitespace", text=HOSTILE, init=HOSTILE, edits=HOSTILE)
    playground.says("Parts of this link were ignored")
    expect(playground.chips).to_have_text(HOSTILE_TOKENS)
    nothing_is_markup(playground)
    playground.type_sentence(f"cat {HOSTILE}")
    expect(playground.chips).to_have_text(["cat", *HOSTILE_TOKENS])
    shown = [token if len(token) <= 18 else token[:17] + "…" for token in HOSTILE_TOKENS]
    eventually(lambda: playground.labels("attention_weights"), ["cat", *shown])
    assert "query <img, key <b>x</b>" in playground.hover("scores", 1, 5)
    playground.pick("<b>x</b>").says("“<b>x</b>” happens to read ")
    playground.look_at("X")
    expect(playground.page.locator("[data-testid=stDataFrame] table")).to_contain_text("</script><script>alert(1)")
    nothing_is_markup(playground)


def nothing_is_markup(playground: Playground) -> None:
    # The page's own script, which takes what is refused out of the address, is no text's.
    foreign = "img, .katex, [data-testid=stMain] :not([data-testid=stHtml]) > script"
    assert playground.page.locator(foreign).count() == 0
    assert playground.dialogs == []
