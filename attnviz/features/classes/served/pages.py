"""The HTML pages of classes: scripts and a shared style, no data."""

import html
from functools import lru_cache
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from attnviz.app.server.endpoints import NO_STORE, nothing
from attnviz.app.server.settings import settings
from attnviz.colours.palette import DARK, FONT_FAMILY, LIGHT, Theme
from attnviz.documents import board_page
from attnviz.documents.page import FAMILY, own_face, page_of
from attnviz.predicting.asks import drawn_of, has_board, subjects, told_of
from attnviz.published import OPENING
from attnviz.scripts import CONTROLS, joined
from attnviz.words import by_language, say

_HERE = Path(__file__).parent
_ALLOWS = "".join(f"; {each} 'self'" for each in ("connect-src", "frame-src", "img-src")) + (
    "; script-src 'unsafe-inline'; font-src data:; base-uri 'none'"
)


def of_door(request: Request) -> Response:
    """Answer with the page to join or open a class."""
    return _page("join", say("classes.open.title" if "about" in request.query_params else "classes.join.title"))


def of_people(request: Request) -> Response:
    """Answer with the page of a class's people."""
    return _page("participants", say("classes.join.title"))


def of_teacher(request: Request) -> Response:
    """Answer with the page of a class's teacher."""
    return _page("teacher", say("classes.teacher.title"))


def of_none(request: Request) -> Response:
    """Answer that there are no classes."""
    title, about = (html.escape(say(f"classes.off.{each}")) for each in ("title", "about"))
    told = f'<main class="door"><h1>{title}</h1><p>{about}</p></main>'
    return HTMLResponse(page_of(title, _style(), told), 503, NO_STORE)


def of_board(request: Request) -> Response:
    """Answer with a question's board, without or with outcome; 204 without one."""
    board = _board(request.query_params.get("about", ""), "told" in request.query_params)
    return HTMLResponse(board, headers=_KEPT) if board else nothing()


_KEPT = {"Cache-Control": "public, max-age=3600", "Vary": "Accept-Language"}


@by_language(64)
def _board(about: str, told: bool) -> str:
    return board_page(drawn_of(about), told=told) if has_board(about) else ""


def _page(name: str, title: str) -> Response:
    return HTMLResponse(_made(name, title), headers=NO_STORE)


@by_language(8)
def _made(name: str, title: str) -> str:
    noscript = html.escape(say("report.needs_script"))
    body = f"""<style>{own_face()}</style>
<main class="{name}"></main>
<noscript>{noscript}</noscript>
<script type="module">
{joined(_HERE / f"{name}.js", sent())}
</script>"""
    return page_of(title, _style(), body, allows=_ALLOWS)


def sent() -> dict[str, Any]:
    """Return the constants that are sent with the pages' scripts."""
    of_subjects = subjects()
    names = [name for each in of_subjects.values() for name in each]
    return {
        "EXAMPLE": OPENING,
        "SUBJECTS": of_subjects,
        "BOARDS": [name for name in names if has_board(name)],
        "TOLD": {name: told_of(name) for name in names if not has_board(name)},
        "MOST_OF_ADDRESS": settings().most_of_address,
    }


@lru_cache(maxsize=1)
def _style() -> str:
    letters = f'"{FAMILY}", {FONT_FAMILY.partition(", ")[2]}'
    return (
        f"{CONTROLS}:root {{ color-scheme: light dark; --attnviz-act: 40px; --letters: {letters}; {_inks(LIGHT)} }}"
        f"@media (prefers-color-scheme: dark) {{ :root {{ {_inks(DARK)} }} }}" + (_HERE / "class.css").read_text()
    )


def _inks(theme: Theme) -> str:
    named = {"paper": theme.paper, "ink": theme.text, "muted": theme.muted, "line": theme.grid, "right": theme.right}
    return " ".join(f"--{name}: {colour};" for name, colour in named.items())
