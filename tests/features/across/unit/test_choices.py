"""Choices of predictions, those of all features: nothing but the numbers tells which is right."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from attnviz import AttentionTrace, Scenario
from attnviz.core.dropout import dropout
from attnviz.core.scenario import traced
from attnviz.core.what_if import PLACES, TYPED, WhatIf
from attnviz.explanation.factors import times
from attnviz.features.explore.mask_experiments import DTYPES, computed_in, in_each_way, of_ways, shaped
from attnviz.features.explore.replacements import equal_projections, of_other, one_matrix, row_plus, shares_moved
from attnviz.features.explore.switch_predictions import alone, turned
from attnviz.features.lesson.asking import ASKING, prediction_of
from attnviz.features.questions.questions import QUESTIONS


def test_neither_its_length_nor_its_place_tells_which_choice_is_right() -> None:
    """Who takes the longest of a page's choices, the shortest, the first, the second or the last, hardly does better
    than who guesses."""
    sentences = [Scenario(embedding="published"), *(
        Scenario("the cat sat down", d_in=4, d_out=d, seed=seed, causal=causal, init="normal")
        for seed in range(3) for d in (2, 4) for causal in (False, True)
    )]  # fmt: skip
    of_steps = [asked for scenario in sentences for query in range(4) for step in ASKING
                if (asked := prediction_of(step, traced(scenario), query, 4))]  # fmt: skip
    square = [replace(scenario, n_heads=2) for scenario in sentences if scenario.d_in == scenario.d_out]
    of_switches = [asked for scenario in square for query in range(4) for place in PLACES
                   if not (scenario.causal and place == "softmax.sums")  # −∞ has no share there
                   if (asked := turned(scenario, WhatIf.read(f"typed:{query}:1:2") if place == TYPED else alone(place),
                                       place, query))]  # fmt: skip
    of_others = [of_other(name, shares_moved(traced(scenario), made)[0]) for scenario in sentences
                 for name, make in _OTHERS.items() if (made := make(scenario))]  # fmt: skip
    of_masks = [
        of_ways({way: made.attention_weights for way, made in in_each_way(scenario, hidden).items()}, hidden)
        for scenario in sentences
        if (hidden := shaped("triangle", n := len(scenario.tokens), n)).any()
    ]
    for every in ([question.asked for question in QUESTIONS], of_steps, of_switches, of_others + of_masks):
        chance = np.mean([1 / len(asked.choices) for asked in every])
        for at in (0, 1, -1):
            assert np.mean([[*asked.choices][at] == asked.right for asked in every]) < chance + 0.13
        for best in (max, min):
            of_length = [[name for name, label in asked.choices.items()
                          if len(label) == best(map(len, asked.choices.values()))] for asked in every]  # fmt: skip
            found = [(asked.right in names) / len(names) for asked, names in zip(every, of_length, strict=True)]
            assert np.mean(found) < chance + 0.13


def _changed(change: Callable[[Scenario], Scenario | None]) -> Callable[[Scenario], AttentionTrace | None]:
    return lambda scenario: None if (made := change(scenario)) is None else traced(made)


_OTHERS: dict[str, Callable[[Scenario], AttentionTrace | None]] = {
    "one_matrix": _changed(one_matrix), "equal": _changed(equal_projections), "times": _changed(partial(times, c=2.0)),
    "row": _changed(partial(row_plus, row=0, c=5.0)), "dropout": _changed(partial(dropout, p=0.1, seed=0)),
    "bits": lambda scenario: computed_in(traced(scenario), DTYPES["float16"], True),
}  # fmt: skip
