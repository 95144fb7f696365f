"""A sample of every kind of model that transformers has; `make families` builds them all."""

import re

import pytest

from tests.families.__main__ import PAGE, page
from tests.families.building import families
from tests.families.checking import Outcome, outcome_of

# One of each way to attend: encoder, decoder, both; grouped keys, sinks, caps, biases, latents, clipping, convolution.
SAMPLE = ("bert", "gpt2", "llama", "gemma2", "gpt_oss", "t5", "bart", "bloom", "falcon", "olmo", "nystromformer",
          "deepseek_v32", "hy_v4")  # fmt: skip


@pytest.mark.parametrize("kind", SAMPLE)
def test_what_is_shown_of_a_model_is_what_it_computes(kind: str) -> None:
    outcome = outcome_of(next(each for each in families() if each.kind == kind))
    assert outcome.status == "shown", outcome.told
    assert not outcome.wrong
    assert outcome.weights == "same"
    assert outcome.layers


@pytest.mark.parametrize("kind", ["bigbird_pegasus", "pegasus_x", "inkling2_text"])
def test_a_model_of_which_a_part_is_seen_is_refused(kind: str) -> None:
    """The encoder's attention isn't seen, or what mixes experts would be shown as heads."""
    assert outcome_of(next(each for each in families() if each.kind == kind)).status == "refused"


def test_the_page_of_all_models_is_of_the_version_that_is_installed() -> None:
    import transformers

    written = PAGE.read_text(encoding="utf-8")
    assert written.startswith(f"# Models of transformers {transformers.__version__}\n"), "make families"
    assert re.search(r"on \d{4}-\d{2}-\d{2} by", written)
    listed = set(re.findall(r"^\| ([^| ]+) \|", written, re.MULTILINE))
    assert set(SAMPLE) <= listed


def test_a_page_lists_what_differs_and_why_what_is_refused() -> None:
    outcomes = [
        Outcome("a", "AModel", "shown", layers=2, weights="same"),
        Outcome("b", "BModel", "shown", wrong=("weights", "output"), layers=1, weights="same", given=("C: why",)),
        Outcome("c", "CModel", "refused", "It reads | pictures."),
    ]
    made = page(outcomes, "5.0", "2026-01-01", "a cat")
    assert "3 kinds: 2 are shown, 1 refused with a reason, 0 end in an error, and 0 can't be built small." in made
    assert "1 have a number that isn't what's told of it" in made
    assert "| b | BModel | 1 | same | C: why | weights; output |" in made
    assert "| c | CModel | It reads \\| pictures. |" in made
