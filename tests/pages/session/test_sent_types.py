"""What Python sends to the page's scripts is what their types say: the checker of types is the referee."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from attnviz.app.components.script_file import board_file
from attnviz.app.session.address import SENT
from attnviz.board.script import CONSTANTS
from attnviz.figures import FIGURES
from attnviz.scripts import by_room
from attnviz.words import catalogue, say
from tests.node import NODE, ROOT
from tests.pages.reader import Reader
from tests.said import joined, of_features

# The type of each component's data, and where it is declared: what the board's modules speak of holds everywhere.
AMBIENT = f"{ROOT}/attnviz/**/*.d.ts"
TYPES = {
    "attnviz_address": ("Data", "attnviz/scripts/address.js"),
    "attnviz_board": ("BoardData", ""),
    "attnviz_name": ("Data", "attnviz/app/shell/top_bar/arriving.js"),
    "attnviz_opener": ("Data", "attnviz/app/shell/top_bar/opener.js"),
    "attnviz_outdated": ("Data", "attnviz/app/components/outdated.js"),
    "attnviz_pictures": ("Data", "attnviz/app/components/pictures/types.js"),
    "attnviz_predicted": ("Data", "attnviz/app/parts/predicted.js"),
    "attnviz_svg": ("{ svg: string }", ""),
    "attnviz_temperature": ("Data", "attnviz/app/components/temperature.js"),
    **joined("TYPES"),
}


def sent_by(reader: Reader) -> Iterator[tuple[str, str]]:
    """Yield the name of each component of the page that has a script, and the JSON that it is sent."""
    for element in reader.at.get("bidi_component"):
        if element.proto.js_content:
            data = json.loads(element.proto.json or element.proto.bytes)
            del data["nth"]  # its place, which in_order.js takes
            yield element.proto.component_name, json.dumps(data)


def errors_in(folder: Path, *declarations: str) -> str:
    """Return what the checker finds in declarations of constants."""
    (folder / "sent.ts").write_text("\n".join(declarations), encoding="utf-8")
    settings = {
        "extends": str(ROOT / "tsconfig.json"),
        "compilerOptions": {"types": []},
        "include": ["sent.ts", AMBIENT],
    }
    (folder / "tsconfig.json").write_text(json.dumps(settings))
    checker = ROOT / "node_modules" / "typescript" / "bin" / "tsc"
    command = [NODE, str(checker), "--project", str(folder)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert done.stderr == "", "the checker itself must run: make types installs it"
    return done.stdout


def declared(number: int, component: str, data: str) -> str:
    name, file = TYPES[component]
    place = f'import("{(ROOT / file).as_posix()}").' if file else ""
    return f"export const sent{number}: {place}{name} = {data};"


@pytest.fixture(scope="module")
def sent() -> list[tuple[str, str]]:
    readers = [
        Reader(causal="true", edits="w_q.0.0.1e30*x.1.0.-2", bias="true", temperature="0.5", query="2"),
        Reader("pages/lesson.py", step="projections"),
        Reader("pages/questions.py", question="where", predicted="where.tried"),
        Reader("pages/questions.py", question="order", predicted="order.tried"),
        Reader("pages/questions.py", question="values").press(say("predicting.skip")),
        Reader("pages/questions.py", question="root"),
        Reader(d_ff="4", activation="gelu", positions="sinusoidal"),
        *(reader for of_feature in of_features("readers") for reader in of_feature()),
    ]
    return [each for reader in readers for each in sent_by(reader)]


def test_every_component_is_sent_what_its_type_says(sent: list[tuple[str, str]], tmp_path: Path) -> None:
    assert {component for component, _ in sent} == set(TYPES), "each is seen, and has its type"
    assert errors_in(tmp_path, *(declared(i, *each) for i, each in enumerate(sent))) == ""


def test_what_is_sent_with_each_drawing_is_numbers_and_no_script() -> None:
    """A board's script has 360 KB. Whoever lets go of a number waits for what is sent."""
    reader = Reader(text=" ".join(f"word{i}" for i in range(12)), d_in="8", d_out="8")
    for _ in range(2):
        (board,) = (
            each.proto for each in reader.at.get("bidi_component") if each.proto.component_name == "attnviz_board"
        )
        assert len(board.js_content) < 5_000
        assert board.ByteSize() < 100_000
        reader.set("seed", 5)


def test_what_is_sent_with_a_script_is_what_its_module_declares(tmp_path: Path) -> None:
    sent_to_a_class = pytest.importorskip("attnviz.features.classes.served.pages").sent
    fetched = {"script": board_file().address, "part": ".board"}
    given = json.dumps(
        {
            "SENTENCES": by_room(catalogue()),
            "CONSTANTS": CONSTANTS | SENT,
            "FIGURES": FIGURES,
            "FETCHED": fetched,
            "STYLE": "",
            "LETTERS": "",
            "PLANE": "",
            **sent_to_a_class(),
        }
    )
    module = ROOT / "attnviz/scripts/sent.js"
    assert errors_in(tmp_path, f'export const sent: typeof import("{module.as_posix()}") = {given};') == ""
