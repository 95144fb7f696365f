"""Script lines that compute and print the result."""

import re
from collections.abc import Sequence
from dataclasses import replace

from attnviz.core.given import ONCE
from attnviz.core.heads import is_of_a_head
from attnviz.core.rules import Rotate, rotation_of
from attnviz.core.rules.rows import ROWS
from attnviz.core.scenario import Scenario, traced
from attnviz.core.scenario.matrices import read_alone, run_alone
from attnviz.core.stages import BLOCKS, BY_DISTANCE, E_MEMORY_SCALED, E_SCALED, MASK, Stage, Table, head_name
from attnviz.core.stages.tables import sizes_of
from attnviz.core.what_if import WhatIf
from attnviz.export.inputs import MEMORY_DISTANCES, MEMORY_MASK, MEMORY_TOKENS, READ, kept_mask
from attnviz.export.rules import HeadsInCode, code, code_at_overflow, code_of_heads, turned
from attnviz.export.script_lines import LAYERS_TO_DEVICE, Section, kept_through_each_layer, through_each_layer
from attnviz.words import plural, say

_MADE_ONCE = tuple(f"{name} = " for name in ("x", "y", E_SCALED, E_MEMORY_SCALED))


def moved_to_device(scenario: Scenario) -> list[str]:
    """Return the lines that move inputs to the device, if it's available."""
    if scenario.device == "cpu":
        return []
    several = scenario.n_layers > 1
    moved = [name for name in scenario.editable if not several or name in ONCE]
    moved += [MEMORY_MASK] * bool(kept_mask(scenario))
    names = ", ".join(moved)
    each = f"{names} = (matrix.to(device) for matrix in ({names}))" if moved[1:] else f"{names} = {names}.to(device)"
    return [
        f'device = "{scenario.device}" if torch.accelerator.is_available() else "cpu"',
        each,
        *[LAYERS_TO_DEVICE] * several,
    ]


def computed(scenario: Scenario, digits: int) -> list[Section]:
    """Return the computation and its printing, layer by layer."""
    at_overflow = _overflows(scenario)
    lines, (settings, *prints) = _computation(scenario.layer, at_overflow), _prints(scenario, digits)
    what = _what_is_computed(scenario)
    if scenario.n_layers == 1:
        return [(what, lines), (_what_is_printed(scenario), [settings, *prints])]
    # The lines about E and P, which only the first layer has.
    before = [line for line in lines if line.startswith(_MADE_ONCE)]
    rest = [line for line in lines if line not in before]
    kept = kept_through_each_layer(scenario, _alone(scenario, at_overflow)) if scenario.n_memory else []
    each = through_each_layer(scenario, [*["y = kept[number]"] * bool(kept), *rest], prints)
    layers = plural(scenario.n_layers, "layer")
    return [(say("share.script.computed.layers", what=what, layers=layers), [settings, *before, *kept, *each])]


_LARGE = 1e38  # a number below it can be doubled in float32


def _overflows(scenario: Scenario) -> bool:
    """Whether a plain line of PyTorch would overflow on some number."""
    made = traced(scenario)
    computed = [(made.stages, made.matrices)]
    if scenario.n_memory and scenario.n_layers > 1:
        alone = read_alone(scenario)
        computed.append((alone.table, run_alone(alone, scenario.given_to_stages[0])))
    return any(
        not bool((matrices[stage.sources[0]].abs() < _LARGE).all())
        for table, matrices in computed
        for name, stage in table.items()
        if stage.rule is not None and code_at_overflow(stage.rule, name, *stage.sources)
    )


def _alone(scenario: Scenario, at_overflow: bool) -> list[str]:
    """Return the lines of one layer that reads the kept sentence alone."""
    alone = read_alone(scenario)
    lines = (line for line in _computation(alone.layer, at_overflow) if not line.startswith(_MADE_ONCE))
    called = {"tokens": MEMORY_TOKENS, "n_tokens": "n_kept", MASK: MEMORY_MASK, BY_DISTANCE: MEMORY_DISTANCES}
    return [re.sub(r"\b(n_tokens|tokens|mask|by_distance)\b", lambda found: called[found[1]], line) for line in lines]


def _what_is_printed(scenario: Scenario) -> str:
    """Say what is printed, and what the weights sum to."""
    weights = next(stage for stage in scenario.layer.values() if stage.makes_shares)
    assert weights.rule is not None
    n_sources = len(weights.sources)
    over = weights.rule.shares_over(n_sources)
    some = over is None or (over == ROWS and not weights.rule.sums_to_1(n_sources))
    return say(f"share.script.printed.{'all' if some else over}")


def _what_is_computed(scenario: Scenario) -> str:
    key, block = "share.script.computed", BLOCKS[scenario.norm]
    what = say(f"{key}.{scenario.reads}")
    if scenario.what_if:
        what = say(f"{key}.what_if", what=what, named=scenario.what_if)
    if scenario.n_heads > 1:
        cut = "heads_by_view" if WhatIf.read(scenario.what_if).by_view else "heads"
        what = say(f"{key}.{cut}", what=what, heads=plural(scenario.n_heads, "head"))
    if scenario.d_ff is not None:
        what = say(f"{key}.feed_forward", what=what)
    return say(f"{key}.{'norms' if block.before or block.after else 'sums'}", what=what) if block.adds else what


def _computation(table: Table, at_overflow: bool) -> list[str]:
    """Return the lines of all rules with result shapes, heads together.

    If numbers overflow, some rules need one more line.
    """
    lines, sizes = [], sizes_of(table)
    # Everything after the context is as wide as the context.
    called = {name: f"n_{name}" for name in ("tokens", "queries", "keys", "kept")} | {"d_model": sizes["context"][1]}
    for name, stage in table.items():
        if stage.rule is None or stage.head:
            continue
        own = _code(table, name, stage, at_overflow)
        made = max(i for i, line in enumerate(own) if line.startswith(f"{_called(table, name)} ="))
        shape = ", ".join(called.get(size, size) for size in sizes[name])
        heads = "n_heads, " if stage.head is not None else ""
        what = f": {say('share.script.scores')}" if (stage.rows, stage.columns) == ("query", "key") else ""
        lines += [*own[:made], f"{own[made]}  # ({heads}{shape}){what}", *own[made + 1 :]]
    return lines


def _code(table: Table, name: str, stage: Stage, at_overflow: bool) -> list[str]:
    """Return the lines of a rule, for all heads at once."""
    rule = stage.rule
    assert rule is not None
    if rotation := rotation_of(rule):
        return _turned(table, name, stage, rotation)
    target, names = _called(table, name), [_called(table, source) for source in stage.sources]
    if at_overflow and (lines := code_at_overflow(rule, target, *names)):
        return lines
    if stage.head is None and not is_of_a_head(stage.sources[0]):
        return code(rule, target, *names)
    rows, whole = f"len({READ})" if stage.is_of_others else "len(tokens)", head_name(1, stage.sources[0])
    repeated = whole in table and table[whole].first == stage.first  # several heads read the same source
    n_heads = "n_heads" if stage.part == "q" else "n_kv_heads"
    return code_of_heads(rule, HeadsInCode(rows, n_heads, repeated), target, *names)


def _turned(table: Table, name: str, stage: Stage, rule: Rotate) -> list[str]:
    """Return the lines that rotate queries or keys by their positions."""
    rotated = [each for each in table.values() if rotation_of(each.rule)]
    target, source = _called(table, name), _called(table, stage.sources[0])
    turns = turned(rule, target, source, rule.place)
    if rotated[0] is not stage:
        return turns
    read = _called(table, rotated[1].sources[0]) if rule.place else source
    return [*code(replace(rule, place=0), target, read)[: -len(turns)], *turns]


def _called(table: Table, name: str) -> str:
    """Return a matrix's name in the script; heads share one name."""
    own = name.split(".")[-1]
    return f"{own}_of_heads" if own != name and own in table else own


def _prints(scenario: Scenario, digits: int) -> list[str]:
    attended = ["attention_weights", "context", *["output"] * scenario.output]
    behind = [*["feed_forward"] * (scenario.d_ff is not None), *list(scenario.layer)[-1:] * BLOCKS[scenario.norm].adds]
    return [
        f'torch.set_printoptions(precision={digits}, sci_mode=False, linewidth=160, threshold=float("inf"))',
        *(_print(shown) for shown in (attended, behind) if shown),
    ]


def _print(shown: Sequence[str]) -> str:
    """Return a line that prints matrices, each below its name."""
    named = ", ".join(f'"{name}", {name}' for name in shown)
    return f'print({named}, sep="\\n")'
