"""A scenario as a short script in plain PyTorch, and the same as a notebook."""

import json
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from attnviz.core.heads import is_of_a_head
from attnviz.core.layers import OF_TOKENS, placed
from attnviz.core.limits import MAX_TOKENS
from attnviz.core.mask_uses import ZEROED
from attnviz.core.matrix_input import FILLS, RANDOM_FILL
from attnviz.core.published_matrices import PUBLISHED_VECTORS
from attnviz.core.rules import Concatenate, Relative, Slice
from attnviz.core.rules.softmax import COLUMNS
from attnviz.core.scenario import Scenario
from attnviz.core.seeding import INITIALIZATIONS, alibi_slopes, distance_seed, position_seed, second_seed
from attnviz.core.sizes import sizes_of
from attnviz.core.stages import (
    ALL_STAGES,
    BIASES,
    BY_DISTANCE,
    E_SCALED,
    GAINS,
    KEPT,
    LAYERS,
    MASK,
    NORMS,
    OUTPUT,
    SECOND,
    VECTORS,
    Stage,
    Table,
    Y,
    head_name,
)
from attnviz.core.what_if import SOFTMAX, WhatIf
from attnviz.export.stack_code import LAYERS_TO_DEVICE, in_each_layer, place_of, through_each_layer
from attnviz.words import plural
from attnviz.words.numbers import DEFAULT_DIGITS

_WEIGHTS = ("w_q", "w_k", "w_v")
_LISTED = 8  # edits written line by line
_READ, _KEPT = "read_tokens", "kept_tokens"

Section = tuple[str, list[str]]  # what it does, and its lines


def pytorch_script(scenario: Scenario, digits: int = DEFAULT_DIGITS) -> str:
    """Return a Python script that needs torch alone, computes this scenario and prints the attention weights,
    the context vectors and the feed-forward outputs, where there are any, with so many decimals.

    >>> print(pytorch_script(Scenario("a cat", edits=[("w_q", 0, 1, 0.9)])).splitlines()[-1])
    print(context)
    """
    sections = ["\n".join((f"# {title}", *lines)) for title, lines in _sections(scenario, digits)]
    return "\n\n".join((f"# {_heading(scenario)}.", _imports(scenario), *sections)) + "\n"


def notebook(scenario: Scenario, digits: int = DEFAULT_DIGITS) -> str:
    """Return the same script as a Jupyter notebook (JSON, nbformat 4.5), a cell for each of its parts."""
    return as_notebook(_heading(scenario), _imports(scenario), _sections(scenario, digits))


def _heading(scenario: Scenario) -> str:
    if scenario.reads == KEPT:
        return "Self-attention with a kept sentence in plain PyTorch"
    return f"{'Cross' if scenario.reads_others else 'Self'}-attention in plain PyTorch"


def as_notebook(heading: str, imports: str, sections: Sequence[Section]) -> str:
    """Return a Jupyter notebook (JSON, nbformat 4.5) with a cell for the imports and for each section."""
    cells = [_cell(0, "markdown", f"# {heading}"), _cell(1, "code", imports)]
    for title, lines in sections:
        cells += [_cell(len(cells), "markdown", title), _cell(len(cells) + 1, "code", "\n".join(lines))]
    metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": cells}, indent=1)


def _cell(number: int, kind: str, source: str) -> dict[str, object]:
    cell: dict[str, object] = {"id": f"cell-{number}", "cell_type": kind, "metadata": {}, "source": source}
    return cell | ({"execution_count": None, "outputs": []} if kind == "code" else {})


def _imports(scenario: Scenario) -> str:
    return "import hashlib\n\nimport torch" if _has_seeded_vectors(scenario) else "import torch"


def _sections(scenario: Scenario, digits: int) -> list[Section]:
    # Before d_k and d_v are said, no line may need them: tokens and X come first.
    shown = [
        ("The sentence, token by token", [f"tokens = {list(scenario.tokens)!r}", *_second(scenario), _sizes(scenario)]),
        (f"{ALL_STAGES[scenario.token_matrix].symbol}: a vector for each token", _vectors(scenario)),
        (f"Y: a vector for each token that {'was kept' if scenario.n_kept else 'is read'}", _vectors_read(scenario)),
        ("P: a vector for each place", _positions(scenario)),
        *_weights(scenario),
        ("M: the mask, added to the scores", _mask(scenario)),
        ("D: a number for each distance of two tokens, in each head", _distances(scenario)),
        ("Cells edited by hand", _edits(scenario)),
        ("On its device", _device(scenario)),
        *_computed(scenario, digits),
    ]
    return [(title, lines) for title, lines in shown if lines]


def _second(scenario: Scenario) -> list[str]:
    if scenario.n_kept:
        return [f"{_KEPT} = {list(scenario.second_tokens)!r}", f"{_READ} = {_KEPT} + tokens"]
    return [f"{_READ} = {list(scenario.read_tokens)!r}"] if scenario.reads_others else []


def _sizes(scenario: Scenario) -> str:
    n = scenario.n_heads
    sizes = {
        "n_heads": n if n > 1 else None, "n_kv_heads": scenario.kv_heads if n > 1 else None,
        "d_in": scenario.d_in, "d_k": scenario.d_out // n, "d_v": scenario.width_of_context // n, "d_ff": scenario.d_ff,
    }  # fmt: skip
    there = {name: str(size) for name, size in sizes.items() if size is not None}
    line = f"{', '.join(there)} = {', '.join(there.values())}"
    return f"{line}  # d_k and d_v are those of each head" if n > 1 else line


class _Widths(NamedTuple):
    """How wide the matrices are, as the script writes it; `drawn_v` as the set-up draws W_v, which may be replaced."""

    q: str
    k: str
    drawn_v: str
    context: str


def _widths(scenario: Scenario) -> _Widths:
    widths = _Widths("d_k", "d_k", "d_v", "d_v")
    if scenario.n_heads > 1:
        widths = _Widths("n_heads * d_k", "n_kv_heads * d_k", "n_kv_heads * d_v", "n_heads * d_v")
    is_drawn = scenario.drawn_d_v == scenario.shape_of("w_v")[1]
    return widths if is_drawn else widths._replace(drawn_v=str(scenario.drawn_d_v))


# The vectors of the tokens, and of their places


def _has_seeded_vectors(scenario: Scenario, *names: str) -> bool:
    """Whether any of these matrices of tokens, or any at all, holds vectors that are made from a seed and a token."""
    if scenario.embedding == "table":
        return False
    of_tokens = names or (scenario.token_matrix, *[Y] * scenario.reads_others)
    return any(
        getattr(scenario, name) is None
        and not all(scenario.is_published(row, name) for row in range(len(scenario.tokens_of(name))))
        for name in of_tokens
    )


def _vectors(scenario: Scenario) -> list[str]:
    return _vectors_of(scenario, scenario.token_matrix, "tokens", scenario.seed)


def _vectors_read(scenario: Scenario) -> list[str]:
    if not scenario.reads_others:
        return []
    defined = _has_seeded_vectors(scenario, scenario.token_matrix)
    return _vectors_of(scenario, Y, _KEPT if scenario.n_kept else _READ, second_seed(scenario.seed), defined)


def _vectors_of(scenario: Scenario, x: str, tokens: str, seed: int, defined: bool = False) -> list[str]:
    """Return the lines that make a matrix of the vectors of these tokens; what makes one may be `defined` before."""
    if getattr(scenario, x) is not None:
        return _replaced(scenario, x)
    if scenario.embedding == "table":
        return [
            f"ids = {{token: i for i, token in enumerate(sorted(set({tokens})))}}",
            f"torch.manual_seed({seed})",
            "embedding = torch.nn.Embedding(len(ids), d_in)",
            f"{x} = embedding.weight.detach()[[ids[token] for token in {tokens}]]",
        ]
    own = scenario.tokens_of(x)
    published = dict.fromkeys(token for row, token in enumerate(own) if scenario.is_published(row, x))
    if not _has_seeded_vectors(scenario, x):
        rows = (f"    {_numbers(PUBLISHED_VECTORS[token])},  # {token!r}" for token in own)
        return [f"{x} = torch.tensor([", *rows, "])"]
    lines: list[str] = []
    if published:
        entries = (f"    {token!r}: {_numbers(PUBLISHED_VECTORS[token])}," for token in published)
        lines = ["published = {", *entries, "}", *([] if defined else ["", ""])]
    vector = "torch.tensor(published[token]) if token in published else seeded_vector(token)"
    return [
        *lines,
        *([] if defined else _seeded_vectors(scenario)),
        f"{x} = torch.stack([{vector if published else 'seeded_vector(token)'} for token in {tokens}])",
    ]


def _numbers(row: Sequence[float]) -> str:
    """Write float32 numbers in as few digits as tell them apart."""
    return f"[{', '.join(map(_number, row))}]"


def _number(value: float) -> str:
    return str(np.float32(value)) if math.isfinite(value) else f'float("{value}")'


def _seeded_vectors(scenario: Scenario) -> list[str]:
    return [
        "def seeded_vector(token):  # standard normal, the same for the same token",
        f'    text = f"{scenario.seed}/{{d_in}}/{{token}}".encode("utf-8", "surrogatepass")',
        '    seed = int.from_bytes(hashlib.sha256(text).digest()[:4], "big")',
        "    return torch.randn(d_in, generator=torch.Generator().manual_seed(seed))",
        "",
        "",
    ]


def _positions(scenario: Scenario) -> list[str]:
    if not scenario.adds_positions:
        return []
    if scenario.p is not None:
        return _replaced(scenario, "p")
    if scenario.positions == "sinusoidal":
        return [
            "place = torch.arange(len(tokens), dtype=torch.float64)[:, None]",
            "feature = torch.arange(d_in, dtype=torch.float64)",
            "angle = place / 10000 ** (2 * (feature // 2) / d_in)",
            "p = torch.where(feature % 2 == 0, angle.sin(), angle.cos()).float()",
        ]
    return [
        f"torch.manual_seed({position_seed(scenario.seed)})  # made from seed {scenario.seed}, for P alone",
        f"p = torch.nn.Embedding({MAX_TOKENS}, d_in).weight.detach()[: len(tokens)].clone()",
    ]


def _mask(scenario: Scenario) -> list[str]:
    if MASK not in scenario.editable:
        return []
    if scenario.mask is not None:
        return _replaced(scenario, MASK)
    return _mask_drawn(scenario.masked_as, scenario.mask_size, _read(scenario), scenario.n_kept)


def _read(scenario: Scenario) -> str:
    """Return what the script calls the tokens that are read."""
    return _READ if scenario.reads_others else "tokens"


def _mask_drawn(kind: str, size: int, read: str, n_kept: int) -> list[str]:
    """Return the lines of PyTorch that draw the same, for a list of `tokens`, and one of those that are `read`, the
    first of which may have been kept."""
    full = f'torch.full((len(tokens), len({read})), float("-inf"))'
    if kind == "causal":
        return [f"mask = {full}.triu({n_kept + 1})  # no token reads a later one"]
    if kind == "window":
        return [
            f"mask = {full}",
            f"mask = mask.triu({n_kept + 1}) + mask.tril({n_kept - size})  # each token reads the last {size}",
        ]
    zeros = f"mask = torch.zeros(len(tokens), len({read}))"
    if kind == "padding":
        return [zeros, f'mask[:, -{size}:] = float("-inf")  # the last {size} are read by none']
    if kind == "not-self":
        if n_kept:
            return [zeros, f'mask.diagonal({n_kept}).fill_(float("-inf"))  # none reads itself']
        return [f'{zeros}.fill_diagonal_(float("-inf"))  # none reads itself']
    return [zeros]


def _distances(scenario: Scenario) -> list[str]:
    if BY_DISTANCE not in scenario.editable:
        return []
    if scenario.by_distance is not None:
        return _replaced(scenario, BY_DISTANCE)
    n, read = scenario.n_heads, _read(scenario)
    if scenario.positions == "relative":
        return [
            f"torch.manual_seed({distance_seed(scenario.seed)})  # made from seed {scenario.seed}, for D alone",
            f"table = torch.nn.Embedding({2 * MAX_TOKENS - 1}, {n}).weight.detach()",
            f"by_distance = table[{MAX_TOKENS} - len({read}) : {MAX_TOKENS - 1} + len({read})].T.clone()",
        ]
    slopes = ", ".join(repr(slope) for slope in alibi_slopes(n).tolist())
    return [
        f"slopes = torch.tensor([{slopes}])  # as ALiBi prescribes",
        f"distance = torch.arange(1 - len({read}), len({read})).abs()",
        "by_distance = -slopes[:, None] * distance",
    ]


# W_q, W_k, W_v and the biases, W_1, W_2 and theirs


def _weights(scenario: Scenario) -> list[Section]:
    names = [name for name in scenario.editable if name not in OF_TOKENS]
    title = "The projections" if scenario.d_ff is None else "The projections and the layers"
    given = [line for name in names if not _is_drawn(scenario, name) for line in _replaced(scenario, name)]
    own = [name for name in names if not placed(name)[0]]
    if scenario.n_layers > 1:
        drawn = [*_norms(own), *_draw(scenario)]
        return [
            (
                "The layers: all have the same matrices"
                if scenario.same_layers
                else "The layers: each has matrices of its own",
                in_each_layer(scenario, own, drawn) + given,
            )
        ]
    lines = _norms([name for name in own if _is_drawn(scenario, name)])
    if any(_is_drawn(scenario, name) for name in names if name not in NORMS):
        lines += [f"torch.manual_seed({scenario.seed})", *_draw(scenario)]
    return [(title, lines + given)]


def _norms(names: list[str]) -> list[str]:
    return [
        f"{name} = torch.{'ones' if name in GAINS else 'zeros'}(d_in)" for name in names if name in NORMS
    ]  # fmt: skip


def _is_drawn(scenario: Scenario, name: str) -> bool:
    if scenario.replacement(name) is not None:
        return False
    # A bias whose matrix was given another width than the set-up draws.
    return name != "b_v" or scenario.shape_of("b_v")[1] == scenario.drawn_d_v


def _draw(scenario: Scenario, only: str | None = None) -> list[str]:
    """Return the lines that draw all projections and layers in the order of PyTorch's numbers, and keep all or one."""
    widths = _widths(scenario)[:3]
    init = INITIALIZATIONS[scenario.init]
    if init.as_layer:
        kept = ("linear_q", "linear_k", "linear_v")
        lines = [
            f"{name} = torch.nn.Linear(d_in, {width}, bias={scenario.bias})"
            for name, width in zip(kept, widths, strict=True)
        ]
        for name, linear in zip(_WEIGHTS, kept, strict=True):
            if only in (None, name):
                lines.append(f"{name} = {linear}.weight.detach().T.contiguous()")
        for name, linear in zip(BIASES, kept, strict=True):
            if scenario.bias and only in (None, name):
                lines.append(f"{name} = {linear}.bias.detach()")
        return lines + _draw_behind(scenario, only)
    drawn = zip(_WEIGHTS, widths, strict=True)
    lines = [f"{name if only in (None, name) else '_'} = {init.code('d_in', width)}" for name, width in drawn]
    for name, width in zip(BIASES, widths, strict=True):
        if scenario.bias and only in (None, name):
            lines.append(f"{name} = torch.zeros({width})")
    return lines + _draw_behind(scenario, only)


def _draw_behind(scenario: Scenario, only: str | None) -> list[str]:
    """Return the lines that draw what stands behind the projections, where it is there and needed for `only`."""
    width = _widths(scenario).context
    drawn = [("o", f"{width}, {width}", OUTPUT)] if scenario.output else []
    if scenario.d_ff is not None:
        drawn += [("1", f"{width}, d_ff", LAYERS[:2]), ("2", f"d_ff, {width}", LAYERS[2:])]
    last = next((i for i, (*_, names) in enumerate(drawn) if only in names), len(drawn) if only is None else -1)
    lines: list[str] = []
    for each in drawn[: last + 1]:  # what is drawn later changes nothing
        lines += _draw_layer(scenario, *each, only)
    return lines


def _draw_layer(scenario: Scenario, letter: str, size: str, names: tuple[str, ...], only: str | None) -> list[str]:
    init, (w, b) = INITIALIZATIONS[scenario.init], names
    lines: list[str] = []
    if init.as_layer:
        layer = f"linear_{letter}"
        lines.append(f"{layer} = torch.nn.Linear({size})")
        drawn = {w: f"{layer}.weight.detach().T.contiguous()", b: f"{layer}.bias.detach()"}
    else:
        drawn = {w: init.code(size), b: f"torch.zeros({size.rpartition(', ')[2]})"}
    for name, value in drawn.items():
        if only in (None, name):
            lines.append(f"{name} = {value}")
        elif name == w and not init.as_layer:
            lines.append(f"_ = {value}")
    return lines


def _replaced(scenario: Scenario, name: str) -> list[str]:
    """Return the lines that make what stands in place of a drawn matrix."""
    own, target = placed(name)[1], place_of(scenario, name)
    lines = _given(scenario, name, own)
    return [f"{target}{line.removeprefix(own)}" if line.startswith(f"{own} = ") else line for line in lines]


def _given(scenario: Scenario, called: str, name: str) -> list[str]:
    """Return the same lines for a matrix of a layer, under its name there."""
    by = scenario.replacement(called)
    n_rows, n_columns = scenario.shape_of(name)
    size = f"{n_columns}" if name in VECTORS else f"{n_rows}, {n_columns}"
    if by in FILLS and not (by == "identity" and name in VECTORS):
        return [f"{name} = torch.{'eye' if by == 'identity' else 'zeros'}({size})"]
    if isinstance(by, str) and by.startswith(RANDOM_FILL) and name not in VECTORS:
        seed = f"torch.manual_seed({by.removeprefix(RANDOM_FILL)})"
        if name in (scenario.token_matrix, Y, "p", MASK, BY_DISTANCE):
            return [seed, f"{name} = torch.randn({size})"]
        if scenario.drawn_d_v == scenario.shape_of("w_v")[1]:
            return [f"{seed}  # for {ALL_STAGES[name].symbol} alone", *_draw(scenario, name)]
    rows = scenario.unedited(called).tolist()
    if name in VECTORS:
        return [f"{name} = torch.tensor({_numbers(rows[0])})"]
    return [f"{name} = torch.tensor([", *(f"    {_numbers(row)}," for row in rows), "])"]


def _in_full(value: float) -> str:
    return repr(value) if math.isfinite(value) else _number(value)


def _edits(scenario: Scenario) -> list[str]:
    called = {edit.matrix: place_of(scenario, edit.matrix) for edit in scenario.edits}
    vectors = {name for name in called if placed(name)[1] in VECTORS}
    cells = [
        (f"{called[name]}[{column if name in vectors else f'{row}, {column}'}]", value)
        for name, row, column, value in scenario.edits
    ]
    if len(cells) <= _LISTED:
        return [f"{cell} = {_in_full(value)}" for cell, value in cells]
    lines = []
    for name in dict.fromkeys(edit.matrix for edit in scenario.edits):
        edits = [edit for edit in scenario.edits if edit.matrix == name]
        place = "column" if name in vectors else "row, column"
        listed = f"{name.replace('.', '_')}_edits"
        cells_of = [f"    ({edit.row}, {edit.column}, {_in_full(edit.value)})," for edit in edits]
        lines += [f"{listed} = [", *cells_of, "]"]
        lines += [f"for row, column, value in {listed}:", f"    {called[name]}[{place}] = value"]
    return lines


# The computation


def _device(scenario: Scenario) -> list[str]:
    if scenario.device == "cpu":
        return []
    several = scenario.n_layers > 1
    moved = [name for name in scenario.editable if not several or name in OF_TOKENS]
    names = ", ".join(moved)
    each = f"{names} = (matrix.to(device) for matrix in ({names}))" if moved[1:] else f"{names} = {names}.to(device)"
    return [
        f'device = "{scenario.device}" if torch.accelerator.is_available() else "cpu"',
        each,
        *[LAYERS_TO_DEVICE] * several,
    ]


def _computed(scenario: Scenario, digits: int) -> list[Section]:
    """Return the computation and what is printed of it; of several layers, one after the other."""
    lines, (settings, *prints) = _computation(scenario.layer), _prints(scenario, digits)
    what = _what_is_computed(scenario)
    if scenario.n_layers == 1:
        return [(what, lines), (_what_is_printed(scenario), [settings, *prints])]
    before = [
        line for line in lines if line.startswith(("x = ", f"{E_SCALED} = "))
    ]  # of E and P, which the first layer alone gets
    each = through_each_layer(scenario, [line for line in lines if line not in before], prints)
    called = plural(scenario.n_layers, "layer")
    return [(f"{what}. {called} of it: what one makes is the next one's X", [settings, *before, *each])]


def _what_is_printed(scenario: Scenario) -> str:
    over = WhatIf.read(scenario.what_if).get(SOFTMAX)
    if over:
        return f"The attention weights of {'each column' if over == COLUMNS else 'the whole matrix'} sum to 1"
    masked_late = scenario.mask_use == ZEROED and MASK in scenario.editable
    return "The attention weights and what they make" if masked_late else "Each row of attention weights sums to 1"


def _what_is_computed(scenario: Scenario) -> str:
    read = {SECOND: " to the second sentence", KEPT: " to the kept sentence and to this one"}
    attention = "Scaled dot-product attention" + read.get(scenario.reads, "")
    if scenario.what_if:
        attention = f"Scaled dot-product attention with what it doesn't do ({scenario.what_if})"
    if scenario.n_heads > 1:
        attention = f"{attention} in {plural(scenario.n_heads, 'head')}, each with columns of its own of Q, K and V"
    whole = attention if scenario.d_ff is None else f"{attention}, then the feed-forward step, for each token alone"
    block = {"none": "", "sums": ": a block with residual sums"}
    return whole + block.get(scenario.norm, ": a block with residual sums and layer norms")


def _computation(table: Table) -> list[str]:
    """Return the lines of every rule, with the shape that each makes; those of the first head compute all at once."""
    lines, sizes = [], sizes_of(table)
    # What comes behind it is as wide as the context.
    called = {name: f"n_{name}" for name in ("tokens", "queries", "keys", "kept")} | {"d_model": sizes["context"][1]}
    for name, stage in table.items():
        if stage.rule is None or stage.head:
            continue
        code = _code(table, name, stage)
        made = next(i for i, line in enumerate(code) if line.startswith(f"{_called(table, name)} ="))
        shape = ", ".join(called.get(size, size) for size in sizes[name])
        heads = "n_heads, " if stage.head is not None else ""
        what = ": query, key" if (stage.rows, stage.columns) == ("query", "key") else ""
        lines += [*code[:made], f"{code[made]}  # ({heads}{shape}){what}", *code[made + 1 :]]
    return lines


def _code(table: Table, name: str, stage: Stage) -> list[str]:
    """Return the lines of a rule; for heads those that compute all of them, along a first dimension."""
    rule = stage.rule
    assert rule is not None
    if isinstance(rule, Slice) and stage.head is not None:
        (whole,) = stage.sources
        n_heads = "n_heads" if whole == "q" else "n_kv_heads"
        cut = _called(table, name)
        rows = f"len({_READ})" if stage.is_of_others else "len(tokens)"
        lines = [f"{cut} = {whole}.view({rows}, {n_heads}, -1).transpose(0, 1)"]
        if table[head_name(1, whole)].first == stage.first:  # several heads read the same
            lines.append(f"{cut} = {cut}.repeat_interleave(n_heads // n_kv_heads, dim=0)")
        return lines
    if isinstance(rule, Concatenate) and is_of_a_head(stage.sources[0]):
        return [f"{name} = {_called(table, stage.sources[0])}.transpose(0, 1).flatten(1)"]
    if isinstance(rule, Relative) and stage.head is not None:
        return rule.lines(":", _called(table, name), *(_called(table, source) for source in stage.sources))
    return rule.code(_called(table, name), *(_called(table, source) for source in stage.sources))


def _called(table: Table, name: str) -> str:
    """Return what the script calls a matrix: of heads, the name that all of them have together."""
    own = name.split(".")[-1]
    return f"{own}_of_heads" if own != name and own in table else own


def _prints(scenario: Scenario, digits: int) -> list[str]:
    shown = {"attention weights": "attention_weights", "context": "context"}
    if scenario.output:
        shown["output"] = "output"
    if scenario.d_ff is not None:
        shown["feed-forward output"] = "feed_forward"
    if scenario.norm != "none":
        shown["block"] = list(scenario.layer)[-1]
    return [
        f'torch.set_printoptions(precision={digits}, sci_mode=False, linewidth=160, threshold=float("inf"))',
        *(line for title, name in shown.items() for line in (f'print("{title}")', f"print({name})")),
    ]
