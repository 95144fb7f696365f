"""Files that the site's pages share, and the frame of a page."""

import hashlib
import html
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from attnviz.board.script import BOARD_STYLE, CONSTANTS
from attnviz.colours.palette import DARK, FONT_FAMILY, LIGHT, ROLES
from attnviz.documents.page import FAMILY, own_face
from attnviz.scripts import CONTROLS, SLIDER, joined, shortened
from attnviz.words import say

_HERE = Path(__file__).parent / "scripts"
# Pages load nothing from other origins. They allow inline styles, because each board brings its own. The style sheet
# contains the font, because a page in a sandbox has no origin and may not load one.
ALLOWS = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; font-src data:; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'"
)
_COMMENTS = re.compile(r"/\*.*?\*/\n?|^ +", re.S | re.M)


@dataclass
class Site:
    """The files of a site that is being written.

    - `app`: the address of an app that pages link to; blank for none.
    - `address`: the site's future address, for links that must be complete; blank if it isn't known yet.
    - `source`: the address of the repository's files, to which documents link; blank for none.
    """

    app: str = ""
    address: str = ""
    source: str = ""
    files: dict[str, bytes] = field(default_factory=dict)

    def add(self, name: str, content: str | bytes) -> str:
        """Add a file by its name; return the name."""
        self.files[name] = content.encode() if isinstance(content, str) else content
        return name

    def add_hashed(self, name: str, content: str | bytes) -> str:
        """Add a file, with a hash of its content in its name.

        So a script from the browser's cache never gets data that were made for another version of it.
        """
        written = content.encode() if isinstance(content, str) else content
        stem, _, ending = name.rpartition(".")
        return self.add(f"{stem}-{hashlib.sha256(written).hexdigest()[:10]}.{ending}", written)

    def shared(self) -> "Shared":
        """Add the files that all pages share; return their names."""
        return Shared(
            style=self.add_hashed("site.css", own_face() + "\n" + _colours() + style("site.css")),
            board=self.add_hashed("board.js", _board_script()),
            page=self.add_hashed("page.js", script("in_page.js")),
        )

    def in_full(self, name: str) -> str:
        """Return a page's address, or its name without the site's address."""
        return urljoin(self.address.rstrip("/") + "/", name) if self.address else name


@dataclass(frozen=True)
class Shared:
    """The names of the files that all pages share."""

    style: str
    board: str
    page: str


def script(name: str) -> str:
    """Return a script of the site, joined and shortened."""
    return f"(()=>{{{shortened(joined(_HERE / name, {'CONSTANTS': CONSTANTS}))}}})();\n"


def style(name: str) -> str:
    """Return a style sheet of the site without its comments."""
    return _COMMENTS.sub("", (_HERE / name).read_text("utf-8"))


def _board_script() -> str:
    text = joined(_HERE / "in_site.js", {"CONSTANTS": CONSTANTS, "STYLE": CONTROLS + SLIDER + BOARD_STYLE})
    return re.sub(r"\bexport default\b", "window.attnvizSiteBoard =", shortened(text), count=1)


def _colours() -> str:
    """Return the colours of the app as properties, for both themes."""

    def of(dark: bool) -> str:
        theme = DARK if dark else LIGHT
        roles = "".join(f"--of-{role}: {ROLES[role].on(dark)}; " for role in ROLES)
        return (
            f"--st-background-color: {theme.paper}; --st-text-color: {theme.text}; --muted: {theme.muted}; "
            f"--line: {theme.grid}; --band: {theme.band}; {roles}"
        )

    fonts = f'--font: "{FAMILY}", {FONT_FAMILY.partition(", ")[2]};'
    return (
        f":root {{ color-scheme: light dark; {fonts} {of(False)} }}\n"
        f"@media (prefers-color-scheme: dark) {{ :root {{ {of(True)} }} }}\n"
    )


@dataclass
class Declarations:
    """Declarations of cells, listed once for all pages."""

    places: dict[str, int] = field(default_factory=dict)

    def without(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """Return a page's data with a number in place of each declaration."""
        short = {
            key: board | {"stages": [self._short(each) for each in board["stages"]]}
            if isinstance(board, dict) and "stages" in board else board
            for key, board in data.items()
        }  # fmt: skip
        if "then" in short:  # only the data that differ on the board after the answer
            before = short["data"]
            short["then"] = {name: each for name, each in short["then"].items() if before.get(name) != each}
        return short

    def _short(self, stage: Mapping[str, Any]) -> dict[str, Any]:
        written = json.dumps([stage["declared"], stage["settings"]], ensure_ascii=False)
        return {name: each for name, each in stage.items() if name not in ("declared", "settings")} | {
            "declared": self.places.setdefault(written, len(self.places))
        }

    def listed(self) -> list[Any]:
        """Return all declarations, in the order of their numbers."""
        return [json.loads(each) for each in self.places]


def data_element(value: Mapping[str, Any]) -> str:
    """Return JSON as a script element that browsers don't run."""
    written = json.dumps(value, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
    return f'<script type="application/json">{written}</script>'


def data_script(name: str, value: Any) -> str:
    """Return JSON as a script, which even pages on disk can load."""
    written = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return f"(window.attnvizSite??={{}}).{name}={written};\n"


def page(
    site: Site, shared: Shared, name: str, *, title: str, about: str, body: str, scripts: Iterable[str] = (),
    styles: Iterable[str] = (), kind: str = "", picture: str = "",
) -> str:  # fmt: skip
    """Add a page of the site; return its name."""
    whole = title if name == "index.html" else say("site.title_of", page=title)
    sheets = "".join(f'<link rel="stylesheet" href="{each}">\n' for each in (shared.style, *styles))
    loads = "".join(f'<script src="{each}" defer></script>\n' for each in scripts)
    shown = {"og:title": whole, "og:description": about, "og:type": "website", "og:site_name": say("site.name")}
    if site.address:
        shown["og:url"] = site.in_full("" if name == "index.html" else name)
    if picture and site.address:
        shown["og:image"] = site.in_full(picture)
        shown["og:image:alt"] = say("site.picture")
    graph = "".join(f'<meta property="{key}" content="{html.escape(text)}">\n' for key, text in shown.items())
    links = "".join(
        f'<a href="{to}"{_current(to, name)}>{html.escape(say(f"site.nav.{label}"))}</a>' for label, to in _NAV.items()
    )
    app = f'<a href="{html.escape(site.app)}">{html.escape(say("site.nav.app"))}</a>' if site.app else ""
    return site.add(name, f"""<!DOCTYPE html>
<html lang="{say("language.tag")}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{ALLOWS}">
<title>{html.escape(whole)}</title>
<meta name="description" content="{html.escape(about)}">
{graph}<link rel="icon" href="{_ICON}">
{sheets}{loads}</head>
<body class="{kind}">
<a class="skip" href="#content">{html.escape(say("site.skip"))}</a>
<header class="top"><a class="brand" href="index.html">{html.escape(say("site.name"))}</a>
<nav aria-label="{html.escape(say("site.nav.label"))}">{links}{app}</nav></header>
{body}
</body>
</html>
""")  # fmt: skip


_NAV = {
    "story": "index.html", "questions": "questions.html", "history": "history.html", "examples": "examples.html",
    "gallery": "gallery.html", "docs": "docs.html",
}  # fmt: skip
# A small arc over two words, as ribbons are drawn.
_ICON = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Cpath "
    "d='M6 22C6 6 26 6 26 22' fill='none' stroke='%237b3f98' stroke-width='6'/%3E%3C/svg%3E"
)


def _current(to: str, name: str) -> str:
    return ' aria-current="page"' if to == name else ""


def paragraph(text: str, kind: str = "") -> str:
    """Return a text as a paragraph of HTML."""
    return f"<p{f' class={kind!r}' if kind else ''}>{html.escape(text)}</p>"
