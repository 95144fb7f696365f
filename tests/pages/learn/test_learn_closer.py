"""What is looked at closer at a moment of a training: the batch, gradients in numbers, seeds of one's own text."""

import pytest

from attnviz.app.learn.gradients import small
from attnviz.training import train, train_many
from attnviz.words import plural, say
from attnviz.words.numbers import written
from tests.pages.learn.test_learn import FEW, opened, part, with_seeds

TEXT = "the cat sat on the mat. the dog sat on the rug. " * 3


def test_each_text_of_a_step_can_be_read() -> None:
    reader = part(opened(learn=FEW, learn_step="7"), "glass")
    training = train("agreement", seed=5, steps=20)
    words = training.model.task.vocabulary
    texts = [" ".join(words[i] for i in row) for row in training.model.examples(7).ids.tolist()]
    key = f"learn.glass.text.{len(texts)}"
    assert len(texts) == 64
    for at in (0, 5, 63):
        reader.set(key, at)
        assert texts[at] in [each.value for each in reader.at.code]
    listed = reader.at.selectbox(key=key).options
    assert listed == [say("learn.glass.text", n=n + 1, text=text) for n, text in enumerate(texts)]


@pytest.mark.parametrize("matrix", ["w_q", "w_o", "w_e"])
def test_a_matrix_and_its_gradient_stand_in_numbers(matrix: str) -> None:
    training = train("agreement", seed=5, steps=20)
    reader = part(opened(learn=FEW, learn_step="7"), "glass").set("learn.glass.matrix", matrix)
    shown, gradient = "\n".join(each.proto.body for each in reader.at.get("html")), training.gradients(7).of[matrix]
    assert gradient.shape[0] <= 20
    for table in (training.at(7).parameters[matrix], gradient):
        for value in table.flatten().tolist():
            assert f">{small(value, 3)}</td>" in shown
    assert not any(each.startswith("This matrix has") for each in reader.captions)


def test_seeds_of_a_text_of_one_s_own_tell_their_held_out_loss() -> None:
    reader = with_seeds(2, learn="task.text*steps.3", learn_text=TEXT)
    outcomes = train_many("text", range(2), steps=3, text=TEXT)
    ends = sorted(each.held_out_losses[-1] for each in outcomes)
    told = say("learn.seeds.losses", seeds=plural(2, "seed"), low=written(ends[0], 3), high=written(ends[1], 3))
    assert told in reader.texts
    sent = reader.sent("learn_seeds")
    assert not sent["hasLaw"]
    assert not any(each["learned"] for each in sent["seeds"])
    for each, outcome in zip(sent["seeds"], outcomes, strict=True):
        assert each["losses"] == pytest.approx(outcome.held_out_losses, abs=1e-4)
    assert sent["top"] == max(max(each.held_out_losses) for each in outcomes)
