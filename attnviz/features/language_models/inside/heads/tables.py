"""One head as a table of stages with the model's own numbers."""

import math
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import torch
from torch import Tensor

from attnviz.core.attention import AttentionTrace
from attnviz.core.layers import reading_others
from attnviz.core.rules import Softmax
from attnviz.core.stages import (
    ALL_STAGES,
    MASK,
    STAGES,
    Stage,
    Table,
    Texts,
    layer_table,
)
from attnviz.core.trace import run
from attnviz.features.language_models.inside.edits import EVEN, OFF
from attnviz.features.language_models.inside.heads.scores import (
    HeadParts,
    bias_stage,
    depends_on,
    scaled_stages,
    texts_of,
)
from attnviz.features.language_models.inside.norms import norm_stages
from attnviz.features.language_models.inside.projections import Projected, ProjectedHeads
from attnviz.features.language_models.inside.seen.attended import AttentionRecord
from attnviz.words import Later, later
from attnviz.words.numbers import share_of, significant, written

# How far float32 roundings may move a model's weights from the table's.
_SAME_WEIGHTS = 1e-4
_SAME_HALVES = 0.25  # the same for half precision, in which scores may be off by about this much
_ROW_SUM = 4e-3  # how far half precision may move the sum of a row
_SUM_DIGITS = 3
_CHANGED_BY = {"attention_weights": EVEN, "context": OFF}
_TOLD = ("title", "plain", "meaning", "short")
_INPUTS = ("x", "y")  # names of the first and of a second input of Q, K and V


def parts_of(
    attended: AttentionRecord,
    projected: Mapping[str, ProjectedHeads],
    head: int,
    *,
    others: bool = False,
    sink: bool = True,
) -> HeadParts:
    """Return one head's parts; without `sink`, a sink doesn't count."""
    shared = head * len(attended.key) // len(attended.query)  # grouped-query attention: query heads share keys
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
        lambda: _in_float32(attended.scores()[head]),
        others,
        "" if bias is None or added is None else depends_on(bias, added > -math.inf),
        attended.learned,
        attended.cap,
        None if attended.sinks is None or not sink else float(attended.sinks[head]),
        goes_on_changed=attended.rewritten,
    )


def head_trace(parts: HeadParts, tokens: tuple[str, ...], changed: tuple[str, ...] = ()) -> AttentionTrace:
    """Return one head as a trace, with the model's own numbers.

    Queries, keys, values, weights and contexts are the model's; the table computes the rest. Matrices in `changed`
    stand as given.
    """
    table, given, own = _table_of(parts)
    notes: list[Later] = []
    for name in set(changed).intersection(own):
        table, given = _with_given(table, name), given | {name: own[name]}
        notes.append(later("models.notices.changed", matrix=table[name].texts.title))
    notes += [later("models.notices.rewritten", matrix=table[part].texts.title) for part in parts.rewritten]
    matrices = run(table, given)
    for name in _unlike(parts, table, matrices, own):
        table, given = _with_given(table, name), given | {name: own[name]}
        notes.append(later("models.notices.unlike", matrix=table[name].texts.title))
    own |= _as_scaled(parts, table, given, own)
    matrices = _run(table, given, own)
    if empty := _rows_of_nothing(parts):
        weights = matrices["attention_weights"] if parts.weights is None else parts.weights
        weights = weights.index_fill(-2, torch.tensor(empty, device=weights.device), 0.0)
        table, given = _with_given(table, "attention_weights"), given | {"attention_weights": _in_float32(weights)}
        matrices, parts = _run(table, given, own), replace(parts, weights=weights)
        notes.append(later("models.notices.nothing", rows=", ".join(map(str, empty))))
    if parts.sink is not None:
        least, most = (
            share_of(float(each)) for each in torch.aminmax((1 - matrices["attention_weights"].sum(-1)).clamp_min(0))
        )
        told = texts_of("sink", number=significant(parts.sink), least=least, most=most)
        table = MappingProxyType({**table, "attention_weights": table["attention_weights"].with_texts(**told)})
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
            matrices = _run(table, given, own)  # later stages are computed from these
            notes.append(later(f"models.notices.{why}", matrix=table[name].texts.title))
        if not half:
            matrices[name] = tensor
    if parts.goes_on_changed:
        notes.append(later("models.notices.goes_on", matrix=table["context"].texts.title))
    return AttentionTrace(table, matrices, tokens, notes)


def _rows_of_nothing(parts: HeadParts) -> list[int]:
    """Return the rows whose mask hides all tokens, if they got zeros."""
    if parts.added is None or parts.sink is not None:
        return []
    hidden = (parts.added == -math.inf).all(-1)
    for given in (parts.weights, parts.context):
        if given is not None:
            hidden = hidden & (given == 0).all(-1)
    known = parts.weights is not None or parts.context is not None
    return hidden.nonzero()[:, 0].tolist() if known else []


def _run(table: Table, given: Mapping[str, Tensor], own: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return all matrices; those after scaled scores use the model's own."""
    if "scaled_scores" not in own:
        return {**run(table, given), **own}
    return run(_with_given(table, "scaled_scores"), {**given, "scaled_scores": own["scaled_scores"]}) | dict(own)


def _as_scaled(
    parts: HeadParts, table: Table, given: Mapping[str, Tensor], own: Mapping[str, Tensor]
) -> dict[str, Tensor]:
    """Return scores as a model rounds them, if its weights show that.

    Models sum products in torch's order, and some multiply where the table divides by √d_k. Then the last digits of
    scores differ and, if scores are large, so do the weights' by more than the roundings of their softmax.
    """
    weights, plain = parts.weights, {**run(table, given), **own}
    if weights is None or parts.cap is not None or weights.dtype != plain["scaled_scores"].dtype:
        return {}
    best: dict[str, Tensor] = {}
    least = _off(_run(table, given, {**own, **best})["attention_weights"], weights)
    # One head's product may be rounded differently from that of all heads.
    for scores in (parts.given["q"] @ parts.given["k"].mT, parts.scores()):
        for scaled in (scores * parts.scaling, scores / (1 / parts.scaling)):
            added = scaled if parts.added is None else scaled + parts.added
            if added.dtype != weights.dtype or not alike(scores, plain["scores"], _SAME_WEIGHTS):
                continue
            tried = {"scores": scores, "scaled_scores": added}
            if (off := _off(_run(table, given, {**own, **tried})["attention_weights"], weights)) < least:
                best, least = tried, off
        if not least:
            break
    return best


def _off(made: Tensor, own: Tensor) -> float:
    """Return the largest difference, relative to the weight itself."""
    apart = (made - own).abs() / own.abs().clamp_min(torch.finfo(own.dtype).tiny)
    return float(apart.nan_to_num().max())  # a row with nothing to read has no softmax


def _unlike(parts: HeadParts, table: Table, matrices: Mapping[str, Tensor], own: Mapping[str, Tensor]) -> list[str]:
    """Return the products that differ from the model's by more than roundings."""
    found = []
    for name, made in own.items():
        rule, known = table[name].rule, parts.projected.get(name)
        if rule is None or known is None:
            continue
        x, weight, *bias = (matrices[source] for source in table[name].sources)
        size = x.abs() @ weight.abs() + sum(each.abs() for each in bias)
        most = (len(weight) + 2) * torch.finfo(known.product.dtype).eps * size
        if not bool(((matrices[name] - made).abs() <= 2 * most).all()):
            found.append(name)
    return found


def _unknown(table: Table) -> Table:
    """Return a table that doesn't call its weights the scores' softmax."""
    told = {"scaled_scores": texts_of("unknown"), "attention_weights": texts_of("weights")}
    return MappingProxyType({**table, **{name: table[name].with_texts(**each) for name, each in told.items()}})


def rows_sum_to_1(weights: Tensor) -> bool:
    """Whether each row sums to 1, but for roundings of half precision."""
    return bool(((weights.double().sum(-1) - 1).abs() <= _ROW_SUM).all())


def weights_alone(
    attended: AttentionRecord, head: int, tokens: tuple[str, ...], read: tuple[str, ...]
) -> AttentionTrace:
    """Return a head as a trace of its weights alone."""
    assert attended.weights is not None
    weights = attended.weights[head]
    told = {key: later(f"models.alone.{key}") for key in ("plain", "meaning")}
    stage = replace(ALL_STAGES["attention_weights"].with_texts(**told), rule=None, sources=())
    table: Table = MappingProxyType({stage.name: stage})
    if read != tokens:
        table = reading_others(table, read)
    return AttentionTrace(table, {stage.name: weights}, tokens, notes_on_rows(weights))


def notes_on_rows(weights: Tensor) -> list[Later]:
    """Return notes on unusual rows ``(..., n_keys)`` of attention weights.

    These are rows that don't sum to 1, or that have negative numbers, or some that aren't finite.
    """
    if not bool(weights.isfinite().all()):
        return [later("models.alone.not_finite", n=int((~weights.isfinite()).sum()))]
    sums = weights.double().sum(-1)
    notes = []
    if not rows_sum_to_1(weights):
        least, most = (written(float(each), _SUM_DIGITS) for each in torch.aminmax(sums))
        notes.append(later("models.alone.sums", n=int(((sums - 1).abs() > _ROW_SUM).sum()), all=sums.numel(),
                           least=least, most=most))  # fmt: skip
    if bool((weights < 0).any()):
        notes.append(later("models.alone.negative", n=int((weights < 0).sum())))
    return notes


def averaged(trace: AttentionTrace, weights: Tensor) -> AttentionTrace:
    """Return attention weights ``(n_heads, n_queries, n_keys)``, averaged over heads, as a trace."""
    told = {key: later(f"models.average.{key}") for key in ("title", "meaning")}
    told |= {"plain": told["meaning"], "short": told["title"]}
    stage = replace(trace.stages["attention_weights"].with_texts(**told), rule=None, sources=())
    made = {"attention_weights": weights.double().mean(0).to(trace.attention_weights.dtype)}
    return AttentionTrace(MappingProxyType({stage.name: stage}), made, trace.tokens)


def with_output(trace: AttentionTrace, w_o: Tensor) -> AttentionTrace:
    """Return a head with its rows of W_o and its output part."""
    context = replace(trace.stages["context"], rule=None, sources=())
    rows, part = ({key: later(f"models.{of}.{key}") for key in _TOLD} for of in ("rows", "part"))
    output = replace(ALL_STAGES["output"].with_texts(**part), sources=("context", "w_o"))
    behind = {"w_o": ALL_STAGES["w_o"].with_texts(**rows), "output": output}
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
        part = name.rpartition("_")[2]  # "q" for w_q, b_q and q
        if part in ("q", "k", "v") and part not in known:
            if name == part:
                table[name], given[name] = replace(stage, rule=None, sources=()), parts.given[part]
        elif name in known:
            table[name] = replace(stage, sources=(inputs[name], *stage.sources[1:]))
            own[name] = known[name].product
            if (norm := known[name].norm) is not None:
                table |= norm_stages(table[name], norm)
                given |= {f"{of}_{name}": tensor for of, tensor in norm.given.items()}
                own[f"{name}_norm"] = norm.made
        elif name.startswith(("w_", "b_")):
            tensor = known[part].weight if name.startswith("w_") else known[part].bias
            assert tensor is not None
            table[name], given[name] = stage, tensor
        elif name.endswith("_rotated"):
            table[name] = replace(stage, rule=turn, sources=_normed(stage.sources, table))
            own[name] = parts.given[name[0]]
        elif name == "scores":
            table[name] = _of_normed(stage, table)
        elif name == "scaled_scores":
            table |= scaled_stages(stage, parts)
        elif name == "attention_weights" and parts.sink is not None:
            table[name] = replace(stage, rule=Softmax(sink=parts.sink))
        elif name == MASK and parts.added is not None:
            added = bias_stage(stage, parts) if parts.bias else stage
            table[added.name], given[added.name] = added, parts.added
        elif name != "x":
            table[name] = stage
    return MappingProxyType(table), _plain(given), _plain(own)


def _normed(sources: tuple[str, ...], table: Mapping[str, Stage]) -> tuple[str, ...]:
    """Return a stage's sources, or their norms if there are any."""
    return tuple(f"{each}_norm" if f"{each}_norm" in table else each for each in sources)


def _of_normed(scores: Stage, table: Mapping[str, Stage]) -> Stage:
    """Return the stage of the scores, of normed queries and keys."""
    sources = _normed(scores.sources, table)
    if sources == scores.sources or scores.rule is None:
        return scores
    product = scores.rule.formula(*(table[each].symbol for each in sources))
    return replace(scores.with_texts(short=later("stages.scores.short", product=product)), sources=sources)


def _plain(matrices: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {name: _in_float32(matrix) for name, matrix in matrices.items()}


def _known(parts: HeadParts) -> dict[str, Projected]:
    """Return the traced parts: queries and keys only if rotated alike."""
    known = {part: each for part, each in parts.projected.items() if each is not None}
    turns = {part: known[part].turn if part in known else None for part in "qk"}
    if turns["q"] != turns["k"]:
        known = {part: each for part, each in known.items() if each.turn is None}
    named = _inputs(known, others=parts.others)
    return {part: each for part, each in known.items() if part in named}


def _inputs(known: Mapping[str, Projected], *, others: bool) -> dict[str, str]:
    """Return each part's input, "x" or "y".

    "y" is any second input, in cross-attention the keys'. A part made from a third input is left out.
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
