"""Boards whose places are kept as text: what Node lays out of them, in windows of many sizes.

The text of a board is kept in tests/js/kept/, and compared by tests/js/geometry.test.js. ``python -m tests.geometry``
writes a page that shows all of them; a board that has changed is shown as it was kept and as it is now.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from pathlib import Path
from typing import Any

from attnviz import Scenario, trace
from attnviz.board.drawn import OF_PLAYGROUND, PRESENTING, drawn_data
from attnviz.published import starting_points

ROOT = Path(__file__).parents[1]
KEPT = ROOT / "tests" / "js" / "kept"
GALLERY = ROOT / "test-results" / "gallery.html"
LONG = "the quick brown fox jumps over the lazy dog while a cat sleeps on the warm mat in bright sun"
WORDS = LONG.split()
# A name that begins with a file's is kept in that file.
SET_UPS: dict[str, dict[str, Any]] = {
    **{f"words {n}": {"text": " ".join(WORDS[:n])} for n in (1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 16, 19)},
    "words 40": {"text": " ".join(f"w{n}" for n in range(40))},
    "language German": {"text": "Die Aufmerksamkeitsgewichte verteilen sich unterschiedlich"},
    "language French": {"text": "l'attention n'est pas distribuée uniformément aujourd'hui"},
    "language Russian": {"text": "кошка сидела на тёплом коврике"},
    "language Chinese": {"text": "我 爱 学习 注意力 机制"},
    "language Arabic": {"text": "القطة تجلس على السجادة الدافئة"},
    "language signs": {"text": "👨‍👩‍👧 = 3 ! ?"},
    "language long": {"text": f"{'W' * 40} cat {'i' * 40}"},
    **{f"features {d_in} {d_out} {d_v or d_out}": {"d_in": d_in, "d_out": d_out, "d_v": d_v}
       for d_in, d_out, d_v in ((1, 1, None), (2, 2, 1), (3, 4, None), (4, 4, 6), (8, 8, None), (8, 2, 16),
                              (64, 64, None))},
    "scale one": {"text": "cat", "d_out": 3},
    "scale two": {"text": "a cat", "causal": True, "d_out": 3},
    "scale three": {"text": "a b c", "causal": True},
    "mask causal": {"causal": True},
    "mask painted": {"masking": "painted"},
    "mask of a window": {"masking": "window", "bias": True},
    "around biases": {"bias": True, "causal": True},
    "around output": {"output": True},
    "around two heads": {"n_heads": 2, "d_out": 4, "output": True},
    "around three heads": {"n_heads": 3, "d_out": 6},
    "around places": {"positions": "sinusoidal", "d_in": 4},
    "around a block": {"d_ff": 4, "norm": "pre", "d_in": 4, "d_out": 4},
    "around all of it": {"d_ff": 4, "positions": "sinusoidal", "n_heads": 2, "d_in": 4, "d_out": 4, "output": True,
                         "bias": True},
    "around another sentence": {"reads": "second"},
}  # fmt: skip


def _scenarios() -> Iterator[tuple[str, Scenario]]:
    yield "words of the opening", starting_points()["fluffy-cat"].scenario
    for name, settings in SET_UPS.items():
        yield name, Scenario(**settings)


def _sent(scenario: Scenario) -> dict[str, Any]:
    """Return what a board is sent, without its numbers: on a page, and while presenting."""
    made = trace(scenario)
    shown = made.for_head(0)
    usual, hall = (drawn_data(scenario, shown, 0, 4, looks, is_current=True) for looks in (OF_PLAYGROUND, PRESENTING))
    kept = (
        "stages",
        "labels",
        "keys",
        "others",
        "shown",
        "features",
        "sentence",
        "says",
        "tells",
        "isCurrent",
        "paints",
    )
    shapes = {name: {each: sent[each] for each in ("rows", "columns")} for name, sent in usual["matrices"].items()}
    return {name: usual[name] for name in kept} | {"shapes": shapes, "ribbons": [usual["ribbons"], hall["ribbons"]]}


@contextmanager
def set_ups() -> Iterator[str]:
    """Give a file from which Node reads all boards."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "boards.json"
        boards = {name: _sent(scenario) for name, scenario in _scenarios()}
        file.write_text(json.dumps(boards), encoding="utf-8")
        yield str(file)


# ---- the page that shows them

_COLOURS = {"q": "#0067b0", "k": "#b54a00", "v": "#00796b", "a": "#7b3fa0", "x": "#4a5565"}
_STYLE = """body { font: 14px sans-serif; margin: 24px } figure { display: inline-block; margin: 0 16px 24px 0 }
svg { border: 1px solid #ccc; display: block } figcaption { max-width: 460px } .now { outline: 3px solid #d00 }"""


def boards_in(text: str) -> dict[str, list[str]]:
    """Return the lines of each board in a kept text, by its name and window."""
    parts = (part.splitlines() for part in re.split(r"^# ", text, flags=re.MULTILINE) if part.strip())
    return {lines[0]: [line for line in lines[1:] if line] for lines in parts}


def drawn(lines: list[str]) -> str:
    """Return a board's text as a picture in SVG: matrices with their cells, and the places of words around them."""
    parts, size = [], "0 0 1 1"
    for line in lines:
        name, *rest = line.split()
        if name == "sentence":
            continue
        x, y, width, height = map(float, rest[:4])
        if name == "board":
            size = f"-2 -2 {width + 4} {height + 4}"
            continue
        place = f"x='{x}' y='{y}' width='{width}' height='{height}'"
        if "cells" not in rest:
            parts.append(f"<rect {place} fill='none' stroke='#bbb' stroke-dasharray='3'><title>{name}</title></rect>")
            continue
        colour = _COLOURS.get(name.removeprefix("w_").removeprefix("b_")[:1], "#4a5565")
        cell, row = float(rest[5]), float(rest[6])
        lines_of = [f"M{x + n * cell} {y}v{height}" for n in range(1, min(64, round(width / cell)))]
        lines_of += [f"M{x} {y + n * row}h{width}" for n in range(1, min(64, round(height / row)))]
        fill = 0.35 if "numbers" in rest else 0.12
        parts.append(
            f"<rect {place} fill='{colour}' fill-opacity='{fill}' stroke='{colour}'><title>{name}</title></rect>"
            f"<path d='{''.join(lines_of)}' stroke='#fff' fill='none'/><text x='{x + 2}' y='{y + 12}' font-size='12'>"
            f"{name}</text>"
        )
    return f"<svg viewBox='{size}' width='460'>{''.join(parts)}</svg>"


def gallery() -> str:
    """Return a page of all kept boards, those first that have changed, with what they are now."""
    first, rest = [], []
    for file in sorted(each for each in KEPT.glob("*.txt") if not each.name.endswith(".now.txt")):
        before, changed = boards_in(file.read_text(encoding="utf-8")), file.with_suffix(".now.txt")
        now = boards_in(changed.read_text(encoding="utf-8")) if changed.exists() else before
        for name in {**now, **before}:
            kept, other = before.get(name, []), now.get(name, [])
            title = f"<figcaption>{escape(name)}</figcaption>"
            if kept == other:
                rest.append(f"<figure>{title}{drawn(kept)}</figure>")
            else:
                first.append(f"<figure>{title}kept{drawn(kept)}</figure><figure class='now'>now{drawn(other)}</figure>")
    head = f"<!doctype html><meta charset='utf-8'><title>Boards</title><style>{_STYLE}</style>"
    return f"{head}<h1>{len(first)} changed</h1>{''.join(first)}<h1>{len(rest)} as kept</h1>{''.join(rest)}"


def main() -> int:
    """Lay out all boards, and write the page."""
    done = subprocess.run([sys.executable, "-m", "tests.node", "--test-name-pattern=as they were kept"], cwd=ROOT,
                          stdout=subprocess.DEVNULL, check=False)  # fmt: skip
    GALLERY.parent.mkdir(exist_ok=True)
    GALLERY.write_text(gallery(), encoding="utf-8")
    print(f"{os.path.relpath(GALLERY)}{': some boards have changed' if done.returncode else ''}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
