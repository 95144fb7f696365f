"""The library in a notebook: it takes what can be taken, says in a line what there is, and refuses in a sentence."""

import re
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import torch

import attnviz
from attnviz import Scenario, SelfAttention, attend, explain, feed_forward, tokenize, trace

X, W = [[1.0, 2.0, 0.5], [0.0, 1.0, -1.0]], [[0.5, 1.0], [0.25, -1.0], [2.0, 0.0]]
TENSORS: list[Any] = [torch.tensor(each) for each in (X, W, W, W)]
HEADS = Scenario("a cat", d_in=4, d_out=4, n_heads=2)
STACK = Scenario("a cat", d_in=4, d_out=4, n_layers=4, n_heads=2, norm="sums")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_arrays_and_lists_are_taken_as_tensors_are(dtype: Any) -> None:
    x, w = np.array(X, dtype=dtype), np.array(W, dtype=dtype)
    tensor, weights = torch.from_numpy(x), torch.from_numpy(w)
    wanted = attend(tensor, weights, weights, weights)
    assert torch.equal(attend(x, w, w, w).context, wanted.context)
    assert torch.equal(attend(x[:, ::-1][:, ::-1], w[::-1][::-1], w, w).context, wanted.context)
    assert wanted.context.dtype == tensor.dtype
    biased = attend(X, W, W, W, [1, 2], None, (0, 1))
    assert torch.equal(biased.q, torch.tensor(X) @ torch.tensor(W) + torch.arange(1, 3))
    mixed = attend(torch.tensor(X).double(), W, W, W)
    assert mixed.context.dtype == torch.float64  # the widest
    module = SelfAttention(3, 2)
    assert torch.equal(module(np.array(X, dtype=np.float32)), module(torch.tensor(X)))
    assert torch.equal(
        feed_forward(X, W, None, np.eye(2, dtype=np.float32), None)["hidden"], (TENSORS[0] @ TENSORS[1]).relu()
    )
    assert torch.equal(trace("a cat").context, trace(Scenario("a cat")).context)


REFUSED: dict[str, Any] = {
    "x is None, expected a tensor, an array, or rows of numbers": lambda: attend(None, W, W, W),
    "x is 'a cat', expected a tensor, an array, or rows of numbers": lambda: attend("a cat", W, W, W),
    "w_q is [[1, 2], [3]], expected": lambda: attend(X, [[1, 2], [3]], W, W),
    "w_k has shape (2, 2), expected (3, 2) like w_q": lambda: attend(X, W, W[:2], W),
    "mask holds bool values, expected real numbers": lambda: attend(X, W, W, W, mask=[[True, False], [True, True]]),
    "x holds complex64 values, expected real": lambda: attend(torch.ones(2, 3, dtype=torch.complex64), W, W, W),
    "tokens has 3 texts, expected 2, one for each row of x": lambda: attend(X, W, W, W, tokens=("a", "b", "c")),
    "tokens is 'ab', expected several texts": lambda: attend(X, W, W, W, tokens="ab"),
    "scenario is None, expected a Scenario or a text": lambda: trace(None),  # type: ignore[arg-type]
    "None is no text, and the sentence has to be one": lambda: tokenize(None),  # type: ignore[arg-type]
    "trace is Scenario('a cat'), expected what attnviz.trace": lambda: explain(Scenario("a cat"), "q", 0, 0),  # type: ignore[arg-type]
    "'scores' is another matrix in each head or layer, expected one of heads.0.scores, heads.1.scores": (
        lambda: explain(trace(HEADS), "scores", 0, 0)
    ),
    "'attention_weights' is another matrix in each head or layer, expected one of heads.0.attention_weights": (
        lambda: attnviz.figures.heatmap(trace(HEADS), "attention_weights")
    ),
    "'q' is another matrix in each head or layer, expected one of layers.0.q": lambda: trace(STACK)["q"],
    "'nope' is no matrix of this trace, expected one of layers.0.x": lambda: trace(STACK)["nope"],
}


@pytest.mark.parametrize("problem", REFUSED)
def test_what_cannot_be_taken_is_refused_with_what_it_is_and_what_is_expected(problem: str) -> None:
    with pytest.raises(ValueError, match=re.escape(problem)) as refused:
        REFUSED[problem]()
    assert len(str(refused.value)) < 500


def test_a_scenario_shows_nothing_but_what_makes_it_again() -> None:
    assert repr(Scenario("a cat", causal=True)) == "Scenario('a cat', causal=True)"


@pytest.mark.parametrize("module", ["documents", "explanation", "export", "figures", "models", "stories", "training"])
def test_each_public_module_is_there_once_the_package_is_imported(module: str) -> None:
    code = f"import attnviz; attnviz.{module}; attnviz.training.stories.examples('recall', n=1, seed=7)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stderr) == (0, "")
