"""Each question can be answered by what is to be seen: what its answer says holds on its example, and shows."""

import math
import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest
import torch

from attnviz import Scenario
from attnviz.colours.palette import theme
from attnviz.core.scenario import traced
from attnviz.core.stages import EVERY_STAGE, STAGES
from attnviz.documents import table_svg
from attnviz.explanation.head_figures import score_parts
from attnviz.features.questions.about.masks_and_heads import NUMBERED
from attnviz.features.questions.about.order import RATE
from attnviz.features.questions.parameters import Example, example_from_text, example_text
from attnviz.features.questions.questions import QUESTIONS, Option, Question
from attnviz.features.questions.variations import distance_outside, next_token_loss, training_step
from attnviz.figures import points_spec, small_picture
from attnviz.figures.small_tables import table_picture
from attnviz.link.set_up import query_of, scenario_from_query
from attnviz.words import say
from tests.features.questions.unit.seen.world import IDS, World, every_choice
from tests.features.questions.unit.test_seen import judge

_NAMED = {question.slug: question for question in QUESTIONS}
VALUES, SUM, AXIS, SYMMETRY, SELF, LEARNED = (
    _NAMED[slug] for slug in ("values", "sum", "axis", "symmetry", "self", "learned")
)


def pressed(question: Question, *names: str, scenario: Scenario | None = None) -> Scenario:
    """The example after these buttons, called as the catalogue calls them."""
    scenario = scenario or question.start
    for name in names:
        label = say(f"questions.{question.name}.press.{name}")
        (preset,) = (each for each in question.presets if each.label == label)
        scenario = question.pressed(preset, scenario)
    return scenario


def says(question: Question, scenario: Scenario | None = None, **options: str) -> str:
    return " ".join(question.look(scenario or question.start, options, 4).sentences)


def tried(question: Question) -> list[Scenario]:
    """The example after each button and each end of each slider."""
    examples = [question.start, *(question.pressed(preset, question.start) for preset in question.presets)]
    for control in question.controls:
        for value in (control.low, control.high):
            examples.append(control.change(question.start, value))
            assert control.read(examples[-1]) == value
    return examples


@pytest.mark.parametrize("question", QUESTIONS, ids=IDS)
def test_a_learned_matrix_stands_with_what_is_made_of_it_and_a_product_with_its_factors(question: Question) -> None:
    # Alone it would stand beside the tokens' names, as if its rows were tokens.
    stages = [EVERY_STAGE[name] for name in question.shows]
    learned = {stage.name for stage in stages if stage.origin == "learned" and not stage.is_vector}
    made = {source for stage in stages for source in stage.sources}
    assert learned <= made
    for product, factors in (("scores", {"q", "k"}), ("scaled_scores", {"q", "k"}), ("context", {"attention_weights"})):
        begun = product in question.shows and {"x", "q", "v"} & {*question.shows}
        assert not begun or factors <= {*question.shows}


@pytest.mark.parametrize("question", QUESTIONS, ids=IDS)
def test_its_small_picture_is_of_its_own_example_and_none_of_zeros(question: Question) -> None:
    for matrix, _ in question.pictured:
        assert matrix.isfinite().all()
        assert matrix.max() > matrix.min()
    drawn = {
        dark: small_picture([(m.numpy(), role) for m, role in question.pictured], dark=dark) for dark in (False, True)
    }
    assert drawn[False] != drawn[True]
    for svg in drawn.values():
        cells = [rect for rect in ElementTree.fromstring(svg).iter() if rect.get("fill", "none") != "none"]
        assert len(cells) == sum(matrix.numel() for matrix, _ in question.pictured)


@pytest.mark.parametrize("question", QUESTIONS, ids=IDS)
def test_everything_can_be_tried_is_told_truly_shown_and_carried_by_a_link(question: Question) -> None:
    chosen = [question.defaults]
    chosen += [question.defaults | {o.name: choice} for o in question.options for choice in every_choice(o)]
    for scenario in tried(question):
        assert scenario_from_query(query_of(scenario)) == (scenario, [])
        for options in chosen:
            for query in range(len(scenario.tokens)):
                judge(World(question, scenario, options, 4, query))
            example = Example(scenario, options, question.first_followed(question.start))
            assert example_from_text(question, example_text(question, example)) == (example, [])
            seen = question.look(scenario, options, 3)
            assert 0 < len(set(seen.sentences)) == len(seen.sentences), "nothing is said twice"
            for table in seen.tables:
                assert table_picture(table, 3, dark=True).z.shape == table.matrix.shape
            if seen.points:
                assert len(points_spec(seen.points)["data"]) == 3
    assert set(question.shows) <= set(EVERY_STAGE)
    assert all(question.answer)


def changed(name: str) -> str:
    """How a sentence begins that says that a matrix changed."""
    return say("seen.changed", matrix=STAGES[name].title, gap="|").partition("|")[0]


def same(name: str) -> str:
    return say("seen.same", matrix=STAGES[name].title)


@pytest.mark.parametrize("question", QUESTIONS, ids=IDS)
def test_a_button_does_the_same_whatever_was_pressed_before_or_goes_on_from_there(question: Question) -> None:
    for first in question.presets:
        for then in question.presets:
            if then.of == "start":
                assert question.pressed(then, question.pressed(first, question.start)) == then.change(question.start)


SCORES, WEIGHTS = (say(f"seen.symmetry.{name}") for name in ("scores", "attention_weights"))
ALIKE = "“black” and “cat” read differently"
# What an answer says is seen after these buttons, and numbers that it promises.
SHOWN: list[tuple[Question, tuple[str, ...], list[str], dict[str, list[list[float]]]]] = [
    *((VALUES, (name,), [same("attention_weights"), changed("context")], {})
      for name in ("identity", "zeros", "one_feature")),
    (VALUES, ("zeros", "no_keys"), ["So every context vector is the plain mean"],
     {"attention_weights": [[0.25] * 4] * 4}),
    (SUM, ("identity",), [say("seen.sum.identity")], {}),
    (SUM, ("equal",), [ALIKE], {}),
    (SUM, ("line",), [ALIKE], {"attention_weights": [[0.5, 0.5, 0], [0, 0, 1]], "context": [[1, 0], [1, 0]]}),
    (SYMMETRY, (), [f"The {SCORES} aren't symmetric"], {}),
    (SYMMETRY, ("equal",), [say("seen.symmetry.same", matrix=SCORES), f"The {WEIGHTS} aren't symmetric"], {}),
    (SYMMETRY, ("smallest",), [], {"scores": [[0, 1], [0, 0]]}),
    (SELF, (), [say("seen.self.count", n=4, tokens=4)], {}),
    (SELF, ("lengthen",), ["“fluffy” reads “cat” most", "“mouse” reads “cat” most", "“cat” is the longest"], {}),
    (SELF, ("two",), [], {"scores": [[1, 3], [3, 9]]}),
    (SELF, ("one_hot",), [say("seen.self.count", n=4, tokens=4)], {}),
    (SELF, ("shift",), [say("seen.self.count", n=0, tokens=4)], {}),
]  # fmt: skip


@pytest.mark.parametrize(("question", "names", "said", "numbers"), SHOWN)
def test_what_an_answer_says_is_seen_after_its_buttons(
    question: Question, names: tuple[str, ...], said: list[str], numbers: dict[str, list[list[float]]]
) -> None:
    scenario = pressed(question, *names)
    assert judge(World(question, scenario, question.defaults, 4, question.first_followed(question.start)))
    assert [each for each in said if each not in says(question, scenario)] == []
    for name, rows in numbers.items():
        torch.testing.assert_close(traced(scenario)[name][: len(rows)], torch.tensor(rows).float())


def test_8_only_rows_are_ticked_and_the_contexts_of_others_lie_far_enough_outside_to_be_seen() -> None:
    (option,) = AXIS.options
    assert isinstance(option, Option)
    _, columns, whole = option.choices
    for wrong in (columns, whole):
        seen = AXIS.look(AXIS.start, {"axis": wrong}, 2)
        assert seen.points
        assert distance_outside(seen.points.contexts, seen.points.values).min() > 0.5, "far enough to be seen"
        assert "✓" not in table_svg(seen.tables[0], 2), "no columns ticked as if all were well"
    drawn = ElementTree.fromstring(table_svg(AXIS.look(AXIS.start, {}, 2).tables[0], 2, dark=True))
    ticked = [each for each in drawn if "✓" in str(each.text)]
    assert [each.attrib["fill"] for each in ticked] == [theme(True).right] * 3


def test_10_w_k_alone_makes_another_diagonal_dark_and_nobody_is_the_longest() -> None:
    bright, dark = pressed(SELF, "one_hot"), pressed(SELF, "shift")
    assert replace(bright, w_k=dark.w_k) == dark
    assert traced(dark).attention_weights.argmax(-1).tolist() == [1, 2, 3, 0]
    for scenario in (bright, dark, replace(SELF.start, w_q="zeros")):
        assert "is the longest" not in says(SELF, scenario), "where nobody prefers itself for its length"


def test_11_a_step_moves_the_projections_alone_and_the_loss_falls() -> None:
    scenario, losses = LEARNED.start, list[float]()
    for _ in range(3):
        losses += map(float, re.findall(r"The loss is (\d\.\d+)", says(LEARNED, scenario)))
        scenario = LEARNED.pressed(LEARNED.presets[0], scenario)
        assert judge(World(LEARNED, scenario, LEARNED.defaults, 4, 0))
    assert losses[0] == 0.4438
    assert losses[0] - losses[2] > 0.05
    assert {edit.matrix for edit in scenario.edits} == {"w_q", "w_k", "w_v"}
    assert say("seen.learned.other_sentence") in says(LEARNED, pressed(LEARNED, "dog", scenario=scenario))


def _question(name: str) -> Question:
    (question,) = (each for each in QUESTIONS if each.name == name)
    return question


def test_13_what_is_left_of_a_row_can_be_too_small_to_be_divided_by() -> None:
    usual = replace(_question("late_mask").start, temperature=0.01)
    late = replace(usual, mask_use="renormalized")
    same = torch.isclose(traced(late).attention_weights, traced(usual).attention_weights, atol=1e-5)
    assert not bool(same.all())
    assert bool(traced(late).attention_weights[~same].isnan().all())
    assert "too small" in _question("late_mask").answer[1]


def test_15_its_heads_read_different_tokens_most() -> None:
    question = _question("heads")
    for query in range(len(question.start.tokens)):
        for n in ("two", "four"):
            told = question.look(question.start, {"n": n}, 4, query).sentences
            assert sum(each.startswith("Head ") for each in told) == NUMBERED[n]
            most = {found[1] for each in told if (found := re.search("reads (.+) most", each))}
            assert len(most) > 1
    evenly = question.look(question.start, {"n": "four"}, 4, 1).sentences
    assert any("reads all 4 tokens equally" in each for each in evenly)  # which reads none of them most


@pytest.mark.parametrize("n_keys", [2, 3, 10, 1000])
def test_17_no_cosine_gives_a_token_more_than_the_answer_says_of_what_another_gets(n_keys: int) -> None:
    question = _question("cosine")
    cosines = torch.full((n_keys,), -1.0, dtype=torch.float64)
    cosines[0] = 1.0
    for divisor, said in ((1.0, "e² = {:.1f} times"), (math.sqrt(question.start.d_out), "e^1.41 = {:.1f} times")):
        weights = torch.softmax(cosines / divisor, 0)
        assert said.format(float(weights[0] / weights[1])) in question.answer[0]
        assert (float(weights[0]) > 0.8) == (n_keys == 2), "of two, one can stand out"
    assert f"{2 / math.sqrt(question.start.d_out):.2f}" == "1.41"


def test_17_on_its_board_no_weight_is_further_ahead() -> None:
    question = _question("cosine")
    for times in ("one", "three", "ten"):
        weights = question.drawn_trace(question.start, {"scores": "cosine", "times": times}).attention_weights
        most = math.exp(2 / math.sqrt(question.start.d_out))
        assert float((weights.amax(-1) / weights.amin(-1)).max()) <= most * (1 + 1e-6)


def test_21_one_of_the_four_parts_is_the_largest() -> None:
    question = _question("parts")
    query = question.first_followed(question.start)
    parts = [float(each[query, query + 1]) for each in score_parts(traced(question.start))]
    first, second = sorted(parts, reverse=True)[:2]
    assert first > second + 0.1


def test_11_what_is_said_of_less_is_so() -> None:
    """The loss falls, and “sat” reads more of “cat”, with each of the steps that the answer speaks of."""
    question = _question("learned")
    scenario = question.start
    for _ in range(20):
        after = training_step(scenario, RATE)
        assert next_token_loss(traced(after)) < next_token_loss(traced(scenario))
        assert traced(after).attention_weights[2, 1] > traced(scenario).attention_weights[2, 1]
        scenario = after


def test_24_what_is_said_of_the_same_is_what_its_view_shows() -> None:
    multiply = _question("multiply")
    assert multiply.predicts.wrong["same"] == {"c": "ten"}
    assert "X is times 10" in say("questions.multiply.wrong.same")


def test_23_the_example_shows_what_the_answer_says_of_16_bits() -> None:
    question = _question("numerics")
    off, on, other = (
        " ".join(question.look(question.start, {"dtype": dtype, "shift": shift}, 4).sentences)
        for dtype, shift in (("float16", "off"), ("float16", "on"), ("bfloat16", "on"))
    )
    assert math.exp(12) > torch.finfo(torch.float16).max == 65504
    assert float(re.findall(r"The largest score is ([\d.]+);", off)[0]) > 12
    assert "aren't numbers" in off
    assert "0 are 0" not in on
    gap = float(re.findall(r"at most ([\d.]+e−\d+) off", other)[0].replace("−", "-"))
    assert 1e-3 <= gap < 1e-2, "in the third digit"


def test_24_zeros_have_no_factor() -> None:
    multiply = _question("multiply")
    assert "This multiplies Q by 2.0000, the scores by 4.0000." in says(
        multiply, replace(multiply.start, w_v="zeros"), c="two"
    )
