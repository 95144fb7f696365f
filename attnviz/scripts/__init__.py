"""The page's scripts, and the joining of their modules.

Streamlit takes a component's script as a single text. So the ES modules that it is written in are joined here, when the
component is first drawn in a language: each module keeps a scope of its own, follows those that it imports, and loses
its comments. Only the forms of import and export that our scripts use are understood; a module with any other form is
refused rather than misread.

A script loads nothing from elsewhere. Several scripts may import the same module, but each has its own copy of the
module's state. A script carries only those sentences of the catalogue whose keys appear in its code.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attnviz.words import Template, catalogue

# Styles of all buttons and of sliders. They come before the styles of a component, which can then override them.
CONTROLS, SLIDER = (Path(__file__).with_name(f"{name}.css").read_text("utf-8") for name in ("controls", "slider"))

# No file has this name: the module holds the values that Python sends. Its types are in sent.d.ts.
SENT, _SENT = "sent.js", "$sent"
_MOST_MODULES = 200

_IMPORT = re.compile(r'^import (?:\* as (\w+)|\{([^{}]*)\}) from "(\.\.?/[\w./]+\.js)";$', re.M)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*? ?|class |const )(\w+))", re.M)
_DEFAULT = re.compile(r"^export default (?=(?:(?:async )?function|class) (\w+))", re.M)
# Anything left of an import or export was in a form not understood here. Importing a computed name at run time is fine.
_LEFT = re.compile(r"^(?:import|export)\b.*|\bimport(?:\.|\((?![a-z]+\))).*", re.M)
# A key of the catalogue, or a template literal that builds one; each ${...} in it may be any text.
_KEY = re.compile(r"""["'`]([a-z_0-9]+\.(?:[a-z_0-9.]|\$\{[^{}`]*\})+)["'`]""")
_PLACE = re.compile(r"\$\{[^{}`]*\}")
# A line that binds what other modules export to local names, and the joined names of these exports ($0a, $1b, ...).
_TAKEN = re.compile(r"^const (\w+ = \$\w+(?:, \w+ = \$\w+)*);", re.M)
_OUTSIDE = re.compile(r"\$\d+[a-z]+")
_COMMENT = re.compile(r"^ *(?://.*|/\*[^*]*\*+(?:[^/*][^*]*\*+)*/ *)\n", re.M)


def joined(entry: Path, sent: Mapping[str, Any] | None = None) -> str:
    """Return the module `entry` and all that it imports as one text.

    `entry` keeps its exports. If it has a default export, only that one is kept, and all other code moves into a scope
    of its own, so that a minifier can shorten the names there.

    `sent` has the values, to be written as JSON, that modules may import from `sent.js` in addition to sentences.

    Raises ``ValueError`` for modules that import each other in a circle, for an import of what isn't exported, and for
    forms of import or export that aren't understood here.
    """
    return _Script(sent or {}).joined(entry.resolve())


def shortened(text: str) -> str:
    """Return a script that does the same in fewer characters.

    Where minify-go is installed, as it is with the app, it shortens local names; otherwise only the indentation is
    removed.

    >>> shortened("const twice = (number) => { return 2 * number; };\\nexport default twice;")
    'const twice=e=>2*e;export default twice\\n;'
    """
    try:
        import minify
    except ImportError:
        return re.sub(r"^ +", "", text, flags=re.M)  # safe, because no string continues over several lines
    # Streamlit would take a script of a single line for the name of a file.
    return str(minify.string("text/javascript", text)) + "\n;"


def said_in(code: str) -> dict[str, Template]:
    """Return the sentences whose keys a script contains or puts together.

    >>> sorted(said_in("say(`count.${n > 1 ? 'cell' : 'row'}`) + say('count.token') + 'no.sentence'"))[:2]
    ['count.cell', 'count.change']
    """
    found = set(_KEY.findall(code))
    made = [".*".join(map(re.escape, _PLACE.split(key))) for key in found if _PLACE.search(key)]
    put_together = re.compile("|".join(made) or r"(?!)")
    return {key: text for key, text in catalogue().items() if key in found or put_together.fullmatch(key)}


def by_room(sentences: Mapping[str, Template]) -> dict[str, dict[str, Template]]:
    """Return sentences grouped by their keys' prefix, as scripts have them.

    >>> by_room({"board.panel.pin": "Pin", "board.panel.back": "Back"})
    {'board.panel': {'pin': 'Pin', 'back': 'Back'}}
    """
    rooms: dict[str, dict[str, Template]] = {}
    for key, sentence in sentences.items():
        room, _, name = key.rpartition(".")
        rooms.setdefault(room, {})[name] = sentence
    return dict(sorted(rooms.items()))


class _Script:
    """A script that is being joined."""

    def __init__(self, sent: Mapping[str, Any]) -> None:
        self.sent = {"SENTENCES": {}, **sent}
        self.parts: list[str] = []
        self.exported: dict[Path, dict[str, str]] = {}  # module -> (exported name -> its name in the joined script)
        self.renamed: set[str] = set()  # joined names that some module imports under another name
        self.sends = False

    def joined(self, entry: Path) -> str:
        last = self._read(entry, (), is_entry=True)
        code = "".join(self.parts)
        default = _DEFAULT.search(last)
        if default:
            bare = _EXPORT.sub("", _DEFAULT.sub("", last))
            within = self._plainly_named(f"{code}return (() => {{\n{bare}\nreturn {default[1]};\n}})();\n")
            code = f"export default (() => {{\n{within}}})();\n"
        else:
            code += last
        if not self.sends:
            return code
        sent = self.sent | {"SENTENCES": by_room(said_in(code))}
        return f"const {_SENT} = {json.dumps(sent, ensure_ascii=False, separators=(',', ':'))};\n{code}"

    def _plainly_named(self, code: str) -> str:
        """Give an export its own name where that is unique and unchanged."""
        plain: dict[str, str] = {}
        for exports in self.exported.values():
            plain |= {outside: name for name, outside in exports.items() if name not in plain.values()}
        plain = {outside: name for outside, name in plain.items() if outside not in self.renamed}

        def other(line: re.Match[str]) -> str:
            taken = [each for each in line[1].split(", ") if each.split(" = ")[1] not in plain]
            return f"const {', '.join(taken)};" if taken else ""

        return _OUTSIDE.sub(lambda found: plain.get(found[0], found[0]), _TAKEN.sub(other, code))

    def _add(self, file: Path, above: tuple[Path, ...]) -> None:
        """Put a module behind all that it imports, once."""
        if file in above:
            circle = " -> ".join(each.name for each in (*above[above.index(file) :], file))
            raise ValueError(f"modules import each other in a circle: {circle}")
        if file in self.exported:
            return
        if len(self.exported) >= _MOST_MODULES:
            raise ValueError(f"{above[0].name} imports more than {_MOST_MODULES} modules")
        if file.name == SENT:
            self.sends = True
            self.exported[file] = {name: f"{_SENT}.{name}" for name in self.sent}
            return
        text = self._read(file, above)
        names = sorted(_EXPORT.findall(text))
        of = len(self.exported)
        self.exported[file] = {name: f"${of}{_letters(at)}" for at, name in enumerate(names)}
        bare = _EXPORT.sub("", text)
        outside = ", ".join(self.exported[file].values())
        # An array rather than an object, because the minifier doesn't shorten the names of properties.
        self.parts.append(f"const [{outside}] = (() => {{\n{bare}return [{', '.join(names)}];\n}})();\n")

    def _read(self, file: Path, above: tuple[Path, ...], *, is_entry: bool = False) -> str:
        """Return a module's text, its imports taken from modules joined before it."""
        text = _COMMENT.sub("", file.read_text(encoding="utf-8"))
        _check(file, _EXPORT.sub("", _IMPORT.sub("", _DEFAULT.sub("", text) if is_entry else text)))

        def taken(found: re.Match[str]) -> str:
            whole, listed, source = found.groups()
            imported = (file.parent / source).resolve()
            self._add(imported, (*above, file))
            own = self.exported[imported]
            if whole:
                self.renamed.update(own.values())
                return f"const {whole} = {{ {', '.join(f'{name}: {outside}' for name, outside in own.items())} }};"
            names = [" ".join(name.split()) for name in listed.split(",") if name.strip()]
            unknown = {name.split(" as ")[0] for name in names} - own.keys()
            if unknown:
                raise ValueError(f"{file.name} imports {', '.join(sorted(unknown))}, which {source} doesn't export")
            taken_in = [(name.split()[-1], name.split()[0]) for name in names]
            self.renamed.update(own[name] for local, name in taken_in if local != name)
            return f"const {', '.join(f'{local} = {own[name]}' for local, name in taken_in)};"

        return _IMPORT.sub(taken, text)


def _check(file: Path, bare: str) -> None:
    """Raise ``ValueError`` for module text that would be misread here."""
    unread = _LEFT.search(bare)
    if unread:
        raise ValueError(f"{file.name} has {unread[0]!r}, no form of import or export that is read here")
    torn = [line for line in bare.splitlines() if line.count("`") % 2]
    if torn:  # one of its lines could look like a comment or an import
        raise ValueError(f"{file.name} has a template of several lines: {torn[0]!r}")
    if re.search(r"\$(?:\d|sent)", bare):
        raise ValueError(f"{file.name} has a $ before a digit or sent, as only the names of modules have")


def _letters(number: int) -> str:
    """Return a number in letters.

    >>> _letters(0), _letters(27)
    ('a', 'ab')
    """
    return (_letters(number // 26 - 1) if number >= 26 else "") + chr(ord("a") + number % 26)


def script(entry: Path, sent: Mapping[str, Any] | None = None) -> str:
    """Return a script with all its modules, minified; see :func:`attnviz.scripts.joined`."""
    return shortened(joined(entry, sent))
