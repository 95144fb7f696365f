"""Slips of products: another factor, a factor turned over, a bias forgotten."""

import math

from attnviz.marking.causes.step import Candidate, Candidates, Step

_PROJECTED = {"q": "w_q", "k": "w_k", "v": "w_v"}


def not_transposed(step: Step) -> Candidates:
    """Q K in place of Q Kᵀ."""
    if step.stage.name == "scores" and step.sources[0].shape[1] == step.sources[1].shape[0]:
        yield Candidate(step.sources[0] @ step.sources[1])


def w_transposed(step: Step) -> Candidates:
    """W turned over, which is how ``nn.Linear`` keeps it."""
    if step.stage.name != "scores" and step.sources[0].shape[1] == step.sources[1].shape[1]:
        values = step.sources[0] @ step.sources[1].T + sum(step.sources[2:])
        yield Candidate(values, {"of": step.symbol(step.stage.sources[1])})


def from_the_left(step: Step) -> Candidates:
    """W X in place of X W."""
    if step.stage.name != "scores" and step.sources[1].shape[1] == step.sources[0].shape[0]:
        first, second = map(step.symbol, step.stage.sources[:2])
        yield Candidate(step.sources[1] @ step.sources[0], {"first": first, "second": second})


def other_factor(step: Step) -> Candidates:
    """One of the factors is another table: the wrong W, the wrong weights, K in place of Q."""
    first, second = step.stage.sources[:2]
    of_stage = {"scores": ("q", "k", "v", "x"), "context": ("v", "k", "q", "x")}
    others: tuple[str, ...] = of_stage.get(step.stage.name, tuple(_PROJECTED.values()))
    weights = ("scores", "scaled_scores") if step.stage.name == "context" else ()
    for n, taken in ((0, first), (1, second)):
        of_it: tuple[str, ...] = weights if n == 0 and step.stage.name == "context" else others
        if n == 0 and step.stage.name not in ("scores", "context"):
            of_it = ("output", "context", "x") if step.stage.name == "preactivations" else ("e",)
        for other in of_it:
            if other != taken and step.has(other) and step.tables[other].shape == step.tables[taken].shape:
                sources = list(step.sources)
                sources[n] = step.tables[other]
                yield Candidate(step.made(*sources), {"taken": step.symbol(other), "due": step.symbol(taken)})


def scaled_early(step: Step) -> Candidates:
    """Scores divided by √d_k a step too early, or multiplied by it."""
    d_k = step.settings.d_head or step.sources[0].shape[1]
    if step.stage.name == "scores" and d_k > 1:
        root = math.sqrt(d_k)
        yield Candidate(step.right / root, {"root": root}, named="divided_early")
        yield Candidate(step.right * root, {"root": root}, named="multiplied_early")


def weights_turned(step: Step) -> Candidates:
    """The attention weights read down their columns."""
    if step.stage.name == "context" and step.sources[0].shape[0] == step.sources[0].shape[1]:
        yield Candidate(step.made(step.sources[0].T, step.sources[1]))


def bias_forgotten(step: Step) -> Candidates:
    """The bias is left out."""
    if len(step.sources) == 3:
        without = step.right - step.sources[2]
        yield Candidate(without, {"bias": step.symbol(step.stage.sources[2])})


def summand_forgotten(step: Step) -> Candidates:
    """One of two summands is left out: in a residual sum, X as a rule."""
    for kept, left in ((0, 1), (1, 0)):
        stays, missing = (step.symbol(step.stage.sources[n]) for n in (kept, left))
        residual = step.stage.sources[left] == "x"
        yield Candidate(
            step.sources[kept], {"of": stays} if residual else {"bias": missing},
            named="residual_forgotten" if residual else "bias_forgotten",
        )  # fmt: skip


def other_summand(step: Step) -> Candidates:
    """One of two summands is another table: in a residual sum, what W_o hasn't mixed yet, or X without positions."""
    for n, other in ((0, "e"), (1, "context"), (1, "v")):
        due = step.stage.sources[n]
        if step.stage.name == "residual_1" and other != due and step.has(other):
            sources = list(step.sources)
            sources[n] = step.tables[other]
            if sources[n].shape == step.right.shape:
                yield Candidate(step.made(*sources), {"taken": step.symbol(other), "due": step.symbol(due)})


def residual_added(step: Step) -> Candidates:
    """X is added, which belongs to a later step."""
    if step.stage.name in ("context", "output") and step.has("x") and step.tables["x"].shape == step.right.shape:
        yield Candidate(step.right + step.tables["x"])


def left_as_it_was(step: Step) -> Candidates:
    """The step was left out. (Of a sum, that is a summand left out, and said so; of a quotient, it is what scores are
    that aren't scaled.)"""
    if step.stage.kind in ("add", "scale"):
        return
    for name in step.stage.sources[:2] if step.stage.name in ("q", "k", "v") else step.stage.sources[-1:]:
        yield Candidate(step.tables[name], {"of": step.symbol(name)})
