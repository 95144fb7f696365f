"""A class is marked: points, causes and what can't be read equal what was planted, and one bad file stops nothing."""

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from attnviz.commands.main import main
from attnviz.exercises.exercise import RESULTS, Exercise, left_out
from attnviz.exercises.gradebook import keys_json, sheet_to_hand_in
from attnviz.marking.handout import tables_in
from attnviz.tables.grids import unfolded
from attnviz.tables.handout import sorted_tables
from tests.unit.marking.class_of_students import FORMATS, SLIPS, WAYS, Student, as_csv, as_markdown, xlsx

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
        "photo.jpg": (b"\xff\xd8\xff\xe0", "picture"),
        "bytes.csv": (b"Q\n1 \xff 2", "0xff"),
        "deep.json": (b'{"Q": ' + b"[" * 100_000, "no table"),
        "long.txt": (b"1" * 9_000_000, "goes on"),
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
    assert "3 hand-ins of 15 are marked." in capsys.readouterr().out
    for name, (_, why) in bad.items():
        assert why in lines[name]["to look at"], (name, lines[name])
        assert lines[name]["total"] == ""
    assert "isn't opened" in lines["link.md"]["to look at"]
    wide = (tmp_path / "pages" / "students" / "wide.md.html").read_text(encoding="utf-8")
    assert "V isn&#x27;t marked: it has 3 rows and 3 columns, and 3 rows and 2 columns are asked for." in wide
    assert lines["wide.md"]["total"] == "18"
    assert lines["good.md"]["total"] == lines["team/=1+1.csv"]["total"] == "20"
    pages = sorted(page.name for page in (tmp_path / "pages" / "students").iterdir())
    assert len(pages) == 15
    assert "team__1_1.csv.html" in pages
    (tmp_path / "alone").mkdir()
    status, lines = mark_class(tmp_path / "alone", {"prose.md": b"I was ill."}, range(1, 4))
    assert (status, lines["prose.md"]["total"]) == (2, "")  # points are of the key, whatever is handed in


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
