"""The project's documents as pages, with live boards in some."""

import html
import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from posixpath import dirname, normpath
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.token import Token

from attnviz.commands.main import site as files_beside_the_app
from attnviz.features.questions.questions import QUESTIONS
from attnviz.features.site.board_pages import Pages
from attnviz.features.site.shared import Shared, Site, page, style
from attnviz.features.site.story import FLUFFY
from attnviz.published import OPENING, starting_points
from attnviz.words import say

# Each group of documents by its name in the catalogue; a document by its path in the repository.
GROUPS = {
    "use": ("README.md", "docs/GUIDE.md", "docs/COMMANDS.md", "docs/LIBRARY.md", "docs/models.md", "docs/LIMITS.md"),
    "run": ("docs/DEPLOYMENT.md", "deploy/README.md", "SECURITY.md", "docs/RELEASING.md", "CHANGELOG.md"),
    "change": ("CONTRIBUTING.md", "docs/ARCHITECTURE.md", "docs/WORDS.md", "docs/STUDY.md", "docs/decisions/README.md",
               "CODE_OF_CONDUCT.md", "QUARANTINE.md"),
}  # fmt: skip
LISTED = tuple(name for group in GROUPS.values() for name in group)
BOARD = re.compile(r"<!-- (board|question): ([\w-]+) -->")  # on a line of its own, where GitHub shows nothing
_PICTURES = "docs/pictures/"


@dataclass(frozen=True)
class Document:
    """A document of the repository.

    - `path`: its path there, such as docs/GUIDE.md.
    - `title`: its first heading; `about`: its first paragraph; `tokens`: its text, parsed.
    """

    path: str
    title: str
    about: str
    tokens: tuple[Token, ...]

    @property
    def page(self) -> str:
        """The name of its page."""
        return page_of(self.path)


def page_of(path: str) -> str:
    """Return the name of a document's page.

    >>> page_of("docs/GUIDE.md"), page_of("docs/decisions/README.md"), page_of("README.md")
    ('docs-guide.html', 'docs-decisions.html', 'docs-readme.html')
    """
    name = path.removesuffix(".md").removeprefix("docs/").lower().replace("/", "-")
    return f"docs-{name.removesuffix('-readme')}.html"


@cache
def documents() -> dict[str, Document]:
    """Return all documents by their paths, the listed ones first.

    Raises ``ValueError`` where they don't stand beside the app, as in its image.
    """
    folder = files_beside_the_app()
    if not (folder / "docs").is_dir():
        raise ValueError(f"{folder} has no folder docs, expected the project's documents beside app.py")
    decisions = sorted(each.relative_to(folder).as_posix() for each in (folder / "docs/decisions").glob("*.md"))
    paths = dict.fromkeys((*LISTED, *decisions))
    return {path: _read(path, (folder / path).read_text("utf-8")) for path in paths}


def _read(path: str, text: str) -> Document:
    tokens = _markdown().parse(text)
    used: dict[str, int] = {}
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open":
            slug = slug_of(_plain(inline))
            again = used[slug] = used.get(slug, -1) + 1
            opening.attrSet("id", f"{slug}-{again}" if again else slug)
    title = next(_plain(each) for each in tokens if each.type == "inline")
    about = next((_plain(then) for each, then in pairwise(tokens) if each.type == "paragraph_open"), title)
    return Document(path, title, about, tuple(tokens))


@cache
def _markdown() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": True}).enable("table")


def _plain(inline: Token) -> str:
    """Return a heading's or paragraph's text without markup."""
    return "".join(
        " " if each.type == "softbreak" else each.content
        for each in inline.children or ()
        if each.type != "html_inline"
    )


def slug_of(heading: str) -> str:
    """Return a heading's id, as GitHub writes it.

    >>> slug_of("Look into a model"), slug_of("What `make` does: all of it")
    ('look-into-a-model', 'what-make-does-all-of-it')
    """
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def add_documents(site: Site, shared: Shared, pages: Pages) -> None:
    """Add a page for each document, and the list of all."""
    sheet = site.add_hashed("documents.css", style("documents.css"))
    for document in documents().values():
        body = (
            f'<div class="document">{_side(document)}<main id="content">{_rendered(site, pages, document)}</main></div>'
        )
        pages.add(document.page, document.title, document.about, body, styles=(sheet,))
    _add_list(site, shared)


def _side(document: Document) -> str:
    """Return links to all listed documents."""
    groups = "".join(f"<p>{html.escape(title)}</p><ul>{rows}</ul>" for title, rows in _groups(document.path))
    return f'<nav class="side" aria-label="{html.escape(say("site.docs.title"))}">{groups}</nav>'


def _groups(here: str, row: Callable[[Document], str] = lambda _: "") -> Iterator[tuple[str, str]]:
    for name, paths in GROUPS.items():
        rows = ""
        for document in map(documents().__getitem__, paths):
            current = ' aria-current="page"' if document.path == here else ""
            title = html.escape(document.title)
            rows += f'<li><a href="{document.page}"{current}>{title}</a>{row(document)}</li>'
        yield say(f"site.docs.{name}"), rows


def _add_list(site: Site, shared: Shared) -> None:
    title, about = say("site.docs.title"), say("site.docs.about")
    groups = "".join(
        f"<h2>{html.escape(name)}</h2><ul>{rows}</ul>"
        for name, rows in _groups("", lambda document: f"<p>{html.escape(document.about)}</p>")
    )
    heading = f'<h1>{html.escape(title)}</h1><p class="lead">{html.escape(about)}</p>'
    body = f'<main id="content" class="list">{heading}{groups}</main>'
    page(site, shared, "docs.html", title=title, about=about, body=body)


def _rendered(site: Site, pages: Pages, document: Document) -> str:
    """Return a document's HTML, with links within the site, and boards."""
    tokens = deepcopy(document.tokens)
    for token in tokens:
        for child in token.children or ():
            if child.type == "link_open" and (place := linked(site, document, str(child.attrs["href"]))) is not None:
                child.attrSet("href", place)
            elif child.type == "link_open":
                child.tag, child.attrs = "span", {}
        _close(token)
    rendered: str = _markdown().renderer.render(tokens, _markdown().options, {})
    for name in sorted(set(re.findall(rf"{_PICTURES}([\w.-]+)", rendered))):
        site.add(f"pictures/{name}", (files_beside_the_app() / _PICTURES / name).read_bytes())
    rendered = rendered.replace(_PICTURES, "pictures/")
    return BOARD.sub(lambda found: _board(pages, found[1], found[2]), rendered)


def _close(token: Token) -> None:
    """Let the end of each link be that of what it became."""
    tag = "a"
    for child in token.children or ():
        if child.type == "link_open":
            tag = child.tag
        elif child.type == "link_close":
            child.tag = tag


def linked(site: Site, document: Document, to: str) -> str | None:
    """Return where a document's link leads on the site; None for nowhere."""
    if urlsplit(to).scheme or to.startswith("#"):
        return to
    path, _, fragment = to.partition("#")
    path = normpath(f"{dirname(document.path)}/{path}".lstrip("/"))
    if path in documents():
        return page_of(path) + (f"#{fragment}" if fragment else "")
    return f"{site.source.rstrip('/')}/{path}" if site.source else None


def _board(pages: Pages, kind: str, name: str) -> str:
    """Return a live board: of a worked example, or of a question."""
    if kind == "question":
        return pages.drawn(next(each for each in QUESTIONS if each.name == name))
    return pages.drawn(starting_points()[name].scenario, FLUFFY if name == OPENING else 0)
