"""What is looked at closer at a moment of a training: the batch, gradients in numbers, many seeds."""

import pytest

from attnviz.features.learn.page.extra_runs import MANY
from attnviz.features.learn.page.gradients import small
from attnviz.features.learn.page.running import shared
from attnviz.features.learn.training import train, train_many
from attnviz.words import plural, say
from attnviz.words.numbers import percent, written
from tests.features.learn.pages.test_learn import FEW, PAGE, SOON, beside, matches, opened, own, part, trained
from tests.pages.reader import Reader, in_address
from tests.unit.helpers import until

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


@pytest.mark.parametrize(("steps", "told"), [(0, "not_begun"), (1, "paused"), (20, "last")])
def test_of_a_step_that_is_not_done_the_glass_says_why(steps: int, told: str) -> None:
    reader = Reader(PAGE).set("learn.steps", 20)
    if steps:
        trained(reader.press(say("learn.one_step")) if steps == 1 else reader.press_key("learn.start"))
    said = [each.value for each in part(reader, "glass").at.text]
    assert [name for name in ("not_begun", "paused", "last") if say(f"learn.glass.{name}") in said] == [told]
    ended = [each for each in said if each.startswith("One more step")]
    assert bool(ended) == (told == "last")


def test_a_matrix_and_its_gradient_stand_in_numbers() -> None:
    training = train("agreement", seed=5, steps=20)
    reader = part(opened(learn=FEW, learn_step="7"), "glass")
    for matrix in ("w_q", "w_o", "w_e"):
        reader.set("learn.glass.matrix", matrix)
        shown, gradient = "\n".join(each.proto.body for each in reader.at.get("html")), training.gradients(7).of[matrix]
        assert gradient.shape[0] <= 20
        for table in (training.at(7).parameters[matrix], gradient):
            for value in table.flatten().tolist():
                assert f">{small(value, 3)}</td>" in shown
        assert not any(each.startswith("This matrix has") for each in reader.captions)


def with_seeds(n: int = 3, waits: bool = True, **address: str) -> Reader:
    """A reader who has so many seeds trained; the press comes before their number is drawn."""
    reader = part(opened(**{"learn": FEW} | address), "seeds")
    reader.at.number_input(key="learn.seeds.n").set_value(n)
    reader.press(say("learn.seeds.start"))
    assert len(beside(reader, MANY).work.asked) == n
    if waits:
        until(lambda: not beside(reader, MANY).active)
        reader.run()
    return reader


def test_many_seeds_are_trained_counted_and_opened() -> None:
    reader, outcomes = with_seeds(), train_many("agreement", range(3), steps=20)
    sent = reader.sent("learn_seeds")
    assert sent["hasLaw"]
    for seed, (each, outcome) in enumerate(zip(sent["seeds"], outcomes, strict=True)):
        assert each["seed"] == seed
        assert each["losses"] == pytest.approx(outcome.held_out_losses, abs=1e-4)
        assert each["accuracies"] == pytest.approx(outcome.accuracies, abs=1e-4)
        assert each["share"] == percent(outcome.accuracies[-1])
    assert say("learn.seeds.axes", top=written(sent["top"], 2)) in reader.captions
    learned = sum(each.accuracy >= 0.9 for each in outcomes)
    assert say("learn.seeds.share", learned=learned, all=3, least="90 %") in reader.texts

    def click(seed: int) -> None:
        """Click the picture of a seed, as the browser tells it."""
        trained(reader.tell("learn.seeds", "seed", seed))
        assert matches(reader, train("agreement", steps=20, seed=1), 20)

    click(1)
    assert in_address(reader.at, "learn") == "task.agreement*seed.1*steps.20"
    own(reader).part = None
    trained(reader.set("learn.seed", 9).press(say("learn.one_step")))
    part(reader, "seeds")
    trained(reader.press(say("learn.seeds.start")) if reader.can_press(say("learn.seeds.start")) else reader)
    click(1)  # in place of what is paused
    assert reader.messages == []
    assert own(reader).job is None
    assert not own(reader).start_now


def test_seeds_of_a_text_of_one_s_own_tell_their_held_out_loss() -> None:
    reader = with_seeds(2, learn="task.text*steps.3", learn_text=TEXT)
    outcomes = train_many("text", range(2), steps=3, text=TEXT)
    ends = sorted(each.held_out_losses[-1] for each in outcomes)
    told = say("learn.seeds.losses", seeds=plural(2, "seed"), low=written(ends[0], 3), high=written(ends[1], 3))
    assert told in reader.texts
    sent = reader.sent("learn_seeds")
    assert not sent["hasLaw"]
    assert not any(each["learned"] for each in sent["seeds"])
    assert sent["top"] == max(max(each.held_out_losses) for each in outcomes)


def test_seeds_that_are_no_longer_asked_for_do_not_run_on() -> None:
    reader = with_seeds(200, waits=False)
    job = beside(reader, MANY)
    assert job.active
    reader.set("learn.seeds.n", 20)
    assert not job.active
    assert shared().pool.settled(job, SOON)
    assert reader.can_press(say("learn.seeds.start"))
