"""Everything by keyboard alone."""

from tests.browser.playground import Playground

CONTROLS = {
    "Playground", "Scaling", "Set-up", "Share",
    "Sentence", "Examples", "d_in", "d_out", "Seed", "Same seed again", "New seed",
    "Initialization", "Causal mask", "Divide by √d_k", "Temperature", "Biases b_q, b_k, b_v", "Tokens are",
    "Token vectors", "Shown digits", "Device", "Start over", "journey", "X", "matrix editor", "Reset", "Identity",
    "Zeros", "Random", "Paste a table into W_q", "Undo",
}  # fmt: skip
MOST_STOPS = 110


def test_the_tab_key_reaches_every_control(playground: Playground) -> None:
    playground.edit(0, 1, 0.9).says("W_q[0, 1]: 0.5166 → 0.9000")
    reached: set[str] = set()
    playground.setup_button.click()
    for _ in range(MOST_STOPS):
        reached.add(playground.tab().removesuffix("expand_more"))
        if reached >= CONTROLS:
            break
    assert not CONTROLS - reached
