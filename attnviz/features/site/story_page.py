"""The page of the story."""

import html
from collections.abc import Sequence

from attnviz.core.attention import AttentionTrace
from attnviz.core.seeding.word_classes import listed_words
from attnviz.core.trace import Trace
from attnviz.documents.board_svg import board_svg
from attnviz.features.questions.questions import QUESTIONS
from attnviz.features.site.board_pages import question_page_name
from attnviz.features.site.own_words import MOST, SETTINGS, app_query, words_data
from attnviz.features.site.recorded import READER, SUBJECT, trace_at, training_data, written_data
from attnviz.features.site.shared import Shared, Site, data_script, page, paragraph, script, style
from attnviz.features.site.story import CAT, STEPS, Step, story_data, traces
from attnviz.words import say

_FIRST_QUESTIONS = ("values", "order", "root")  # the story ends with links to these


def add_story(site: Site, shared: Shared) -> None:
    """Add the story's page, its scripts and its data."""
    story = site.add_hashed("story.js", script("story.js"))
    data = site.add_hashed("story-data.js", data_script("story", story_data()))
    later = {  # loaded when the reader comes near
        "training": site.add_hashed("training-data.js", data_script("training", training_data())),
        "writing": site.add_hashed("writing-data.js", data_script("writing", written_data())),
        "own": site.add_hashed("words-data.js", data_script("own", words_data())),
    }
    sheet = site.add_hashed("story.css", style("story.css"))
    sections = "\n".join(_section(site, at, step, later) for at, step in enumerate(STEPS, 1))
    hero = (
        f'<section class="hero"><h1>{html.escape(say("site.story.title"))}</h1>'
        f"{paragraph(say('site.story.lead'), 'lead')}{_steps()}</section>"
    )
    label = html.escape(say("site.board.label"))
    stage = (
        f'<div class="stage" role="region" aria-label="{label}"><div id="cat"></div><div id="model" hidden></div>'
        '<div id="writer" hidden><p class="so-far" aria-live="polite"></p><ol class="next-words"></ol></div>'
        '<div id="typed" hidden></div></div>'
    )
    body = (
        f'<div class="story"><main id="content"><noscript>{paragraph(say("site.no_script.story"), "aside")}</noscript>'
        f"{hero}\n{sections}\n{_end()}</main>\n{stage}</div>"
    )
    page(site, shared, "index.html", title=say("site.title"), about=say("site.about"), body=body, kind="of-story",
         styles=(sheet,), scripts=(data, shared.board, story), picture="preview.png")  # fmt: skip


def _steps() -> str:
    """Return links to all steps, and the button that opens them."""
    links = "".join(
        f'<li><a href="#{step.name}" title="{html.escape(step.title)}" aria-label="{html.escape(step.title)}"></a></li>'
        for step in STEPS
    )
    label, everything = (html.escape(say(f"site.story.{key}")) for key in ("steps", "everything"))
    button = f'<button class="all" hidden>{everything}</button>'
    return f'<nav class="steps" aria-label="{label}"><ol>{links}</ol>{button}</nav>'


def _section(site: Site, at: int, step: Step, later: dict[str, str]) -> str:
    trace = traces()[step.base] if step.base else None
    data = f' data-script="{later[step.name]}"' if step.name in later else ""
    picture = ""
    if step.base:
        picture = f"<noscript>{_picture(site, step.name, _reached(step))}</noscript>"
    controls = _CONTROLS[step.name](site) if step.name in _CONTROLS else ""
    return (
        f'<section class="step" id="{step.name}"{data}>{_heading(at, step)}<p class="text">{_text(step, trace)}</p>'
        f'<p class="ask">{html.escape(_asked(step))}</p>{controls}{picture}</section>'
    )


def _heading(at: int, step: Step) -> str:
    """Return a step's heading, with a link to itself."""
    link = html.escape(say("site.story.link"))
    count = html.escape(say("site.story.count", at=at, n=len(STEPS)))
    itself = f'<a class="self" href="#{step.name}" title="{link}" aria-label="{link}">#</a>'
    return f'<p class="count">{count}</p><h2 tabindex="-1">{html.escape(step.title)} {itself}</h2>'


def _text(step: Step, trace: AttentionTrace | None) -> str:
    if step.name == "own":
        return html.escape(say("site.story.own.text", count=len(listed_words())))
    return step.told(trace)


def _asked(step: Step) -> str:
    if step.name == "heads":  # story.js asks the same about the current numbers
        trace = traces()["heads"]
        most = int(trace.attention_weights[CAT].argmax())
        return say("site.story.heads.ask", most=trace.tokens[most])
    if step.name == "training":
        tokens = trace_at(0).tokens
        return say("site.story.training.ask", reader=tokens[READER], subject=tokens[SUBJECT])
    if step.name == "own":
        return say("site.story.own.ask", most=MOST)
    return step.asked


def _training_controls(_: Site) -> str:
    tokens = trace_at(0).tokens
    play, slider = (html.escape(say(f"site.story.training.{key}")) for key in ("play", "slider"))
    curve = html.escape(say("site.story.training.curve", reader=tokens[READER], subject=tokens[SUBJECT]))
    return (
        f'<div class="time" hidden><button class="play">{play}</button><input type="range" min="0" value="0" '
        f'aria-label="{slider}"><p class="at" aria-live="polite"></p>'
        f'<svg viewBox="0 0 300 72" role="img" aria-label="{curve}"></svg></div>'
    )


def _own_controls(site: Site) -> str:
    label, example, read = (html.escape(say(f"site.story.own.{key}")) for key in ("label", "example", "read"))
    app = ""
    if site.app:
        address = html.escape(f"{site.app}/?{app_query(say('site.story.own.example'))}")
        app = f'<p><a class="to-app" href="{address}">{html.escape(say("site.story.own.app"))}</a></p>'
    return (
        f'<form hidden><input name="text" value="{example}" aria-label="{label}" autocomplete="off" maxlength="200">'
        f'<button>{read}</button>{_settings()}</form><p class="aside" role="status"></p>{app}'
    )


def _settings() -> str:
    """Return controls of a typed sentence's settings; own.js puts their values together."""
    rows = "".join(_setting(name, choices) for name, choices in SETTINGS.items())
    return f"<fieldset><legend>{html.escape(say('site.story.own.settings'))}</legend>{rows}</fieldset>"


def _setting(name: str, choices: Sequence[bool | int | float]) -> str:
    label = html.escape(say(f"site.story.own.{name}"))
    if len(choices) > 2:
        options = "".join(
            f'<option value="{each:g}"{" selected" if each == choices[0] else ""}>{each:g}</option>'
            for each in sorted(choices)
        )
        return f'<label>{label} <select name="{name}">{options}</select></label>'
    off, on = (str(each).lower() for each in sorted(choices))
    checked = " checked" if choices[0] == max(choices) else ""
    return f'<label><input type="checkbox" name="{name}" value="{on}" data-off="{off}"{checked}> {label}</label>'


_CONTROLS = {"training": _training_controls, "own": _own_controls}


def _reached(step: Step) -> Trace:
    """Return a trace of no more than a step shows."""
    trace = traces()[step.base]
    if step.shown is None:
        return trace
    stages = {name: stage for name, stage in trace.stages.items() if name in step.shown}
    return Trace(stages, {name: trace[name] for name in stages}, trace.tokens)


def _picture(site: Site, name: str, trace: Trace) -> str:
    file = site.add(f"pictures/story-{name}.svg", board_svg(trace, query=1))
    alt = html.escape(say("report.title", sentence=" ".join(trace.tokens)))
    return f'<img src="{file}" alt="{alt}">'


def _end() -> str:
    title, text = (html.escape(say(f"site.story.end.{key}")) for key in ("title", "text"))
    named = {each.name: each for each in QUESTIONS}
    chosen: Sequence[str] = [name for name in _FIRST_QUESTIONS if name in named]
    links = "".join(
        f'<li><a href="{question_page_name(named[name])}">{html.escape(named[name].title)}</a></li>' for name in chosen
    )
    every = html.escape(say("site.story.end.all", n=len(QUESTIONS)))
    return (
        f'<section class="step" id="end"><h2 tabindex="-1">{title}</h2><p class="text">{text}</p>'
        f'<ul>{links}<li><a href="questions.html">{every}</a></li></ul></section>'
    )
