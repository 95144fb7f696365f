"""The page History: each link opens the set-up of its step, which differs in what its step says and in nothing else."""

from urllib.parse import urlsplit

import pytest
import torch

from attnviz import trace
from attnviz.core.stages import LAYERS, NORMS, OUTPUT
from attnviz.features.history.steps import (
    STEPS,
    WITHOUT_PICTURE,
    Step,
    changed_in_words,
    compared_with,
    difference,
    pictured,
    step_named,
)
from attnviz.words import say

NAMES = [step.name for step in STEPS]
CHANGED = {
    "cross_attention": "y k v", "transformer": "q k v scores scaled_scores attention_weights context",
    "bert": "e e_scaled p x hidden", "gpt": "mask scaled_scores",
    "kept_sentence": "y y_norm joined k v mask by_distance distance_bias",
    "t5": "e p x by_distance distance_bias scaled_scores",
    "albert": " ".join(("w_q w_k w_v", *OUTPUT, *LAYERS, *NORMS, "q k v output preactivations feed_forward",
                        "residual_1_norm residual_2_norm")),
    "multi_query": "w_k w_v k v", "window": "mask", "linear": "phi_q phi_k scores scaled_scores attention_weights",
    "rotary": "e p x q_rotated k_rotated scores", "alibi": "e p x by_distance distance_bias scaled_scores",
}  # fmt: skip


@pytest.mark.parametrize("step", STEPS, ids=NAMES)
def test_its_table_differs_in_exactly_the_stages_that_it_changed(step: Step) -> None:
    found = {
        name: stage for each in difference(compared_with(step), step.scenario).values() for name, stage in each.items()
    }
    assert set(found) == set(CHANGED[step.name].split())
    told = " ".join(changed_in_words(step))
    assert all(stage.title.split(",")[0] in told for stage in found.values())
    assert all(f"{stage.symbol}, {stage.short}" in told for stage in found.values() if stage.title == stage.symbol)
    assert " head " not in told


def test_what_is_read_is_said_of_the_half_that_is_shown() -> None:
    """Vaswani et al. 2017, section 3.2.3: in the decoder, later tokens are masked."""
    first, masked = step_named("transformer"), [step for step in STEPS if trace(step.scenario).causal]
    assert not trace(first.scenario).is_hidden.any()
    assert "the encoder, where every token reads before and behind itself" in first.said("more")
    assert "in the decoder, later tokens are masked" in first.said("more")
    assert not [step for step in masked if "before and behind" in step.said("more")]


def test_each_has_its_own_name_title_and_paper() -> None:
    assert len(set(NAMES)) == len(NAMES)
    assert len({step.said("title") for step in STEPS}) == len(NAMES)
    sources = [*(step.paper for step in STEPS), *WITHOUT_PICTURE.values()]
    assert len(set(sources)) == len(sources)
    assert all(urlsplit(source).netloc == "arxiv.org" for source in sources)
    for step in STEPS:
        assert all(step.said(key) for key in ("line", "more", "paper"))
    for name in WITHOUT_PICTURE:
        assert all(say(f"history.no_stage.{name}.{key}") for key in ("title", "line", "paper"))


def test_steps_stand_in_order_of_time_and_what_is_pictured_changed() -> None:
    years = [int(step.said("title")[:4]) for step in STEPS]
    assert years == sorted(years)
    for step in STEPS:
        name, traces = pictured(step)
        before, now = (each[name] for each in traces)
        assert before.shape != now.shape or not torch.equal(before, now), step.name
