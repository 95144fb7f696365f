"""The command line for teachers: a handout is marked, a class has its sheets and keys."""

from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from attnviz.commands.main import main
from attnviz.core.limits import MAX_SEED
from attnviz.exercises.exercise import RESULTS, Exercise
from attnviz.exercises.gradebook import read_keys, sheet_to_hand_in
from attnviz.link.page_texts import CHECK_TEXT, Checked
from attnviz.link.state import state_of
from attnviz.tables.reading import MAX_UPLOAD_BYTES
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


@pytest.mark.parametrize("command", [["mark"], ["study", "--results"]])
def test_of_a_file_that_may_never_end_no_more_is_read_than_can_be_used(
    command: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "zeros"
    with file.open("wb") as zeros:
        zeros.truncate(MAX_UPLOAD_BYTES + 1)
    assert main([*command, str(file)]) == 2
    assert "the file goes on behind 8,000,000 bytes" in capsys.readouterr().err


def test_a_class_has_a_sheet_and_a_key_for_each_and_links_without_answers(tmp_path: Path) -> None:
    folder = tmp_path / "class"
    arguments = ["exercise", "--seed", "7", "--sheets", "3", "--html", str(folder), "--address", "https://a.org/check"]
    assert main(arguments) == 0
    sheets, keys = ((folder / f"{name}.html").read_text(encoding="utf-8") for name in ("sheets", "keys"))
    for seed in (7, 8, 9):
        exercise = Exercise(seed=seed, fair=True)
        assert say("exercises.sheet_title", name=exercise.encoded()) in sheets
        assert say("exercises.sheet_answers", name=exercise.encoded()) in keys
        link = f"https://a.org/check?check=exercise.{exercise.encoded()}.student"
        assert link in sheets
        read = CHECK_TEXT.decode(parse_qs(urlsplit(link).query)["check"][0])
        assert read == Checked("exercise", exercise=exercise, for_student=True)


@pytest.mark.parametrize("like", [Exercise(), Exercise(MAX_SEED, 5, 4, 4, False, blank=RESULTS)])
def test_the_link_of_a_sheet_to_hand_in_is_read_as_it_was_written(like: Exercise) -> None:
    wanted = Checked("exercise", exercise=sheet_to_hand_in(like, b"a secret"), for_student=True)
    opened = state_of({"check": CHECK_TEXT.encode(wanted)}, ["check"])
    assert (opened.values["check"], opened.messages) == (wanted, ())


def test_sheets_to_hand_in_are_made_again_from_their_secret_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []
    for folder, secret in (("a", "one"), ("b", "one"), ("c", "two")):
        monkeypatch.setenv("ATTNVIZ_SECRET", secret)
        assert main(["exercise", "--hand-in", "--sheets", "2", "--rung", "2", "--html", str(tmp_path / folder)]) == 0
        made.append(read_keys((tmp_path / folder / "keys.json").read_text(encoding="utf-8")))
    assert made[0] == made[1]
    assert made[0] != made[2]
    sheets = (tmp_path / "a" / "sheets.html").read_text(encoding="utf-8")
    for exercise in made[0].values():
        assert say("exercises.sheet_bound", number=exercise.seed, word=exercise.check_word) in sheets
        assert f"check=exercise.{exercise.encoded()}.student" in sheets
    assert say("exercises.sheet_link") not in sheets  # nothing is marked there
