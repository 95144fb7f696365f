"""What a notebook shows of a scenario and of a trace: pictures, and a board that computes by itself."""

import html

from attnviz.core.attention import AttentionTrace
from attnviz.core.rules import in_rows
from attnviz.core.scenario import Scenario, traced
from attnviz.core.trace import Trace
from attnviz.documents.board_page import board_page
from attnviz.documents.report import trace_markup
from attnviz.documents.text_tables import tables
from attnviz.explanation.latex import symbol_in_latex
from attnviz.export import matrix_names
from attnviz.words.numbers import DEFAULT_DIGITS, written

LIVE = 64  # tokens of a board that stands in a notebook, where each takes its room in the file
_IN_LATEX = 16  # rows and columns
_TOLD = ("attention_weights", "context")


def shown_in_notebook(shown: Scenario | Trace) -> dict[str, str]:
    """Return what a notebook may choose from, by its kind: numbers as text, the weights and what comes of them in
    LaTeX, and pictures with a board in a frame, which a notebook that isn't trusted leaves out.

    >>> sorted(shown_in_notebook(Scenario("a cat")))
    ['text/html', 'text/latex', 'text/plain']
    """
    trace = traced(shown) if isinstance(shown, Scenario) else shown
    if not isinstance(trace, AttentionTrace):
        return {"text/plain": repr(trace)}
    if trace.layers[-1].context.dim() != 2:  # of a batch
        return {"text/plain": repr(trace), "text/html": trace_markup(trace)}
    names = [name for name in matrix_names(trace) if name.rpartition(".")[2] in _TOLD]
    bundle = {"text/plain": "\n\n".join(tables(trace, DEFAULT_DIGITS, names)), "text/html": trace_markup(trace)}
    if max(size for name in names for size in trace[name].shape) <= _IN_LATEX:
        bundle["text/latex"] = "\n".join(_in_latex(trace, name) for name in names)
    if len(trace.read_tokens) <= LIVE and (live := _live(shown if isinstance(shown, Scenario) else trace)):
        bundle["text/html"] += live
    return bundle


def _live(shown: Scenario | AttentionTrace) -> str:
    try:
        page = board_page(shown)
    except ValueError:  # a matrix that no board draws
        return ""
    return f'<iframe srcdoc="{html.escape(page)}" width="100%" height="720" style="border: 0"></iframe>'


def _in_latex(trace: AttentionTrace, name: str) -> str:
    rows = (" & ".join(map(_number, row)) for row in in_rows(trace[name].cpu()).tolist())
    cells = " \\\\\n".join(rows)
    stage = trace.stages[name]
    symbol = symbol_in_latex(stage.symbol) + ("" if stage.head is None else f"_{{{stage.number}}}")
    return f"$$ {symbol} = \\begin{{bmatrix}}\n{cells}\n\\end{{bmatrix}} $$"


def _number(value: float) -> str:
    text = written(value, DEFAULT_DIGITS).replace("−", "-")
    return text.replace("∞", r"\infty") if "∞" in text else rf"\text{{{text}}}" if text == "NaN" else text
