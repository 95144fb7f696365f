"""Each question can be answered by what is to be seen: what its answer says holds on its example, and shows."""

import re
from dataclasses import replace

import pytest
import torch

from attnviz import Edit, Scenario
from attnviz.figures import points_spec, table_spec
from attnviz.figures.palette import theme
from attnviz.lesson import STEPS
from attnviz.link import query_of, scenario_from_query
from attnviz.questions import QUESTIONS, Exponent, Option, Question
from attnviz.scenario import traced
from attnviz.stages import STAGES
from attnviz.sweep_settings import decode_settings

VALUES, SUM, BIASES, SIZES, ROOT, WHICH_D, WHERE, AXIS, SYMMETRY, SELF, LEARNED, ORDER = QUESTIONS


def pressed(question: Question, *labels: str) -> Scenario:
    """The example after these buttons."""
    scenario = question.start
    for label in labels:
        (preset,) = (each for each in question.presets if each.label == label)
        scenario = preset.change(scenario)
    return scenario


def moved(question: Question, name: str, value: float, scenario: Scenario | None = None) -> Scenario:
    """The example after a slider."""
    (control,) = (each for each in question.controls if each.name == name)
    now = control.change(scenario or question.start, value)
    assert control.read(now) == value
    return now


def says(question: Question, scenario: Scenario | None = None, **options: str) -> str:
    return " ".join(question.look(scenario or question.start, options, 4).sentences)


def choices_of(option: Option | Exponent) -> tuple[str, ...]:
    return ("0", "0.35", "1") if isinstance(option, Exponent) else option.choices


def tried(question: Question) -> list[Scenario]:
    """The example after each button and each end of each slider."""
    examples = [question.start, *(preset.change(question.start) for preset in question.presets)]
    for control in question.controls:
        examples += [moved(question, control.name, value) for value in (control.low, control.high)]
    return examples


@pytest.mark.parametrize("question", QUESTIONS, ids=range(1, 13))
def test_everything_can_be_tried_shown_and_carried_by_a_link(question: Question) -> None:
    chosen = [question.defaults, *({o.name: choice} for o in question.options for choice in choices_of(o))]
    for scenario in tried(question):
        assert scenario_from_query(query_of(scenario)) == (scenario, [])
        for options in chosen:
            assert question.from_link(question.in_link(scenario, options)) == (scenario, options, [])
            seen = question.look(scenario, options, 3)
            assert seen.sentences
            for table in seen.tables:
                assert table_spec(table, 3, dark=True)["data"][0]["z"].shape == table.matrix.shape
            if seen.points:
                assert len(points_spec(seen.points)["data"]) == 3
    assert set(question.shows) <= set(STAGES)
    assert 1 <= question.step <= len(STEPS)
    assert decode_settings(question.sweep)[1] == []
    assert all(question.answer)


def test_1_the_same_weights_with_other_contexts() -> None:
    start = traced(VALUES.start)
    for label in ("W_v = identity", "W_v = zeros", "W_v keeps one feature"):
        now = traced(pressed(VALUES, label))
        assert torch.equal(now.attention_weights, start.attention_weights)
        assert not torch.allclose(now.context, start.context)
        told = says(VALUES, pressed(VALUES, label))
        assert "Attention weights: the same as at the start." in told
        assert "Context vectors: changed by up to" in told
    uniform = traced(pressed(VALUES, "W_k = zeros"))
    torch.testing.assert_close(uniform.attention_weights, torch.full((4, 4), 0.25))
    torch.testing.assert_close(uniform.context, uniform.v.mean(0).expand(4, 3))


def test_2_one_case_where_weights_can_be_read_off_and_two_where_they_cannot() -> None:
    told = traced(pressed(SUM, "V = identity"))
    assert torch.equal(told.context, told.attention_weights)
    assert "gives them back" in says(SUM, pressed(SUM, "V = identity"))
    for label in ("Three values on a line", "Two equal values"):
        hidden = traced(pressed(SUM, label))
        torch.testing.assert_close(hidden.context[0], hidden.context[1])
        assert (hidden.attention_weights[0] - hidden.attention_weights[1]).abs().max() > 0.5
        assert "their contexts are the same" in says(SUM, pressed(SUM, label))
    line = traced(pressed(SUM, "Three values on a line"))
    torch.testing.assert_close(line.attention_weights[:2], torch.tensor([[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]]))
    torch.testing.assert_close(line.context[:2], torch.tensor([[1.0, 0.0], [1.0, 0.0]]))


def test_3_the_key_bias_alone_leaves_the_attention_weights() -> None:
    start = traced(BIASES.start)
    key = traced(moved(BIASES, "b_k", 2.0))
    torch.testing.assert_close(key.attention_weights, start.attention_weights, atol=2e-6, rtol=0)
    slid = key.scores - start.scores
    torch.testing.assert_close(slid, slid[:, :1].expand_as(slid), atol=1e-5, rtol=0)
    assert slid.abs().max() > 1
    assert "Attention weights: the same" in says(BIASES, moved(BIASES, "b_k", 2.0))
    assert "Attention weights: changed" in says(BIASES, moved(BIASES, "b_q", 2.0))
    for value in (-3.0, 0.5, 1.0, 2.0):
        assert "moved by the same" not in says(BIASES, moved(BIASES, "b_k", value))  # but for rounding
    assert "moved by the same (2.0000, 2.0000): that is b_v" in says(BIASES, moved(BIASES, "b_v", 2.0))


def test_4_the_one_forced_equality_and_what_d_v_moves() -> None:
    wider = moved(SIZES, "d_v", 5)
    assert torch.equal(traced(wider).scores, traced(SIZES.start).scores)
    assert "C: n × d_v = 3 × 5" in says(SIZES, wider)
    assert "Scores: the same" in says(SIZES, wider)
    refused = says(SIZES, w_k="broken: W_k one wider")
    assert SIZES.notes(traced(wider))["v"] == "n × d_v = 3 × 5"
    assert "cannot be computed: w_k has shape (4, 3), expected (4, 2) like w_q" in refused
    assert "(3 × 2) times (3 × 3)" in refused
    assert "S: n × n = 3 × 3" in says(SIZES, moved(SIZES, "d_in", 7))


def test_5_only_the_root_keeps_the_largest_weight_where_it_is() -> None:
    numbers = {
        words: [float(number) for number in re.findall(r"(0\.\d\d) at", sentence)]
        for words, _, sentence in (each.partition(":") for each in ROOT.look(ROOT.start, {}, 4).sentences[1:])
    }
    # 300 trials: a standard error is at most 0.01.
    assert numbers["raw"] == pytest.approx([0.46, 0.68, 0.89, 0.96], abs=0.04)
    assert numbers["divided by √d_k"] == pytest.approx([0.39, 0.41, 0.42, 0.42], abs=0.04)
    assert numbers["divided by d_k"] == pytest.approx([0.32, 0.25, 0.19, 0.18], abs=0.04)
    assert "own p" in decode_settings(ROOT.sweep)[0].scales
    verdicts = {"0": "too little", "0.25": "too little", "0.5": "flat", "0.75": "too much", "1": "too much"}
    for p, verdict in verdicts.items():
        assert verdict in ROOT.look(ROOT.start, {"p": p}, 4).sentences[0]


def test_6_the_divisor_depends_on_d_k_alone_and_the_wrong_root_flattens() -> None:
    assert {traced(moved(WHICH_D, "d_in", d)).divisor for d in (1, 5, 16)} == {2**0.5}
    assert "√d_k = √5, whatever d_in is" in says(WHICH_D, moved(WHICH_D, "d_out", 5))
    wrong = pressed(WHICH_D, "Divide by √d_in instead")
    assert traced(wrong).divisor == pytest.approx(8**0.5)
    assert traced(wrong).attention_weights.max() < traced(WHICH_D.start).attention_weights.max()
    assert "√d_in = √8, which is not the scores' own" in says(WHICH_D, wrong)
    assert traced(moved(WHICH_D, "d_in", 3, wrong)).divisor == pytest.approx(3**0.5)
    assert pressed(WHICH_D, "Divide by √d_in instead", "Divide by √d_k") == WHICH_D.start
    assert "0.644, 0.237, 0.087, 0.032" in says(WHICH_D)


def test_7_queries_and_keys_change_and_the_weights_cannot() -> None:
    places = {"on the queries": "Q", "half on queries and keys each": "QK", "on the scores": ""}
    assert list(places) == list(WHERE.options[0].choices)
    for place, changed in places.items():
        told = says(WHERE, place=place)
        assert "Attention weights: the same" in told
        assert "Scaled scores: the same" in told
        for symbol in "QK":
            assert bool(re.search(f"{symbol}, [a-z]+: other numbers", told)) == (symbol in changed)
        scaled, weights = WHERE.look(WHERE.start, {"place": place}, 4).tables[2:]
        torch.testing.assert_close(weights.matrix, traced(WHERE.start).attention_weights)
        torch.testing.assert_close(scaled.matrix, traced(WHERE.start).scaled_scores)


def test_8_only_rows_hand_out_100_percent() -> None:
    assert "column sums: 2.1175, 0.4413, 0.4413" in says(AXIS)
    assert "Row sums: 1.1214, 1.1214, 0.7572" in says(AXIS, axis="each column")
    assert "no mix" in says(AXIS, axis="the whole matrix")
    assert "no mix" not in says(AXIS)
    margins = [each["text"] for each in table_spec(AXIS.look(AXIS.start, {}, 2).tables[0], 2)["layout"]["annotations"]]
    assert margins.count("1.00 ✓") == 3
    columns = table_spec(AXIS.look(AXIS.start, {"axis": "each column"}, 2).tables[0], 2, dark=True)
    ticked = [each for each in columns["layout"]["annotations"] if "✓" in each["text"]]
    assert [(each["x"], each["font"]["color"]) for each in ticked] == [
        (column, theme(True).right) for column in range(3)
    ]


def test_9_symmetric_scores_with_weights_that_are_not() -> None:
    assert "The scores are not symmetric" in says(SYMMETRY)
    same = pressed(SYMMETRY, "W_k = W_q")
    assert "The scores are symmetric. The attention weights are not symmetric" in says(SYMMETRY, same)
    scores, weights = SYMMETRY.look(same, {}, 4).tables
    assert scores.matrix.abs().max() < 1e-5
    assert weights.matrix.abs().max() > 0.01
    smallest = traced(pressed(SYMMETRY, "The smallest example"))
    assert (smallest.scores[0, 1], smallest.scores[1, 0]) == (1, 0)


def test_10_a_longer_neighbour_wins_and_w_k_alone_makes_the_diagonal_dark() -> None:
    start = traced(SELF.start)
    assert start.attention_weights.argmax(-1).tolist() == [0, 1, 2, 3]
    longer = traced(pressed(SELF, "Lengthen 'cat'")).attention_weights.argmax(-1).tolist()
    assert longer.count(1) == 3
    published = traced(pressed(SELF, "(1, 0) and (3, 0)"))
    assert published.scores.tolist() == [[1, 3], [3, 9]]
    bright, dark = pressed(SELF, "One-hot tokens, W_k = I"), pressed(SELF, "One-hot tokens, W_k shifts")
    assert replace(bright, w_k=dark.w_k) == dark
    assert traced(bright).attention_weights.argmax(-1).tolist() == [0, 1, 2, 3]
    assert traced(dark).attention_weights.argmax(-1).tolist() == [1, 2, 3, 0]
    wide = traced(moved(SELF, "d", 16)).attention_weights
    assert wide.diag().min() > start.attention_weights.diag().max()


def test_11_a_step_moves_the_projections_alone_and_the_loss_falls() -> None:
    losses, promised = [], ["1.1958"]
    scenario = LEARNED.start
    for _ in range(3):
        told = says(LEARNED, scenario)
        loss, after = re.findall(r"(?:vector, is|One more step makes it) (\d\.\d+)", told)
        assert loss == promised[-1]
        losses.append(float(loss))
        promised.append(after)
        scenario = LEARNED.presets[0].change(scenario)
    assert losses == sorted(losses, reverse=True)
    assert losses[0] - losses[2] > 0.05
    assert {edit.matrix for edit in scenario.edits} == {"w_q", "w_k", "w_v"}
    other = LEARNED.presets[2].change(scenario)
    assert all(torch.equal(other.matrix(w), scenario.matrix(w)) for w in ("w_q", "w_k", "w_v"))
    moved = traced(other).attention_weights - traced(scenario).attention_weights
    assert moved[1:].abs().max() > 0.01  # 'cat' became 'dog', so all that can see it reads otherwise
    assert "at the start it was" not in says(LEARNED, other)
    assert "cannot be trained: w_v" in says(LEARNED, replace(LEARNED.start, d_v=2))


def test_12_contexts_travel_with_their_tokens_until_positions_are_added() -> None:
    told = says(ORDER, pressed(ORDER, "man bites dog"))
    assert told.count("as at the start") == 3
    assert "Context of 'dog', row 2" in told
    twice = traced(pressed(ORDER, "dog bites dog"))
    assert torch.equal(twice.context[0], twice.context[2])
    placed = pressed(ORDER, "Add positions", "dog bites dog")
    assert "Positions are added" in says(ORDER, placed)
    assert not torch.allclose(traced(placed).context[0], traced(placed).context[2])
    moved_too = says(ORDER, pressed(ORDER, "Add positions", "man bites dog"))
    assert "as at the start" not in moved_too
    assert pressed(ORDER, "Add positions", "Remove positions") == ORDER.start


def test_12_edits_and_positions_stay_whatever_is_done_to_the_order() -> None:
    edits = (Edit("x", 0, 1, 0.9), Edit("w_q", 0, 0, 2.0))
    edited = replace(ORDER.start, edits=edits)
    add, remove = (each.change for each in ORDER.presets[-2:])
    placed = add(edited)
    assert "Positions are added to X." in says(ORDER, placed)
    shift = traced(placed).x - traced(edited).x
    torch.testing.assert_close(shift, traced(add(ORDER.start)).x - traced(ORDER.start).x)
    assert remove(placed) == edited
    assert add(placed) == placed
    assert remove(edited) == edited

    # An edit made after that, and the words in another order, by buttons and by hand.
    once_more = replace(placed, edits=(*placed.edits, Edit("x", 2, 3, -1.0)))
    assert ORDER.reorder is not None
    for moved in (
        ORDER.presets[0].change(once_more),
        ORDER.reorder(once_more, ("man", "bites", "dog")),
    ):
        assert "Positions are added to X." in says(ORDER, moved)
        assert moved.matrix("w_q")[0, 0] == 2
        torch.testing.assert_close(traced(moved).x - shift, (traced(once_more).x - shift).flip(0))
    twice = pressed_from(edited, "dog bites dog")
    assert traced(twice).x[0].tolist() == traced(twice).x[2].tolist()
    assert traced(twice).x[0, 1] == pytest.approx(0.9)


def test_12_links_of_before_hold_positions_as_edits_of_x() -> None:
    placed = traced(pressed(ORDER, "Add positions")).x
    changed = (placed != traced(ORDER.start).x).nonzero().tolist()
    edits = tuple(Edit("x", row, column, placed[row, column].item()) for row, column in changed)
    scenario, _, ignored = ORDER.from_link(query_of(replace(ORDER.start, edits=edits)))
    assert ignored == []
    assert "Positions are added to X." in says(ORDER, scenario)
    assert pressed_from(scenario, "Add positions") == scenario
    assert pressed_from(scenario, "Remove positions") == ORDER.start
    assert pressed_from(scenario, "man bites dog") == pressed(ORDER, "Add positions", "man bites dog")


def pressed_from(scenario: Scenario, label: str) -> Scenario:
    (preset,) = (each for each in ORDER.presets if each.label == label)
    return preset.change(scenario)
