"""Recordings for the story: a training, and a tree of next words."""

from functools import cache
from typing import Any

from attnviz.board.drawn import data_of_model
from attnviz.core.attention import AttentionTrace
from attnviz.core.heads import in_view
from attnviz.core.rules import in_rows
from attnviz.features.language_models.inside import look_into
from attnviz.features.language_models.inside.pieces import text_of
from attnviz.features.language_models.inside.trace import ModelTrace
from attnviz.features.language_models.inside.writing import Sampling, appended
from attnviz.features.learn.training import Training, train
from attnviz.words.numbers import DEFAULT_DIGITS

SENTENCE = "the cats near the key are old ."  # from the task "agreement"
SUBJECT, READER = 2, 5  # indices: of the subject, and of the word before the verb, whose row decides the verb
STEPS, SEED = 600, 28
# Steps to record, close together where much changes.
KEPT = (0, 2, 4, 6, 8, 10, 12, 14, 17, 20, 23, 26, 29, 34, 39, 49, 67, 110, 230, 600)
_SHOWN = ("q", "k", "v", "scaled_scores", "attention_weights", "context")
_DECIMALS = 4  # for recorded numbers
_NEARLY = 1e-7  # chances are at least this far from 0 and 1, which a softmax never reaches
# The model recalls facts only in texts like those that it was trained on.
BEGINNING = (
    "anna paints horses . tom sees stars . here is the dog bello . today tom sees stars because he is glad . what does"
)
_DEPTH, _WIDTH, _LEAST = 6, 4, 0.02  # depth in words; branches; chance below which a branch ends


@cache
def training() -> Training:
    """Return the training that the story shows."""
    return train("agreement", steps=STEPS, seed=SEED)


def moments() -> list[int]:
    """Return the kept steps that are nearest to those in `KEPT`."""
    kept = [moment.step for moment in training().moments]
    return sorted({min(kept, key=lambda step: abs(step - wanted)) for wanted in KEPT})


@cache
def trace_at(step: int) -> AttentionTrace:
    """Return the trace of the sentence after a step of the training."""
    return training().trace(step, SENTENCE).for_head(0)


def training_data() -> dict[str, Any]:
    """Return the training's board, and the numbers of each recorded step."""
    steps = moments()
    last = trace_at(steps[-1])
    names = [name for name in in_view(last.stages) if name in _SHOWN]
    needed = _needed(last)
    data = data_of_model(last, READER, DEFAULT_DIGITS)
    board = data | {
        "key": "alone", "shown": names, "scaled": True, "plane": False,
        "stages": [each for each in data["stages"] if each["name"] in needed],
        "matrices": {name: sent for name, sent in data["matrices"].items() if name in needed},
    }  # fmt: skip
    learned = [name for name in needed if name in training().moments[0].parameters]
    at = {moment.step: moment.parameters for moment in training().moments}
    numbers = [
        [round(float(value), _DECIMALS) for name in learned for value in at[step][name].flatten()] for step in steps
    ]
    shapes = [[name, *in_rows(at[0][name]).shape] for name in learned]
    reads = [round(float(trace_at(step).attention_weights[READER, SUBJECT]), _DECIMALS) for step in steps]
    right = {moment.step: round(moment.accuracy, _DECIMALS) for moment in training().moments}
    return {
        "board": board, "part": ["attention_weights"], "steps": steps, "shapes": shapes, "numbers": numbers,
        "reads": reads, "right": [right[step] for step in steps], "subject": SUBJECT, "reader": READER,
    }  # fmt: skip


def _needed(trace: AttentionTrace) -> list[str]:
    """Return the matrices needed to compute the context, in order."""
    needed = {"context"}
    for name, stage in reversed([*trace.stages.items()]):
        if name in needed:
            needed.update(stage.sources)
    return [name for name in trace.stages if name in needed]


def written_data() -> dict[str, Any]:
    """Return the beginning of a text, and the tree of next words."""
    return {"text": BEGINNING, "tree": _tree(look_into("stories", text=BEGINNING), _DEPTH)}


def _tree(view: ModelTrace, depth: int) -> list[list[Any]]:
    """Return the likeliest next words with their probabilities, and what follows each."""
    best = Sampling().chances(view).probabilities.topk(_WIDTH)
    tree: list[list[Any]] = []
    for chance, token in zip(best.values.tolist(), best.indices.tolist(), strict=True):
        node: list[Any] = [text_of(view.tokenizer, token), min(max(round(chance, 7), _NEARLY), 1 - _NEARLY)]
        if depth > 1 and chance > _LEAST:
            node.append(_tree(appended(view, [token]), depth - 1))
        tree.append(node)
    return tree
