"""Pages of questions, history and worked examples, and boards to embed."""

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from attnviz.core.scenario import Scenario, traced
from attnviz.documents import board_frame
from attnviz.documents.board_svg import board_svg
from attnviz.documents.boards import page_data
from attnviz.features.history.steps import STEPS as HISTORY
from attnviz.features.history.steps import changed_in_words
from attnviz.features.questions.questions import QUESTIONS, Question
from attnviz.features.site.shared import Declarations, Shared, Site, data_element, data_script, page, paragraph
from attnviz.published import starting_points
from attnviz.words import say
from attnviz.words.numbers import DEFAULT_DIGITS


@dataclass
class _Page:
    """A page with boards, written once all pages are known.

    `kind` is the class of its element `body`.
    """

    name: str
    title: str
    about: str
    body: str
    kind: str = ""
    styles: Sequence[str] = ()


@dataclass
class Pages:
    """All pages with boards, and the declarations that their boards share."""

    site: Site
    declarations: Declarations = field(default_factory=Declarations)
    pages: list[_Page] = field(default_factory=list)

    def add(
        self, name: str, title: str, about: str, body: str, kind: str = "", styles: Sequence[str] = ()
    ) -> None:  # fmt: skip
        """Add a page, whose body has its boards as `drawn` returns them."""
        self.pages.append(_Page(name, title, about, body, kind, styles))

    def drawn(self, shown: Scenario | Question, query: int = 0) -> str:
        """Return a board's place and data as HTML.

        `query` is the row of the followed token.
        """
        data = self.declarations.without(page_data(shown, query, DEFAULT_DIGITS))
        return f'<div class="drawn">{data_element(data)}</div>'

    def write(self, shared: Shared) -> None:
        """Write all pages, and the file of declarations."""
        declared = self.site.add_hashed("declared.js", data_script("declared", self.declarations.listed()))
        for each in self.pages:
            scripts = (declared, shared.board, shared.page) if 'class="drawn"' in each.body else ()
            page(self.site, shared, each.name, title=each.title, about=each.about, body=each.body, kind=each.kind,
                 scripts=scripts, styles=each.styles)  # fmt: skip


def question_page_name(question: Question) -> str:
    """Return the name of a question's page."""
    return f"question-{question.slug}.html"


def add_boards(site: Site, shared: Shared, pages: Pages) -> None:
    """Add the pages of single boards, and lists that link there."""
    for at, question in enumerate(QUESTIONS):
        _add_question(pages, question, QUESTIONS[at + 1] if at + 1 < len(QUESTIONS) else None)
    _add_list(site, shared, "questions", [(question_page_name(each), each.title, "") for each in QUESTIONS])
    _add_list(site, shared, "history", [_add_step(pages, at) for at in range(len(HISTORY))])
    _add_list(site, shared, "examples", [_add_example(pages, name) for name in starting_points()])
    _add_gallery(pages, shared)


def _add_question(pages: Pages, question: Question, follows: Question | None) -> None:
    ways = [("questions.html", say("site.questions.back"))]
    if follows:
        ways.append((question_page_name(follows), say("site.questions.next", title=follows.title)))
    links = " ".join(f'<a href="{to}">{html.escape(label)}</a>' for to, label in ways)
    asked = question.asked
    told = "".join(map(paragraph, (asked.act, asked.asks)))
    still = f"<noscript><section><h1>{html.escape(question.title)}</h1>{told}</section></noscript>"
    body = (
        f'<main id="content" class="asking">{still}{pages.drawn(question)}</main><footer class="ways">{links}</footer>'
    )
    pages.add(question_page_name(question), question.title, asked.act, body)


def _add_step(pages: Pages, at: int) -> tuple[str, str, str]:
    step = HISTORY[at]
    paper = html.escape(say("site.history.paper", paper=step.said("paper")))
    after = f'<p><a href="{step.paper}">{paper}</a></p>'
    name, title, line = f"history-{step.name}.html", step.said("title"), step.said("line")
    _add_board(pages, name, title, (line, *changed_in_words(step)), step.scenario, after)
    return name, title, line


def _add_example(pages: Pages, name: str) -> tuple[str, str, str]:
    example = starting_points()[name]
    file = f"example-{name}.html"
    _add_board(pages, file, example.title, (example.note,) if example.note else (), example.scenario)
    return file, example.title, example.note


def _add_board(
    pages: Pages, name: str, title: str, said: Sequence[str], scenario: Scenario, after: str = ""
) -> None:  # fmt: skip
    no_script = f"<noscript>{paragraph(say('site.no_script.board'))}{_still(pages.site, name, scenario)}</noscript>"
    prose = "".join(map(paragraph, said))
    heading = f'<section class="above"><h1>{html.escape(title)}</h1>{prose}{after}</section>'
    body = f'<main id="content">{heading}{pages.drawn(scenario)}{no_script}</main>'
    pages.add(name, title, said[0] if said else title, body)


def _still(site: Site, name: str, scenario: Scenario) -> str:
    """Return a picture of a board; blank if it's too large."""
    try:
        picture = board_svg(traced(scenario).for_head(0))
    except ValueError:  # its numbers would be too small to read
        return ""
    file = site.add(f"pictures/{name.removesuffix('.html')}.svg", picture)
    return f'<img src="{file}" alt="{html.escape(say("report.title", sentence=scenario.text))}">'


def _list_page(site: Site, shared: Shared, name: str, rows: str) -> None:
    here = "about" if site.address or name != "gallery" else "about_anywhere"
    title, about = say(f"site.{name}.title"), say(f"site.{name}.{here}")
    heading = f"<h1>{html.escape(title)}</h1>{paragraph(about, 'lead')}"
    body = f'<main id="content" class="list">{heading}{rows}</main>'
    page(site, shared, f"{name}.html", title=title, about=about, body=body)


def _add_list(site: Site, shared: Shared, name: str, listed: Sequence[tuple[str, str, str]]) -> None:
    rows = "".join(
        f'<li><a href="{to}">{html.escape(title)}</a>{paragraph(line) if line else ""}</li>'
        for to, title, line in listed
    )
    _list_page(site, shared, name, f"<ol>{rows}</ol>")


def _add_gallery(pages: Pages, shared: Shared) -> None:
    """Add bare pages of boards, and the lines that embed them."""
    site, rows = pages.site, []
    for name, example in starting_points().items():
        file, title = f"board-{name}.html", example.title
        pages.add(file, title, title, f'<main id="content">{pages.drawn(example.scenario)}</main>', kind="bare")
        label = html.escape(say("site.gallery.code", title=title))
        code = html.escape(board_frame(file, title).replace(file, site.in_full(file)))
        region = f'<pre tabindex="0" role="region" aria-label="{label}"><code>{code}</code></pre>'
        link = f'<a href="{file}">{html.escape(say("site.gallery.show"))}</a>'
        rows.append(f"<li><h2>{html.escape(title)}</h2>{region}{link}</li>")
    _list_page(site, shared, "gallery", f"<ul>{''.join(rows)}</ul>")


def add_missing(site: Site, shared: Shared) -> None:
    """Add the page for addresses that don't exist."""
    back = f'<p><a href="index.html">{html.escape(say("site.missing.back"))}</a></p>'
    title, about = say("site.missing.title"), say("site.missing.about")
    body = f'<main id="content" class="list"><h1>{html.escape(title)}</h1>{paragraph(about, "lead")}{back}</main>'
    page(site, shared, "404.html", title=title, about=about, body=body)
    if site.address:  # a host shows this page under addresses in any folder
        text = site.files["404.html"].decode()
        lead = re.compile(r'(href|src)="(?!https?:|data:|#)([^"]*)"')
        site.files["404.html"] = lead.sub(lambda found: f'{found[1]}="{site.in_full(found[2])}"', text).encode()
