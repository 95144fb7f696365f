"""The kit of a study: items have one right answer each, and results come to what hand and simulation say."""

import csv
import io
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from attnviz.commands.main import main
from attnviz.study.items import FORMS, KINDS, LETTERS, RECALL, TRANSFER, Item, items_of, score
from attnviz.study.kit import kit
from attnviz.study.results import change, columns, results_of, smallest_effect, smallest_effect_between, usability
from attnviz.words import say
from tests.examples import examples


def answer(item: Item) -> float:
    """The answer to an item by plain numpy, from the numbers that its form prints."""
    shown = [item.numbers(name) for name in item.shown]
    if item.kind == "scaled_scores":
        return float(shown[0][item.row, item.column] / np.sqrt(2 if item.part == RECALL else 4))
    if item.kind in ("attention_weights", "shift"):
        scores = shown[0][item.row] + (2 if item.kind == "shift" else 0)
        return float(np.exp(scores[item.column]) / np.exp(scores).sum())
    second = shown[1].T if item.kind == "scores" else shown[1]
    return float(shown[0][item.row] @ second[:, item.column])


def test_every_item_has_exactly_one_right_answer_and_a_guess_is_worth_the_same_in_each_form() -> None:
    """Who answers at random has 25 points of 100 in each form, whatever the letters."""
    letters = np.random.default_rng(0)
    guessed: dict[str, list[float]] = {form: [] for form in FORMS}
    for seed in range(examples(250)):
        for form in FORMS:
            items = items_of(seed, form)
            assert [(item.part, item.kind) for item in items] == [(p, k) for p in (RECALL, TRANSFER) for k in KINDS]
            for item in items:
                right = answer(item)
                assert [each for each in item.choices if abs(each - right) <= 0.00501] == [item.choices[item.right]]
                shown = sorted(item.choices)
                assert min(b - a for a, b in pairwise(shown)) > 0.02
            assert sum(1 / len(item.choices) for item in items) == 3
            guessed[form] += [score(letters.choice(list(LETTERS), 12).tolist(), items) for _ in range(10)]
    means = {form: float(np.mean(each)) for form, each in guessed.items()}
    assert all(abs(mean - 25) < 2 for mean in means.values())
    assert abs(means["pre"] - means["post"]) < 2


def test_no_item_shows_what_another_asks_for_and_right_answers_stand_anywhere() -> None:
    items = [item for seed in range(examples(10)) for form in FORMS for item in items_of(seed, form)]
    assert len({id(item.trace) for item in items}) == len(items)
    places = np.bincount([item.right for item in items], minlength=4) / len(items)
    assert (np.abs(places - 0.25) < 4 * np.sqrt(0.25 * 0.75 / len(items))).all()


def test_the_kit_prints_each_choice_and_only_the_key_says_which_is_right(tmp_path: Path) -> None:
    assert main(["study", "--seed", "7", "--html", str(tmp_path)]) == 0
    files = kit(7)
    assert {path.name for path in tmp_path.iterdir()} == set(files)
    for form in FORMS:
        assert files[f"{form}.html"].count("<li>") == 48
        letters = ", ".join(f"{n} {LETTERS[item.right]}" for n, item in enumerate(items_of(7, form), 1))
        assert letters in files["key.html"]
        assert letters not in files[f"{form}.html"]
    assert all(say(f"study.sus.{n}") in files["sus.html"] for n in range(1, 11))
    assert "Brooke" in files["sus.html"]
    assert "0.53 standard deviations" in files["protocol.html"]


def filled(scores: dict[str, list[int]], seed: int = 7) -> str:
    """A CSV of people who have so many right answers in each form, the first ones, and agree with 3 throughout."""
    out = io.StringIO()
    writer = csv.DictWriter(out, columns())
    writer.writeheader()
    for person in range(len(scores["pre"])):
        row: dict[str, object] = {"person": person, **{f"sus_{n}": 3 for n in range(1, 11)}}
        for form, right in scores.items():
            for n, item in enumerate(items_of(seed, form), 1):
                row[f"{form}_{n}"] = LETTERS[item.right if n <= right[person] else (item.right + 1) % 4]
        writer.writerow(row)
    return out.getvalue()


def test_results_are_what_they_are_by_hand(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = filled({"pre": [3, 6, 6, 9], "post": [6, 9, 12, 9]})
    results = results_of(text, 7)
    (after,) = results.changes.values()  # nobody took the third test
    # Changes of 25, 25, 50 and 0 points: mean 25, standard deviation √(1250 / 3) = 20.41.
    assert (after.n, after.before, after.after, after.gain.value) == (4, 50.0, 75.0, 25.0)
    assert after.effect.value == pytest.approx(25 / (1250 / 3) ** 0.5)
    assert results.usability is not None
    assert results.usability == (50.0, 50.0, 50.0)
    file = tmp_path / "results.csv"
    file.write_text(text, encoding="utf-8")
    assert main(["study", "--seed", "7", "--results", str(file)]) == 0
    assert "From test 1 to test 2: 50.0 to 75.0 of 100, 4 people." in capsys.readouterr().out
    file.write_text(text.replace(",3\r", ",7\r"), encoding="utf-8")
    assert main(["study", "--seed", "7", "--results", str(file)]) == 2
    assert "Take one of these: 1, 2, 3, 4, 5. (person '0')" in capsys.readouterr().err
    bad = list(csv.reader(io.StringIO(text)))
    bad[3][bad[0].index("pre_1")] = "e"
    with pytest.raises(ValueError, match=r"^'e' can't be pre_1\. Take one of these: a, b, c, d\. \(person '2'\)$"):
        results_of("\n".join(map(",".join, bad)), 7)


def test_the_intervals_hold_the_truth_as_often_as_they_say() -> None:
    rng = np.random.default_rng(1)
    held, n = np.zeros(2), examples(5000)
    for _ in range(n):
        before = rng.normal(40, 15, 30)
        made = change(before, before + rng.normal(10, 20, 30))
        held += [made.gain.low <= 10 <= made.gain.high, made.effect.low <= 0.5 <= made.effect.high]
    assert (np.abs(held / n - [0.95, 0.96]) < 0.005 + 3 * np.sqrt(0.05 * 0.95 / n)).all()


@pytest.mark.parametrize(("n", "t"), [(30, 2.0452), (60, 2.0010), (120, 1.9801)])
def test_so_many_people_show_the_smallest_effect_four_times_in_five(n: int, t: float) -> None:
    drawn = np.random.default_rng(n).normal(smallest_effect(n), 1, (4000, n))
    power = (np.abs(drawn.mean(1) / drawn.std(1, ddof=1)) * np.sqrt(n) > t).mean()
    assert power == pytest.approx(0.8, abs=0.03)
    study = (Path(__file__).parents[3] / "docs" / "STUDY.md").read_text(encoding="utf-8")
    assert f"| {n} | {smallest_effect(n):.2f} | {smallest_effect_between(n // 2):.2f} |" in study


def test_the_usability_scale_is_that_of_its_source_and_a_score_counts_right_letters() -> None:
    assert [usability(5 * [1, 5]), usability(5 * [4, 2]), usability(5 * [5, 1])] == [0.0, 75.0, 100.0]
    items = items_of(7, "post")
    assert score([LETTERS[item.right].upper() for item in items[:6]] + 6 * [""], items) == 50.0
