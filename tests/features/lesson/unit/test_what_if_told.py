"""The lesson tells what a switch of What if does."""

import pytest

from attnviz import Scenario, trace
from attnviz.features.lesson.steps import STEPS
from attnviz.words import say


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("softmax:whole", ("softmax", "context")),
        ("scores:cosine", ("one-score", "all-scores")),
        ("typed:0:1:3", ("one-score", "all-scores")),
        ("projections:exchanged", ("projections",)),
        ("cut:view", ("projections",)),
    ],
)
def test_the_lesson_says_what_a_switch_does_in_place_of_what_attention_does(text: str, steps: tuple[str, ...]) -> None:
    sizes, n_heads = (4, 2) if text.startswith("cut") else (2, 1)
    both = (trace(Scenario("a b c", d_out=sizes, n_heads=n_heads, what_if=each)) for each in ("", text))
    usual, made = (each.for_head(0) if n_heads > 1 else each for each in both)
    (key,) = made.switched_on
    more = say(f"what_if.{key.replace('-', '_')}.more")
    for step in STEPS:
        assert more not in step.says(usual, 0, 4)
        assert (step.says(made, 0, 4) == [more]) == (step.name in steps)
