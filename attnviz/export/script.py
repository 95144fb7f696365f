"""A scenario as a short PyTorch script or notebook."""

import json
from collections.abc import Sequence
from textwrap import wrap

from attnviz.core.limits import check_type, check_whole
from attnviz.core.masks import USES
from attnviz.core.scenario import Scenario
from attnviz.core.stages import ALL_STAGES, ITSELF, KEPT, SECOND, WEIGHTINGS
from attnviz.export.computation import computed, moved_to_device
from attnviz.export.inputs import (
    MEMORY_TOKENS,
    READ,
    distances,
    has_seeded_vectors,
    kept_mask,
    mask,
    positions,
    vectors,
    vectors_read,
)
from attnviz.export.script_lines import Section, edited, weights
from attnviz.words import say
from attnviz.words.numbers import DEFAULT_DIGITS, MAX_DIGITS, MIN_DIGITS


def as_notebook(heading: str, imports: str, sections: Sequence[Section]) -> str:
    """Return a Jupyter notebook (nbformat 4.5) with a cell for each section."""
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


_OF_READ = {ITSELF: "", SECOND: "_second", KEPT: "_kept"}  # the ends of keys in the catalogue
# Characters of the longest comment that stays on one line, so that a block stays short, and width of longer ones.
_LONGEST, _WIDTH = 220, 118


def pytorch_script(scenario: Scenario, digits: int = DEFAULT_DIGITS) -> str:
    r"""Return a Python script, needing torch alone, that computes this scenario.

    It prints the attention weights, and the matrices after them, with `digits` decimals.

    >>> print(pytorch_script(Scenario("a cat", edits=[("w_q", 0, 1, 0.9)])).splitlines()[-1])
    print("attention_weights", attention_weights, "context", context, sep="\n")
    """
    digits = check_whole("digits", digits, MIN_DIGITS, MAX_DIGITS)
    check_type("scenario", scenario, Scenario, "a Scenario")
    sections = ["\n".join((*_comment(title), *lines)) for title, lines in _sections(scenario, digits)]
    return "\n\n".join((f"# {_heading(scenario)}.", _imports(scenario), *sections)) + "\n"


def _comment(title: str) -> list[str]:
    lines = wrap(title, _WIDTH, break_long_words=False, break_on_hyphens=False) if len(title) > _LONGEST else [title]
    return [f"# {line}" for line in lines]


def notebook(scenario: Scenario, digits: int = DEFAULT_DIGITS) -> str:
    """Return the script as a Jupyter notebook (JSON, nbformat 4.5)."""
    digits = check_whole("digits", digits, MIN_DIGITS, MAX_DIGITS)
    check_type("scenario", scenario, Scenario, "a Scenario")
    return as_notebook(_heading(scenario), _imports(scenario), _sections(scenario, digits))


def _heading(scenario: Scenario) -> str:
    return say(f"share.script.heading{_OF_READ[scenario.reads]}")


def _imports(scenario: Scenario) -> str:
    several = scenario.n_heads > 1 or scenario.n_layers > 1
    lines = ["import hashlib\n"] * has_seeded_vectors(scenario) + ["import torch"]
    return "\n".join(lines + [f"torch.set_num_threads(1)  # {say('share.script.threads')}"] * several)


def _sections(scenario: Scenario, digits: int) -> list[Section]:
    # The sizes come first, with the tokens, because all later lines may use d_k and d_v.
    use, exponential = USES[scenario.mask_use], WEIGHTINGS[scenario.weighting].exponential
    mask_use = "late" if use.late else "factor" if use.times_scores or not exponential else "added"
    shown = [
        (say("share.script.tokens"), [f"tokens = {list(scenario.tokens)!r}", *_second(scenario), _sizes(scenario)]),
        (_vectors_of(scenario), [*vectors(scenario), *vectors_read(scenario)]),
        (say("share.script.places"), positions(scenario)),
        *weights(scenario),
        (say(f"share.script.mask.{mask_use}"), mask(scenario) + kept_mask(scenario)),
        (say("share.script.distances"), distances(scenario)),
        (say("share.script.edits"), edited(scenario)),
        (say("share.script.device"), moved_to_device(scenario)),
        *computed(scenario, digits),
    ]
    return [(title, lines) for title, lines in shown if lines]


def _vectors_of(scenario: Scenario) -> str:
    x, y = (ALL_STAGES[name].symbol for name in (scenario.token_matrix, scenario.read_matrix))
    return say(f"share.script.vectors{_OF_READ[scenario.reads]}", x=x, y=y)


def _second(scenario: Scenario) -> list[str]:
    if scenario.n_memory:
        return [f"{MEMORY_TOKENS} = {list(scenario.second_tokens)!r}", f"{READ} = {MEMORY_TOKENS} + tokens"]
    return [f"{READ} = {list(scenario.read_tokens)!r}"] if scenario.reads_others else []


def _sizes(scenario: Scenario) -> str:
    n = scenario.n_heads
    sizes = {
        "n_heads": n if n > 1 else None, "n_kv_heads": scenario.kv_heads if n > 1 else None,
        "d_in": scenario.d_in, "d_k": scenario.d_out // n, "d_v": scenario.width_of_context // n, "d_ff": scenario.d_ff,
    }  # fmt: skip
    there = {name: str(size) for name, size in sizes.items() if size is not None}
    line = f"{', '.join(there)} = {', '.join(there.values())}"
    return f"{line}  # {say('share.script.sizes')}" if n > 1 else line
