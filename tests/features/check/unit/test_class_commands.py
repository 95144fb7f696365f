"""The command line for teachers: a handout is marked, a class has its sheets and keys."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import torch

from attnviz.commands.main import main
from attnviz.commands.mistyped import check_first_word
from attnviz.core.limits import MAX_FILE_BYTES, MAX_SEED
from attnviz.features.check.exercises.exercise import RESULTS, Exercise
from attnviz.features.check.exercises.gradebook import read_keys, sheet_to_hand_in
from attnviz.features.check.parameters import CHECK_TEXT, Checked
from attnviz.link.state import state_of
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


def test_a_file_whose_name_begins_like_an_option_is_marked(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("-a.md").write_text(HANDOUT.replace("SCORE", "4"), encoding="utf-8")
    assert main(["mark", "./-a.md"]) == 0
    assert "All 4 results are right" in capsys.readouterr().out


@pytest.mark.parametrize("command", [["mark"], ["mark", "handout.md", "--key"]])
def test_of_a_file_that_may_never_end_no_more_is_read_than_can_be_used(
    command: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "zeros"
    with file.open("wb") as zeros:
        zeros.truncate(MAX_FILE_BYTES + 1)
    assert main([*command, str(file)]) == 2
    assert "is larger than 5 MB" in capsys.readouterr().err


@pytest.mark.parametrize("command", [["mark"], ["mark", "handout.md", "--key"]])
def test_a_folder_and_a_pipe_that_nobody_fills_are_refused(
    command: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert main([*command, str(tmp_path / "pipe")]) == 2
    assert "is a pipe, expected a file" in capsys.readouterr().err
    assert main([*command, str(tmp_path)]) == 2
    assert "is a folder, expected a file" in capsys.readouterr().err


def test_what_a_shell_pipes_in_by_a_name_is_read(tmp_path: Path) -> None:
    handout = write(tmp_path, HANDOUT.replace("SCORE", "4"))
    piped = f"{sys.executable} -m attnviz mark <(cat {handout})"
    assert subprocess.run(["bash", "-c", piped], capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize("word", ["modle", "exersice", "Mark", "trian", "boards"])
def test_a_first_word_that_looks_like_a_command_is_asked_about(
    word: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main([word, "--html", str(tmp_path / "page.html")]) == 2
    assert f"for a sentence of this word: attnviz -- {word}" in capsys.readouterr().err
    assert not (tmp_path / "page.html").exists()
    assert main(["--", word]) == 0


@pytest.mark.parametrize("word", ["cat", "attention", "mark this", "-", "exercises for all"])
def test_other_words_are_sentences(word: str) -> None:
    check_first_word(word, ("mark", "exercise", "app", "board", "model", "train", "write"))


def test_a_class_has_a_sheet_and_a_key_for_each_and_links_without_answers(tmp_path: Path) -> None:
    folder = tmp_path / "class"
    arguments = ["exercise", "--seed", "7", "--sheets", "3", "--html", str(folder), "--address", "https://a.org/check"]
    assert main(arguments) == 0
    sheets, keys = ((folder / f"{name}.html").read_text(encoding="utf-8") for name in ("sheets", "keys"))
    for seed in (7, 8, 9):
        exercise = Exercise(seed=seed, fair=True, distinct=True)
        assert say("exercises.sheet_title", name=exercise.encoded()) in sheets
        assert say("exercises.sheet_answers", name=exercise.encoded()) in keys
        link = f"https://a.org/check?check=exercise.{exercise.encoded()}.student"
        assert link in sheets
        read = CHECK_TEXT.decode(parse_qs(urlsplit(link).query)["check"][0])
        assert read == Checked("exercise", exercise=exercise, for_student=True)


def test_without_the_apps_address_sheets_have_no_link_and_it_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for more in ([], ["--hand-in"]):
        assert main(["exercise", "--html", str(tmp_path / "class"), *more]) == 0
        sheets = (tmp_path / "class" / "sheets.html").read_text(encoding="utf-8")
        assert "<svg" not in sheets
        assert "localhost" not in sheets
        assert "--address" in capsys.readouterr().err


@pytest.mark.parametrize("hand_in", [False, True])
def test_no_sheet_has_two_rows_of_attention_weights_alike(hand_in: bool, tmp_path: Path) -> None:
    arguments = ["exercise", "--sheets", "40", "--rung", "2", "--html", str(tmp_path)]
    assert main([*arguments, *(["--hand-in"] if hand_in else [])]) == 0
    for exercise in read_keys((tmp_path / "keys.json").read_text(encoding="utf-8")).values():
        rows = exercise.table("attention_weights").tolist()
        assert len(set(map(tuple, rows))) == len(rows), exercise.encoded()


def test_a_sheet_whose_sizes_have_no_differing_rows_is_drawn_without_looking_for_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With d_k = 1 and four tokens, hardly any whole numbers have them: 4,000 draws took seconds for each sheet."""
    drawn: list[object] = []
    draws = Exercise.draws

    def counted(*given: Any) -> Iterator[list[torch.Tensor]]:
        for each in draws(*given):
            drawn.append(each)
            yield each

    monkeypatch.setattr(Exercise, "draws", counted)
    sheet = sheet_to_hand_in(Exercise(2, 4, 4, 1, blank=RESULTS[3:]), b"s")
    assert len({*map(tuple, sheet.table("attention_weights").tolist())}) < 4
    assert len(drawn) < 500


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
        arguments = ["exercise", "--hand-in", "--sheets", "2", "--rung", "2", "--address", "https://a.org/check"]
        assert main([*arguments, "--html", str(tmp_path / folder)]) == 0
        made.append(read_keys((tmp_path / folder / "keys.json").read_text(encoding="utf-8")))
    assert made[0] == made[1]
    assert made[0] != made[2]
    sheets = (tmp_path / "a" / "sheets.html").read_text(encoding="utf-8")
    for exercise in made[0].values():
        assert say("exercises.sheet_bound", number=exercise.seed, word=exercise.check_word) in sheets
        assert f"check=exercise.{exercise.encoded()}.student" in sheets
    assert say("exercises.sheet_link") not in sheets  # nothing is marked there
