"""One head as a table of stages with the model's own numbers."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import torch
from torch import Tensor

from attnviz.core.attention import AttentionTrace
from attnviz.core.rules import Cap, Scale, Softmax
from attnviz.core.stages import (
    ALL_STAGES,
    CAPPED,
    DISTANCE_BIAS,
    DIVIDED,
    MASK,
    STAGES,
    Stage,
    Table,
    Texts,
    layer_table,
)
from attnviz.core.trace import run
from attnviz.models.edits import EVEN, OFF
from attnviz.models.projections import Projected, ProjectedHeads
from attnviz.models.watching import Attended
from attnviz.words import Later, later
from attnviz.words.numbers import share_of, significant

# A model's weights and those that the table makes of its scores may differ by this, for the roundings of float32.
_SAME_WEIGHTS = 1e-4
_SAME_HALVES = 0.25  # and where the model computes with halves, whose scores may be off by that much, by this
_CHANGED_BY = {"attention_weights": EVEN, "context": OFF}
_TOLD = ("title", "plain", "meaning", "short")
_INPUTS = ("x", "y")  # of queries, and of keys where these are of other tokens


@dataclass(frozen=True)
class HeadParts:
    """A head's queries, keys and values, and how they were made."""

    given: Mapping[str, Tensor]  # q, k, v: (n_tokens, d)
    projected: Mapping[str, Projected | None]
    added: Tensor | None
    scaling: float
    weights: Tensor | None
    context: Tensor | None
    others: bool = False  # whether keys and values are of other tokens than queries
    bias: str = ""  # what the numbers depend on that are added to scores and are no mask's; blank where none are
    learned: bool = False  # whether they are
    cap: float | None = None
    sink: float | None = None


def parts_of(
    attended: Attended, projected: Mapping[str, ProjectedHeads], head: int, *, others: bool = False, sink: bool = True
) -> HeadParts:
    """Return one head's parts; without `sink`, a sink doesn't count."""
    shared = head * len(attended.key) // len(attended.query)  # several heads of queries may read the same keys
    places = {"q": head, "k": shared, "v": shared}
    tensors = {"q": attended.query, "k": attended.key, "v": attended.value}
    added, bias = (None if each is None else each[head % len(each)] for each in (attended.added, attended.bias))
    return HeadParts(
        {part: _in_float32(tensors[part][at]) for part, at in places.items()},
        {part: projected[part](at) for part, at in places.items()},
        added,
        attended.scaling,
        None if attended.weights is None else attended.weights[head],
        None if attended.context is None else attended.context[head],
        others,
        "" if bias is None or added is None else _depends_on(bias, added > -math.inf),
        attended.learned,
        attended.cap,
        None if attended.sinks is None or not sink else float(attended.sinks[head]),
    )


def head_trace(parts: HeadParts, tokens: tuple[str, ...], changed: tuple[str, ...] = ()) -> AttentionTrace:
    """Return one head as a trace, with the model's own numbers.

    Queries, keys, values, weights and contexts are the model's; the table computes the rest, and what is
    `changed` stands as given.
    """
    table, given, own = _table_of(parts)
    notes: list[Later] = []
    for name in set(changed).intersection(own):
        table, given = _with_given(table, name), given | {name: own[name]}
        notes.append(later("models.notices.changed", matrix=table[name].texts.title))
    matrices = run(table, given) | own
    if parts.sink is not None:
        least, most = (share_of(float(each)) for each in torch.aminmax(1 - matrices["attention_weights"].sum(-1)))
        told = _told("sink", number=significant(parts.sink), least=least, most=most)
        table = MappingProxyType({**table, "attention_weights": table["attention_weights"].retold(**told)})
    dtype = None if parts.weights is None else parts.weights.dtype
    half = dtype not in (None, matrices["q"].dtype)
    if half:
        notes.append(later("models.notices.half", dtype=str(dtype).removeprefix("torch.")))
    for name, tensor in (("attention_weights", parts.weights), ("context", parts.context)):
        if tensor is None:
            continue
        by = _CHANGED_BY[name]
        if by in changed or not alike(matrices[name], tensor, _SAME_HALVES if half else _SAME_WEIGHTS):
            why = by if by in changed else "between"
            table = _unknown(table) if why == "between" and name == "attention_weights" else table
            table, given = _with_given(table, name), given | {name: _in_float32(tensor)}
            matrices = run(table, given) | own  # what comes after is made of these
            notes.append(later(f"models.notices.{why}", matrix=table[name].texts.title))
        if not half:
            matrices[name] = tensor
    return AttentionTrace(table, matrices, tokens, notes)


def _unknown(table: Table) -> Table:
    """Return a table whose weights aren't called the softmax of the scores."""
    told = {"scaled_scores": _told("unknown"), "attention_weights": _told("weights")}
    return MappingProxyType({**table, **{name: table[name].retold(**each) for name, each in told.items()}})


def _told(name: str, kind: str = "", **places: object) -> dict[str, Later]:
    """Return the texts of a model's own stage, of this kind."""
    texts = {key: later(f"models.{name}.{key}", **places) for key in ("title", "meaning", "short")}
    return texts | {"plain": later(f"models.{name}.{'.'.join(filter(None, ('plain', kind)))}", **places)}


def averaged(trace: AttentionTrace, weights: Tensor) -> AttentionTrace:
    """Return attention weights ``(n_heads, n_queries, n_keys)``, averaged over heads, as a trace."""
    told = {key: later(f"models.average.{key}") for key in ("title", "meaning")}
    told |= {"plain": told["meaning"], "short": told["title"]}
    stage = replace(trace.stages["attention_weights"].retold(**told), rule=None, sources=())
    made = {"attention_weights": weights.double().mean(0).to(trace.attention_weights.dtype)}
    return AttentionTrace(MappingProxyType({stage.name: stage}), made, trace.tokens)


def with_output(trace: AttentionTrace, w_o: Tensor) -> AttentionTrace:
    """Return a head with its rows of W_o and its output part."""
    context = replace(trace.stages["context"], rule=None, sources=())
    rows, part = ({key: later(f"models.{of}.{key}") for key in _TOLD} for of in ("rows", "part"))
    output = replace(ALL_STAGES["output"].retold(**part), sources=("context", "w_o"))
    behind = {"w_o": ALL_STAGES["w_o"].retold(**rows), "output": output}
    made = run(MappingProxyType({"context": context, **behind}), _plain({"context": trace.context, "w_o": w_o}))
    matrices = {**trace.matrices, **{name: made[name] for name in behind}}
    return AttentionTrace(MappingProxyType({**trace.stages, **behind}), matrices, trace.tokens, trace.notes)


def _in_float32(tensor: Tensor) -> Tensor:
    return tensor if tensor.dtype in (torch.float32, torch.float64) else tensor.float()


def alike(ours: Tensor, own: Tensor, most: float) -> bool:
    """Whether numbers differ by no more than a share of the largest."""
    size = max(1.0, float(own.abs().max()))
    return ours.shape == own.shape and bool(((ours - own).abs() <= most * size).all())


def _with_given(table: Table, name: str) -> Table:
    scores = "scaled_scores" if name == "attention_weights" and "scaled_scores" in table else ""
    return MappingProxyType({**table, name: replace(table[name], rule=None, sources=(), hidden_with=scores)})


def _table_of(parts: HeadParts) -> tuple[Table, dict[str, Tensor], dict[str, Tensor]]:
    """Return a head's table, its given matrices, and those the model made."""
    known = _known(parts)
    inputs = _inputs(known, others=parts.others)
    turn = known["q"].turn if "q" in known else None
    biases = tuple(f"b_{part}" for part, each in known.items() if each.bias is not None)
    table = {name: _input_stage(name) for name in dict.fromkeys(inputs.values())}
    given = {inputs[part]: each.x for part, each in known.items()}
    own: dict[str, Tensor] = {}
    mask = parts.added is not None
    for name, stage in layer_table(1, biases=biases, mask=mask, positions="none" if turn is None else "rotary").items():
        part = name.rpartition("_")[2]  # w_q, b_q and q have to do with queries
        if part in ("q", "k", "v") and part not in known:
            if name == part:
                table[name], given[name] = replace(stage, rule=None, sources=()), parts.given[part]
        elif name in known:
            table[name] = replace(stage, sources=(inputs[name], *stage.sources[1:]))
            own[name] = known[name].product
        elif name.startswith(("w_", "b_")):
            tensor = known[part].weight if name.startswith("w_") else known[part].bias
            assert tensor is not None
            table[name], given[name] = stage, tensor
        elif name.endswith("_rotated"):
            table[name], own[name] = replace(stage, rule=turn), parts.given[name[0]]
        elif name == "scaled_scores":
            table |= _scaled(stage, parts)
        elif name == "attention_weights" and parts.sink is not None:
            table[name] = replace(stage, rule=Softmax(sink=parts.sink))
        elif name == MASK and parts.added is not None:
            added = _bias_stage(stage, parts) if parts.bias else stage
            table[added.name], given[added.name] = added, parts.added
        elif name != "x":
            table[name] = stage
    return MappingProxyType(table), _plain(given), _plain(own)


def _plain(matrices: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {name: _in_float32(matrix) for name, matrix in matrices.items()}


def _known(parts: HeadParts) -> dict[str, Projected]:
    """Return the traced parts: queries and keys only if turned alike."""
    known = {part: each for part, each in parts.projected.items() if each is not None}
    turns = {part: known[part].turn if part in known else None for part in "qk"}
    if turns["q"] != turns["k"]:
        known = {part: each for part, each in known.items() if each.turn is None}
    named = _inputs(known, others=parts.others)
    return {part: each for part, each in known.items() if part in named}


def _inputs(known: Mapping[str, Projected], *, others: bool) -> dict[str, str]:
    """Return whether each part is made of X or of Y.

    Y is what keys are made of, if that isn't what queries are. What is made of a third input has no name.
    """
    named: dict[str, Tensor] = {}
    inputs: dict[str, str] = {}
    for part, each in known.items():
        name = next((name for name, x in named.items() if x is each.x or torch.equal(x, each.x)), None)
        if name is None:
            free = _INPUTS[1:] if others and part != "q" else _INPUTS
            name = next((other for other in free if other not in named), None)
        if name is not None:
            named.setdefault(name, each.x)
            inputs[part] = name
    return inputs


def _input_stage(name: str) -> Stage:
    texts = Texts.of(f"stages.{name}")
    return replace(STAGES["x"], name=name, symbol=str(texts.title), texts=texts)


def _scaled(stage: Stage, parts: HeadParts) -> dict[str, Stage]:
    """Return the stages from the scores to what softmax gets."""
    divided, added = _scale_of(parts.scaling, parts.given["k"].shape[-1]), stage.sources[1:]
    if parts.bias:
        added = (DISTANCE_BIAS,)
    kind = "biased" if parts.bias else "masked" if added else "divided"
    if parts.cap is None:
        told = f"{kind}_by_1" if divided == Scale(own=True) else kind
        return {stage.name: replace(stage.retold(**_told("scaled", told)), rule=divided, sources=("scores", *added))}
    between = {
        DIVIDED: replace(
            stage.retold(**_told("divided")), name=DIVIDED, symbol="S_d", rule=divided, sources=("scores",)
        ),
        CAPPED: replace(
            stage.retold(**_told("capped", limit=significant(parts.cap))),
            name=CAPPED, symbol="S_c", rule=Cap(parts.cap), sources=(DIVIDED,),
        ),
    }  # fmt: skip
    last = replace(stage.retold(**_told("scaled", f"{kind}_capped")), rule=Scale(own=True), sources=(CAPPED, *added))
    return {**between, stage.name: last}


def _scale_of(scaling: float, d_k: int) -> Scale:
    """Return the scaling of scores: by √d_k, or the model's own number.

    >>> _scale_of(0.125, 64), _scale_of(1.0, 64).divisor, _scale_of(0.3, 64).divisor
    (Scale(d_k=64, temperature=1.0, factor=False, own=False), 1.0, 3.3333333333333335)
    """
    if math.isclose(d_k**-0.5, scaling, rel_tol=1e-6):
        return Scale(d_k)
    return Scale(None, 1 / scaling, own=True)


def _bias_stage(mask: Stage, parts: HeadParts) -> Stage:
    """Return the stage of what is added to scores, with the mask."""
    told = _told("bias", parts.bias)
    plain = later(f"models.bias.{'learned' if parts.learned else 'prescribed'}", plain=told["plain"])
    return replace(mask.retold(**told | {"plain": plain}), name=DISTANCE_BIAS, symbol="B", colours="scores")


def _depends_on(bias: Tensor, readable: Tensor) -> str:
    """Return what a bias ``(n_queries, n_keys)`` depends on: "distance", "place" or "tokens"."""
    rows, columns = bias.shape
    distances = torch.arange(columns, device=bias.device) - torch.arange(rows, device=bias.device)[:, None]
    places = {"distance": distances + rows, "place": torch.arange(columns, device=bias.device).expand(rows, columns)}
    for name, place in places.items():
        at, numbers = place[readable], bias.float()[readable]
        ends = [
            numbers.new_zeros(rows + columns).scatter_reduce(0, at, numbers, how, include_self=False)[at]
            for how in ("amin", "amax")
        ]
        if torch.equal(*ends):
            return name
    return "tokens"
