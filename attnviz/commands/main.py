"""The command line: prints the attention of a sentence, starts the app."""

import argparse
import os
import runpy
import sys
from collections.abc import Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from attnviz import __version__
from attnviz.commands import Parser
from attnviz.commands.mistyped import check_first_word
from attnviz.core.carry_over import bring_back
from attnviz.core.changes import change_texts
from attnviz.core.limits import check_choice, in_short
from attnviz.core.masks import mask_named
from attnviz.core.scenario import Scenario, traced
from attnviz.documents import board_frame, board_page, board_svg, report
from attnviz.documents.page import tables
from attnviz.explanation.summary import out_of_the_ordinary
from attnviz.export import json_pieces, matrix_csv, matrix_names, pytorch_script
from attnviz.feature import features
from attnviz.link.changes_text import decode_changes
from attnviz.link.codecs import Choice, Flag
from attnviz.link.set_up import CHANGES, Control, parameters, scenario_from_query, scenario_of
from attnviz.link.state import read_link
from attnviz.predicting.asks import drawn_of, subjects
from attnviz.words import say

_MASK = "mask"
_MASKED_BY = ("causal", "masking", "mask_size")  # the settings that --mask replaces


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command, by default of this process; return its exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    own = {"app": start, "board": board}
    of_features = {word: each for each in features() for word in each.commands}
    word = arguments[0] if arguments else ""
    try:
        if word in own:
            return own[word](arguments[1:])
        if word in of_features:
            feature = of_features[word]
            return feature.named(feature.commands[word])(arguments[1:])
        if word:
            check_first_word(word, (*own, *of_features))
        return show(arguments)
    except BrokenPipeError:
        return _seen_enough()
    except (ValueError, OSError) as error:
        print(f"attnviz: {error}", file=sys.stderr)
        return 2


def show(arguments: Sequence[str]) -> int:
    """Print every matrix of a sentence, or write the requested files."""
    parser = Parser()
    _take_sentence(parser)
    given = parser.parse_args(arguments)
    if hasattr(sys.stdout, "reconfigure"):  # a terminal that can't show a token shows its code instead
        sys.stdout.reconfigure(errors="backslashreplace")
    _write(*_asked(given), given)
    return 0


def board(arguments: Sequence[str]) -> int:
    """Write a sentence's board as a page; print HTML to embed it."""
    parser = Parser("board")
    _take_sentence(parser)
    parser.add("--back", default="", metavar="URL")
    parser.add("--tells", default="", metavar="ORIGIN")
    parser.add("--query", type=int, default=0, metavar="N")
    asked = [name for names in subjects().values() for name in names if drawn_of(name) is not None]
    if asked:
        parser.add("--question", metavar="NAME")
    given = parser.parse_args(arguments)
    if given.html is None:
        raise ValueError("attnviz board writes a file, expected --html FILE")
    scenario, digits = _asked(given)
    name = given.question if asked else None
    if name:
        check_choice("--question", name, asked)
    question = drawn_of(name) if name else None
    page = board_page(question or scenario, query=given.query, digits=digits, link=given.back, tells=given.tells)
    given.html.write_text(page, encoding="utf-8", errors="replace")
    print(board_frame(given.html.name, question.title if question else scenario.text))
    return 0


def _seen_enough() -> int:
    """Write nothing more: the reading program, such as head, closed the pipe."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _take_sentence(parser: Parser) -> None:
    """Add the arguments for a sentence's set-up and for results."""
    of_features = (say(f"commands.others.{each.name}") for each in features() if each.commands)
    parser.epilog = " ".join((say("commands.others.own"), *of_features, say("commands.others.sentence")))
    table = parameters()
    parser.add_argument("--version", action="version", version=f"attnviz {__version__}")
    for name, parameter in table.items():
        if name != "text":
            _add(parser, parameter)
    add = partial(parser.add, of="sentence")
    about = say("commands.default", about=say("commands.sentence.text"), default=repr(table["text"].default))
    parser.add_argument("text", nargs="?", help=about)
    for flag in (_MASK, CHANGES, "link"):
        add(f"--{flag}")
    form = parser.add_mutually_exclusive_group()
    add("--json", form, action="store_true")
    add("--code", form, action="store_true")
    for flag, metavar in (("html", "FILE"), ("svg", "FILE"), ("csv", "DIR")):
        add(f"--{flag}", type=Path, metavar=metavar)


def _add(parser: Parser, parameter: Control) -> None:
    flag = "--" + parameter.name.replace("_", "-")
    choices = parameter.codec.choices if isinstance(parameter.codec, Choice) else ()
    meanings = (f"{choice}: {meaning}" for choice in choices if (meaning := parameter.meaning(choice)))
    about = " ".join((parameter.help, *meanings)).replace("%", "%%")
    if isinstance(parameter.codec, Flag):
        about = say("commands.default", about=about, default="yes" if parameter.default else "no")
        parser.add_argument(flag, action=argparse.BooleanOptionalAction, help=about)
        return
    if parameter.default is not None:
        about = say("commands.default", about=about, default=parameter.default)
    parser.add_argument(flag, metavar="|".join(choices) or None, help=about)


def _asked(given: argparse.Namespace) -> tuple[Scenario, int]:
    """Return the requested scenario and number of decimals."""
    digits = parameters()["digits"]
    if given.link is not None:
        scenario, linked = _linked(given)
        return scenario, _value(digits, linked if given.digits is None else given.digits)
    values = {name: _value(parameter, getattr(given, name)) for name, parameter in parameters().items()}
    if given.mask is not None:
        if beside := [name for name in _MASKED_BY if getattr(given, name) is not None]:
            raise ValueError(f"--{_MASK} says which mask there is, expected no {', '.join(beside)} beside it")
        mask_named(given.mask)
        values[_MASK] = given.mask
    changes, ignored = decode_changes(getattr(given, CHANGES) or "")
    scenario, left = bring_back(scenario_of(values, mask=values.get(_MASK)), changes)
    ignored += change_texts(left)
    if ignored:
        raise ValueError(f"--{CHANGES} has {in_short(ignored[0])}, expected changes of cells that the matrices have")
    return scenario, values["digits"]


def _linked(given: argparse.Namespace) -> tuple[Scenario, str | None]:
    """Return the link's scenario, and its number of decimals if any."""
    beside = [name for name in (*parameters(), _MASK, CHANGES) if name != "digits" and getattr(given, name) is not None]
    if beside:
        raise ValueError(f"--link holds a whole set-up, expected no {', '.join(beside)} beside it")
    opened = read_link(dict(parse_qsl(_query(given.link), keep_blank_values=True)), repr, lambda _: "")
    scenario, ignored = scenario_from_query(urlencode(opened.query, safe="*"))
    if ignored := [*opened.messages, *ignored]:
        raise ValueError("parts of the link can't be used: " + "; ".join(ignored))
    return scenario, opened.query.get("digits")


def _query(link: str) -> str:
    parts = urlsplit(link)
    if parts.query or parts.netloc:  # an address without a query stands for the app as it opens
        return parts.query
    if "=" not in parts.path:
        raise ValueError(
            f"the link is {in_short(link)}, expected one that is copied from the app, or what follows its ?"
        )
    return parts.path


def _value(parameter: Control, raw: str | bool | None) -> Any:
    if raw is None or isinstance(raw, bool):
        return parameter.default if raw is None else raw
    value, error = parameter.read(raw)
    if error:
        raise ValueError(f"{parameter.name} is {in_short(raw)}, expected {parameter.codec.expected()}")
    return value


def _write(scenario: Scenario, digits: int, given: argparse.Namespace) -> None:
    computed = traced(scenario)
    if given.csv is not None:
        given.csv.mkdir(parents=True, exist_ok=True)
        for name in matrix_names(computed):
            (given.csv / f"{name}.csv").write_text(matrix_csv(computed, name), encoding="utf-8")
    if given.html is not None:
        given.html.write_text(report(scenario, computed, digits=digits), encoding="utf-8", errors="replace")
    if given.svg is not None:
        given.svg.write_text(board_svg(computed.for_head(0)), encoding="utf-8")
    if given.json:
        sys.stdout.writelines(json_pieces(computed))
        print()
    elif given.code:
        print(pytorch_script(scenario, digits), end="")
    elif given.csv is None and given.html is None and given.svg is None:
        print("\n\n".join(tables(computed, digits)))
    for note in (*computed.notices, *out_of_the_ordinary(computed)):
        print(f"attnviz: {note}", file=sys.stderr)


PORT = 8501
_PACKAGE = Path(__file__).parents[1]


def site() -> Path:
    """Return the folder of app.py and pages/, installed or in a checkout."""
    installed = _PACKAGE / "site"
    return installed if installed.is_dir() else _PACKAGE.parent


def start(arguments: Sequence[str]) -> int:
    """Serve the app until stopped; return its exit status, 2 on failure."""
    parser = Parser("app")
    parser.add("--port", type=int, default=PORT)
    parser.add("--address", default="localhost")
    parser.add("--no-browser", action="store_true")
    given = parser.parse_args(arguments)
    script = site() / "app.py"
    if not script.is_file() or find_spec("streamlit") is None:
        print(f"attnviz: {say('commands.app.missing')}", file=sys.stderr)
        return 2
    settings = {"server.address": given.address, "server.port": given.port}
    if given.no_browser:
        settings["server.headless"] = "true"
    sys.argv = ["streamlit", "run", str(script), *(f"--{name}={value}" for name, value in settings.items())]
    try:
        runpy.run_module("streamlit", run_name="__main__", alter_sys=True)
    except SystemExit as ended:  # Streamlit's own command ends in this way
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    return 0
