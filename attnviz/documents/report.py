"""Reports of a computation: one printable HTML page, without any script."""

import html

from attnviz.colours.palette import ROLES
from attnviz.core.attention import AttentionTrace
from attnviz.core.changes import changes_of
from attnviz.core.limits import check_type, check_whole
from attnviz.core.scenario import SETTINGS, Scenario
from attnviz.core.stages import ITSELF, KEPT, SECOND
from attnviz.core.tokens import visible
from attnviz.documents.matrices import html_thumbnail, matrix_markup
from attnviz.documents.page import paragraphs, printed_page
from attnviz.explanation.numbers_from import numbers_in_words, vectors_in_words
from attnviz.explanation.origins import edits_in_words, replaced_in_words, setting_in_words
from attnviz.explanation.summary import attends_most, out_of_the_ordinary
from attnviz.export import matrix_names, pytorch_script
from attnviz.figures.heatmap import about_of, formula_in
from attnviz.figures.picture import Picture, picture
from attnviz.words import plural, say
from attnviz.words.numbers import DEFAULT_DIGITS, MAX_DIGITS, MIN_DIGITS

_ALWAYS = {"tokenizer", "embedding", "d_in", "d_out", "d_v", "init", "seed", "bias", "causal", "scale", "temperature",
           "device"}  # fmt: skip
_LISTED_CHANGES = 12
_LISTED_QUERIES = 16
_STYLE = """
h2 { font-size: 15px; margin: 0 0 2px; }
.about { color: #5b626b; font-size: 12px; }
.matrices { display: flex; flex-wrap: wrap; gap: 18px 28px; margin: 14px 0; }
section { break-inside: avoid; overflow-x: auto; max-width: 100%; min-width: 150px; }
/* A matrix is as wide as its cells are: its words take more lines, and more matrices stand beside each other. */
section > :is(h2, p) { width: 0; min-width: 100%; }
table { font-size: 13px; }
.attending { columns: 28em auto; margin: 10px 0; }
.attending p { margin: 0 0 4px; break-inside: avoid; }
@page { margin: 10mm; }
@media print {
  body { font-size: 10.5px; line-height: 1.3; }
  h1 { font-size: 16px; }
  h2 { font-size: 12px; break-after: avoid; }
  p { margin: 1px 0; }
  .matrices { gap: 7px 18px; margin: 6px 0; }
  section { overflow: visible; min-width: 138px; }
  .about, table { font-size: 9px; }
  td, th { padding: 0 4px !important; }
  .attending { columns: 2; margin: 4px 0; }
  .attending p { margin: 0 0 1px; }
  pre { columns: 2; font-size: 7px; line-height: 1.1; margin: 2px 0; padding: 4px; }
}
"""


def report(scenario: Scenario | str, trace: AttentionTrace, *, digits: int = DEFAULT_DIGITS) -> str:
    """Return a whole computation as a printable HTML page.

    It contains the set-up, every matrix with its formula and numbers, what each token reads most, and the same as a
    script. `trace` is the scenario's own, and numbers have `digits` decimals. Matrices of more than 16 rows or columns
    are pictures, because their numbers would not fit.

    >>> from attnviz.core.scenario import trace
    >>> "<h1>Self-attention of: a cat</h1>" in report(Scenario("a cat"), trace(Scenario("a cat")))
    True
    """
    if isinstance(scenario, str):
        scenario = Scenario(scenario)
    check_type("scenario", scenario, Scenario, "a Scenario or a text")
    check_type("trace", trace, AttentionTrace, "what attnviz.trace returns for the scenario")
    digits = check_whole("digits", digits, MIN_DIGITS, MAX_DIGITS)
    matrices = "\n".join(section(trace, name, digits) for name in matrix_names(trace))
    sentence, second = visible_text(scenario.text), visible_text(scenario.second)
    titles = {ITSELF: "report.title", SECOND: "report.title_second", KEPT: "report.title_kept"}
    title = say(titles[scenario.reads], sentence=sentence, second=second)
    vectors = vectors_in_words(scenario).replace(" (double rim)", "")  # only the app draws a double rim
    set_up = paragraphs([_set_up(scenario), vectors, *_changes(scenario, digits), *trace.notices])
    return report_page(
        title,
        f"""{set_up}
{paragraphs(out_of_the_ordinary(trace))}
<div class="matrices">
{matrices}
</div>
<div class="attending">
{paragraphs(_attending(scenario, trace, digits))}
</div>
<h2>{html.escape(say("report.code"))}</h2>
<pre>{html.escape(pytorch_script(scenario, digits))}</pre>""",
    )


def report_page(title: str, body: str) -> str:
    """Return a report with a title, which names attnviz at its end."""
    return printed_page(title, _STYLE, f'{body}\n<p class="about">{html.escape(say("report.made"))}</p>')


def visible_text(text: str) -> str:
    """Return a text with its invisible characters shown; see :func:`attnviz.core.tokens.visible`."""
    return " ".join(visible(word) for word in text.split())


def _set_up(scenario: Scenario) -> str:
    """Return the settings that decide the numbers, optional ones if used."""
    plain = Scenario()
    on = {name for name in SETTINGS if getattr(scenario, name) != getattr(plain, name)} | _ALWAYS
    on |= {"activation"} if scenario.d_ff else set()
    on -= {
        "text",
        *(() if scenario.reads_others else ("second",)),
        *(name for name in SETTINGS if getattr(scenario, name) is None),
    }
    named = [name for name in SETTINGS if name in on]
    shown = [
        say("report.setting", label=say(f"setup.{name}.label"), value=setting_in_words(name, getattr(scenario, name)))
        for name in named
    ]
    return say("report.set_up", tokens=plural(len(scenario.tokens), "token"), settings="; ".join(shown))


def _changes(scenario: Scenario, digits: int) -> list[str]:
    """Say which matrices are given, and which numbers were changed."""
    given = say("report.given", matrices="; ".join(replaced_in_words(scenario).values()))
    texts = list(edits_in_words(scenario, digits).values())
    listed, more = "; ".join(texts[:_LISTED_CHANGES]), len(texts) - _LISTED_CHANGES
    changed = say("report.changes_more", changes=listed, n=more) if more > 0 else say("report.changes", changes=listed)
    return [given] * bool(changes_of(scenario).replaced) + [changed] * bool(texts)


def _attending(scenario: Scenario, trace: AttentionTrace, digits: int) -> list[str]:
    """Say what each token reads most, and what this finding is worth."""
    n_tokens = len(trace.tokens)
    said = [numbers_in_words(scenario)]
    for layer, of_layer in enumerate(trace.layers):
        said += [say("report.layer", layer=layer)] * (trace.n_layers > 1)
        for number, head in enumerate(of_layer.heads):
            shown = [attends_most(head, query, digits) for query in range(min(n_tokens, _LISTED_QUERIES))]
            said += [say("report.head", head=number)] * (trace.n_heads > 1) + shown
    and_so_on = say("report.and_so_on", tokens=plural(n_tokens, "token"))
    return [*said, *[and_so_on] * (n_tokens > _LISTED_QUERIES)]


def section(trace: AttentionTrace, name: str, digits: int) -> str:
    """Return a matrix with its title and description."""
    drawn = picture(trace, name, digits, None, dark=False)
    return (
        f'<section><h2 style="color:{ROLES[drawn.stage.role].light}">{html.escape(title_of(trace, drawn))}</h2>'
        f'<p class="about">{html.escape(say("report.about", about=about_of(drawn), meaning=drawn.stage.meaning))}</p>'
        f"{matrix_markup(drawn)}</section>"
    )


def title_of(trace: AttentionTrace, drawn: Picture) -> str:
    """Return the title of a matrix with its formula."""
    formula = formula_in(trace, drawn.stage)
    title = drawn.stage.title
    return title if formula == title else say("report.matrix", title=title, formula=formula)


def trace_markup(trace: AttentionTrace) -> str:
    """Return a trace's tokens and small heatmaps for a notebook.

    >>> from attnviz.core.scenario import trace
    >>> "W_q 3×2" in trace_markup(trace(Scenario()))
    True
    """
    check_type("trace", trace, AttentionTrace, "what attnviz.trace or attnviz.attend returns")
    context = trace.layers[-1].get("context")
    if context is not None and context.dim() != 2:
        shapes = ", ".join(
            f"{trace.stages[name].symbol} {tuple(matrix.shape)}" for name, matrix in trace.matrices.items()
        )
        return f"<p>{say('report.batch', shapes=shapes)}</p>"
    n_tokens = len(trace.tokens if context is None else context)
    tokens = " · ".join(map(visible, trace.tokens[:32])) + (" …" if len(trace.tokens) > 32 else "")
    settings = "" if context is None else "<br>" + _settings_of(trace)  # a trace may be of weights alone
    small = "".join(_small(trace, name) for name in matrix_names(trace))
    return (
        f"<div><p>{say('report.trace', tokens=plural(n_tokens, 'token'), sentence=html.escape(tokens))}{settings}</p>"
        f'<div style="display:flex;flex-wrap:wrap;gap:14px;align-items:flex-end">{small}</div></div>'
    )


def _settings_of(trace: AttentionTrace) -> str:
    return f"causal={trace.causal}, scale={trace.scale}, temperature={trace.temperature:g}"


def _small(trace: AttentionTrace, name: str) -> str:
    drawn = picture(trace, name, 2, None, dark=False)
    title = html.escape(say("report.hover", name=name, title=title_of(trace, drawn), about=about_of(drawn)))
    size = "×".join(map(str, drawn.shape))
    return f'<div title="{title}">{html_thumbnail(drawn)}<div>{drawn.stage.symbol} {size}</div></div>'
