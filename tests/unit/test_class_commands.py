"""The command line for teachers: a handout is marked, a class has its sheets and keys."""

from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from attnviz.commands.main import main
from attnviz.exercises.exercise import Exercise
from attnviz.link.page_texts import Checked, CheckText
from attnviz.words import say

HANDOUT = """# Scores by hand

## Q

| | d0 | d1 |
|---|---|---|
| the | 1 | 0 |
| cat | 0 | 1 |

The keys of the two words are these:

$$K = \\begin{pmatrix} 1 & 2 \\\\ 3 & 4 \\end{pmatrix}$$

Scores S:

1 3
2 SCORE
"""


def write(folder: Path, text: str) -> str:
    file = folder / "handout.md"
    file.write_text(text, encoding="utf-8")
    return str(file)


def test_a_handout_is_marked_and_its_status_says_whether_all_is_right(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["mark", write(tmp_path, HANDOUT.replace("SCORE", "4"))]) == 0
    assert "All 4 results are right" in capsys.readouterr().out
    page, lines = tmp_path / "marks.html", tmp_path / "marks.csv"
    wrong = write(tmp_path, HANDOUT.replace("SCORE", "5"))
    assert main(["mark", wrong, "--html", str(page), "--csv", str(lines), "--tokens", "the, cat"]) == 1
    assert "The first error is the score of “cat” for “cat”, S[1, 1]: 5 should be 4." in capsys.readouterr().out
    assert page.read_text(encoding="utf-8").count('<td class="wrong"') == 1
    assert lines.read_text(encoding="utf-8").splitlines()[-1].startswith("Scores,1,1,cat,cat,5,wrong,4")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Nothing of the kind.", "the file names no table"),
        (HANDOUT.replace("SCORE", "oops"), "S isn't read. Line 2: “oops” isn't a number."),
        ("Q = [[1]]\nQ = [[2]]\nK = [[2]]", "holds q more than once"),
        ("%PDF-1.7", "This is a PDF"),
        ("Q = [[1, 2]]\nK = [[1]]", "K has 1 row and 1 column, expected 2 columns"),
    ],
)
def test_what_cannot_be_marked_is_said_and_is_no_success(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str, message: str
) -> None:
    assert main(["mark", write(tmp_path, text)]) == 2
    assert message in capsys.readouterr().err


def test_a_class_has_a_sheet_and_a_key_for_each_and_links_without_answers(tmp_path: Path) -> None:
    folder = tmp_path / "class"
    arguments = ["exercise", "--seed", "7", "--sheets", "3", "--html", str(folder), "--address", "https://a.org/check"]
    assert main(arguments) == 0
    sheets, keys = ((folder / f"{name}.html").read_text(encoding="utf-8") for name in ("sheets", "keys"))
    for seed in (7, 8, 9):
        exercise = Exercise(seed=seed)
        assert say("exercises.sheet_title", name=exercise.encoded()) in sheets
        assert say("exercises.sheet_answers", name=exercise.encoded()) in keys
        link = f"https://a.org/check?check=exercise.{exercise.encoded()}.student"
        assert link in sheets
        read = CheckText().decode(parse_qs(urlsplit(link).query)["check"][0])
        assert read == Checked("exercise", exercise=exercise, for_student=True)


def test_a_sentence_of_one_of_these_words_is_still_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--", "mark"]) == 0
    assert "mark" in capsys.readouterr().out
