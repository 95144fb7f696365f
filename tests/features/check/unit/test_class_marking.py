"""A class is marked: points, causes and what can't be read equal what was planted, and one bad file stops nothing."""

import csv
import re
import unicodedata
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from attnviz.commands.main import main
from attnviz.features.check.exercises.class_files import page_names
from attnviz.features.check.exercises.exercise import RESULTS, Exercise, left_out
from attnviz.features.check.exercises.gradebook import keys_json, sheet_to_hand_in
from attnviz.features.check.exercises.hand_ins import Marked
from attnviz.features.check.marking.handout import tables_in
from attnviz.features.tables.grids import unfolded
from attnviz.features.tables.handout import sorted_tables
from tests.features.check.unit.class_of_students import (
    FORMATS,
    NAMES,
    SLIPS,
    WAYS,
    Student,
    as_csv,
    as_markdown,
    packed,
    xlsx,
)

OPEN = "application/vnd.oasis.opendocument"
WORTH = (2, 2, 2, 3, 3, 4, 4)
LIKE = Exercise(n_tokens=3, d_in=3, d_k=2, blank=left_out(4))


def sheet(number: int) -> Exercise:
    return sheet_to_hand_in(replace(LIKE, seed=number), b"a secret")


def mark_class(tmp_path: Path, files: dict[str, bytes], numbers: range) -> tuple[int, dict[str, dict[str, str]]]:
    """Mark these files, and return the status and the lines of the grade book by their names."""
    folder = tmp_path / "class"
    folder.mkdir(exist_ok=True)
    for name, data in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(data)
    key, book = tmp_path / "keys.json", tmp_path / "gradebook.csv"
    key.write_text(keys_json(map(sheet, numbers)), encoding="utf-8")
    worth = ",".join(map(str, WORTH))
    asked = {"--key": key, "--points": worth, "--csv": book, "--html": tmp_path / "pages"}
    status = main(["mark", str(folder), *(str(each) for pair in asked.items() for each in pair)])
    with book.open(encoding="utf-8", newline="") as lines:
        return status, {line["file"]: line for line in csv.DictReader(lines)}


def shows(student: Student) -> bool:
    """Whether a slip shows in what is printed."""
    if not student.stage or student.slip == "left_out":
        return True
    given, right = student.tables()[student.stage], student.tables("none")[student.stage]
    return given.shape != right.shape or bool((np.abs(given - right) > 0.02).any())


def test_120_hand_ins_get_the_points_and_causes_of_what_was_planted(tmp_path: Path) -> None:
    n = 120
    students = {}
    for number in range(n):
        slip, way = [*SLIPS][number % len(SLIPS)], WAYS[number // len(SLIPS) % len(WAYS)]
        kind = [*FORMATS][number % len(FORMATS)]
        if slip == "x_for_v" and kind == "url":  # has no place for it
            slip = "none"
        students[f"{number}.{kind}"] = Student(sheet(number), slip, way)
    students = {name: each if shows(each) else replace(each, slip="none") for name, each in students.items()}
    files = {name: FORMATS[name.partition(".")[2]](each, each.tables()) for name, each in students.items()}
    status, lines = mark_class(tmp_path, files, range(n))
    assert status == 0
    for name, student in students.items():
        line, shares = lines[name], student.shares()
        got = [float(line[column]) for column in ("Q", "K", "V", "S", "S′", "A", "C")]
        assert got == pytest.approx([shares[r] * w for r, w in zip(RESULTS, WORTH, strict=True)], abs=0.006), (
            name,
            student,
            line,
        )
        assert SLIPS[student.slip][2] in line["cause"], (name, student, line)
        assert bool(line["first error"]) == (student.slip not in ("none", "left_out", "x_for_v"))


def test_what_cannot_be_read_is_told_and_stops_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    right, other = Student(sheet(1), "none", "rounded"), Student(sheet(2), "none", "rounded")
    good = as_markdown(right, right.tables())
    inputs = "\n\n## X\n\n" + "\n".join(" ".join(map(str, row)) for row in sheet(2).table("x").tolist())
    ws = "".join(f"\n\n## W_{n}\n\n" + "\n".join(" ".join(map(str, row)) for row in sheet(2).table(f"w_{n}").tolist())
                 for n in "qkv")  # fmt: skip
    word = sheet(1).check_word
    bad = {
        "far.xlsx": (
            xlsx('<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'),
            "too large",
        ),
        "torn.xlsx": (xlsx("")[:90], "damaged"),
        "scan.pdf": (b"%PDF-1.7 ...", "PDF"),
        "all.zip": (packed({"a.md": "Q"}), "Unpack it"),
        "work.docx": (packed({"word/document.xml": "<w/>"}), "text document"),
        "work.odt": (packed({"mimetype": f"{OPEN}.text", "content.xml": "<o/>"}), "text document"),
        "work.rtf": (b"{\\rtf1 Q}", "text document"),
        "talk.odp": (packed({"mimetype": f"{OPEN}.presentation", "content.xml": "<o/>"}), "presentation"),
        "talk.pptx": (packed({"ppt/presentation.xml": "<p/>"}), "presentation"),
        "work.pages": (packed({"Index/Document.iwa": ""}), "Pages, Numbers or Keynote"),
        "old.doc": (b"\xd0\xcf\x11\xe0", "old kind"),
        "all.rar": (b"Rar!\x1a\x07", "Unpack it"),
        "empty.ods": (packed({"mimetype": f"{OPEN}.spreadsheet", "content.xml": "<o/>"}), "isn't a workbook"),
        "photo.jpg": (b"\xff\xd8\xff\xe0", "picture"),
        "bytes.csv": (b"Q\n1 \x81 2", "0x81"),
        "deep.json": (b'{"Q": ' + b"[" * 100_000, "no table"),
        "long.txt": (b"1" * 9_000_000, "larger than 5 MB"),
        "prose.md": (b"I was ill.", "no table"),
        "word.md": (good.replace(word.encode(), b"bababa"), "another check word"),
        "unbound.md": (good.partition(b"\n")[2], "It doesn't say which sheet"),
        "neighbour.md": (good + (inputs + ws).encode(), "its inputs are those of sheet 2"),
    }
    files = {name: data for name, (data, _) in bad.items()} | {
        "good.md": good,
        "wide.md": as_markdown(right, right.tables() | {"v": np.ones((3, 3))}),
        "team/=1+1.csv": as_csv(other, other.tables()),
    }
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "link.md").symlink_to("/etc/hostname")
    status, lines = mark_class(tmp_path, files, range(1, 4))
    assert status == 2
    assert f"3 hand-ins of {len(files) + 1} are marked." in capsys.readouterr().out
    for name, (_, why) in bad.items():
        assert why in lines[name]["to look at"], (name, lines[name])
        assert lines[name]["total"] == ""
    assert "isn't opened" in lines["link.md"]["to look at"]
    wide = (tmp_path / "pages" / "students" / "wide.md.html").read_text(encoding="utf-8")
    assert "V isn&#x27;t marked: it has 3 rows and 3 columns, and 3 rows and 2 columns are asked for." in wide
    assert lines["wide.md"]["total"] == "18"
    assert lines["good.md"]["total"] == lines["team/=1+1.csv"]["total"] == "20"
    pages = sorted(page.name for page in (tmp_path / "pages" / "students").iterdir())
    assert len(pages) == len(files) + 1
    assert "team__1_1.csv.html" in pages
    (tmp_path / "alone").mkdir()
    status, lines = mark_class(tmp_path / "alone", {"prose.md": b"I was ill."}, range(1, 4))
    assert (status, lines["prose.md"]["total"]) == (2, "")  # points are of the key, whatever is handed in


@pytest.mark.parametrize("places", [4, 6])
def test_zeros_that_a_notebook_prints_behind_rounded_numbers_cost_nothing(tmp_path: Path, places: int) -> None:
    """What ``torch.round`` leaves is printed with zeros; the sheet asks for 2 decimals, so these are no digits."""
    student = Student(sheet(1), "none", "full")
    lines = [f"Sheet 1 {sheet(1).check_word}"]
    for name, table in student.tables().items():
        rows = ", ".join(f"[{', '.join(f'{value:.{places}f}' for value in row)}]" for row in table.tolist())
        lines += ["", f"{NAMES[name]} = tensor([{rows}])"]
    status, book = mark_class(tmp_path, {"a.txt": "\n".join(lines).encode()}, range(1, 2))
    assert (status, book["a.txt"]["total"], book["a.txt"]["first error"]) == (0, "20", "")


def test_what_a_key_decides_is_not_asked_beside_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for more, told in ((["--decimals", "3"], "--decimals"), (["--unscaled", "--d-k", "2"], "--unscaled, --d-k")):
        assert main(["mark", str(tmp_path), "--key", str(tmp_path / "keys.json"), *more]) == 2
        assert f"{told} beside --key" in capsys.readouterr().err
    assert main(["mark", str(tmp_path / "a.md"), "--points", "1,2"]) == 2
    assert "--points without --key" in capsys.readouterr().err


GRIDS = {
    "side by side": [["Q", "", "", "K", ""], ["1", "2", "", "3", "4"], ["5", "6", "", "7", "8"]],
    "without a gap": [["Q", "", "K", ""], ["1", "2", "3", "4"], ["5", "6", "7", "8"]],
    "below each other": [["Q", ""], ["1", "2"], ["5", "6"], ["K", ""], ["3", "4"], ["7", "8"]],
    "names beside them": [["Q", "1", "2", "", "K", "3", "4"], ["", "5", "6", "", "", "7", "8"]],
    "heads and rows": [["Q", "d0", "d1", "", "K", "d0", "d1"], ["the", "1", "2", "", "the", "3", "4"],
                       ["a", "5", "6", "", "a", "7", "8"]],
    "a line between": [["", "Q", "", "", "K"], [], ["", "1", "2", "", "3", "4"], ["", "5", "6", "", "7", "8"]],
}  # fmt: skip


@pytest.mark.parametrize("name", GRIDS)
def test_two_tables_are_found_wherever_they_stand_in_a_grid(name: str) -> None:
    expected = {"q": ((1, 2), (5, 6)), "k": ((3, 4), (7, 8))}
    for text in (unfolded(GRIDS[name]), "\n".join("\t".join(row) for row in GRIDS[name]) if "by" in name else ""):
        if text:
            read = tables_in(sorted_tables(text).tables)
            assert {each: table.rows for each, table in read.items() if not isinstance(table, str)} == expected


def test_sheets_that_were_handed_in_twice_are_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    by = {name: Student(sheet(number), "none", "rounded") for name, number in (("a.md", 1), ("b.md", 1), ("c.md", 2))}
    status, lines = mark_class(tmp_path, {n: as_markdown(s, s.tables()) for n, s in by.items()}, range(1, 4))
    told = f"Sheet 1 {sheet(1).check_word} was handed in more than once: a.md, b.md."
    assert status == 0
    assert told in capsys.readouterr().err
    page = (tmp_path / "pages" / "class.html").read_text(encoding="utf-8")
    assert f"<td>1 {sheet(1).check_word}</td><td>a.md, b.md</td>" in page
    assert "others, too: b.md." in lines["a.md"]["to look at"]
    assert lines["c.md"]["to look at"] == ""
    student = (tmp_path / "pages" / "students" / "a.md.html").read_text(encoding="utf-8")
    assert "b.md" not in student  # that is for the teacher alone


def test_each_hand_in_has_a_page_of_its_own(tmp_path: Path) -> None:
    long = "long name " * 18
    names = ["a/b.txt", "a_b.txt", "A_B.txt", *(f"{long} {n}.md" for n in range(3)), f"{'ü' * 110} 1", f"{'ü' * 110} 2"]
    marked = [Marked(name, remarks=(name,)) for name in names]
    pages = page_names(marked)
    assert len({page.lower() for page in pages}) == len(names)
    assert all(len(page.removeprefix("students/").encode()) < 255 for page in pages)
    by = {name: Student(sheet(n), "none", "rounded") for n, name in enumerate(("team/b.md", "team_b.md"))}
    mark_class(tmp_path, {n: as_markdown(s, s.tables()) for n, s in by.items()}, range(3))
    index = (tmp_path / "pages" / "class.html").read_text(encoding="utf-8")
    for name, student in by.items():
        (page,) = re.findall(f'href="([^"]*)">{name}<', index)
        assert f"sheet {student.sheet.seed} {student.sheet.check_word}" in (tmp_path / "pages" / page).read_text(
            "utf-8"
        )


@pytest.mark.parametrize("encoding", ["cp1252", "utf-8", "utf-8-sig", "utf-16"])
def test_a_csv_of_excel_with_an_umlaut_is_marked(encoding: str, tmp_path: Path) -> None:
    student = Student(sheet(1), "none", "rounded")
    text = as_csv(student, student.tables()).decode()
    data = f"Name;Jörg Müßig\n{text}".replace("-", "–" if encoding == "cp1252" else "-").encode(encoding)
    status, lines = mark_class(tmp_path, {"jörg.csv": data}, range(3))
    assert (status, lines["jörg.csv"]["total"]) == (0, "20"), lines


HEADINGS = {
    "German": "Anfragen Schlüssel Werte Punktzahlen Skalierte_Punktzahlen Aufmerksamkeitsgewichte Kontext",
    "German, by a Mac": unicodedata.normalize(
        "NFD", "Abfragen Schlüssel Werte Bewertungen Skalierte_Scores Aufmerksamkeit Kontextvektoren"
    ),
    "German, with articles": "Die_Anfragen Die_Schluessel Die_Werte Die_Scores Skalierte_Werte Gewichte Die_Ausgabe",
    "French": "Requêtes Clés Valeurs Scores Scores_mis_à_l’échelle Poids_d'attention Contexte",
    "French, without accents": "Les_requetes Les_cles Les_valeurs Scores Scores_mis_a_l'echelle Poids Le_contexte",
}


@pytest.mark.parametrize("language", HEADINGS)
def test_headings_in_german_and_french_are_known(language: str, tmp_path: Path) -> None:
    student = Student(sheet(1), "none", "rounded")
    lines = [f"Sheet 1 {student.sheet.check_word}"]
    for heading, table in zip(HEADINGS[language].split(), student.tables().values(), strict=True):
        lines += ["", heading.replace("_", " "), "", *(" ".join(map(str, row)) for row in table.tolist())]
    status, marked = mark_class(tmp_path, {"work.txt": "\n".join(lines).encode()}, range(3))
    assert (status, marked["work.txt"]["total"]) == (0, "20"), marked


def test_where_no_heading_is_known_those_that_are_are_told(tmp_path: Path) -> None:
    _, lines = mark_class(tmp_path, {"work.txt": b"Zapytania\n1 2\n3 4"}, range(3))
    assert "Names are X, W_q, W_k, W_v, Q, K, V, S, S′, A, C, or a word" in lines["work.txt"]["to look at"]
