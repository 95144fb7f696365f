"""Everything by keyboard alone."""

from attnviz.words import say
from tests.browser.playground import Playground

CONTROLS = {
    "Explore", "Learn", "Set-up", "Share",
    *(say(f"setup.{name}.label") for name in ("text", "causal", "scale", "d_in", "d_out", "n_heads", "device", "seed")),
    *(say(f"setup.{name}") for name in ("examples", "temperature.slider", "new_seed", "who", "layer", "start_over")),
    "journey", "X", "matrix editor", "Reset", "Identity", "Zeros", "Random", "Paste a table into W_q", "Undo",
}  # fmt: skip
MOST_STOPS = 110


def test_the_tab_key_reaches_every_control(playground: Playground) -> None:
    playground.edit(0, 1, 0.9).says("W_q[0, 1]: 0.5166 → 0.9000")
    reached: set[str] = set()
    playground.setup_button.click()
    for _ in range(MOST_STOPS):
        reached.add(playground.tab().removesuffix("expand_more"))
        missing = {name for name in CONTROLS if not any(each.endswith(name) for each in reached)}  # after a sign
        if not missing:
            break
    assert not missing
