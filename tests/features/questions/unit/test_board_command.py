"""A question's board on the command line."""

from pathlib import Path

import pytest

from attnviz.commands.main import main
from attnviz.documents import board_page
from attnviz.features.questions.questions import QUESTIONS


def test_a_question_is_written_as_a_page_and_one_that_is_none_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    alone = tmp_path / "a question.html"
    assert main(["board", "--question", QUESTIONS[0].slug, "--html", str(alone)]) == 0
    assert QUESTIONS[0].title[:20] in capsys.readouterr().out
    assert alone.read_text(encoding="utf-8") == board_page(QUESTIONS[0])
    assert main(["board", "--question", "vlaues", "--html", str(alone)]) == 2
    assert "'vlaues' can't be --question. Take one of these: values, self" in capsys.readouterr().err
