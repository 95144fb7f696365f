"""The model that comes along has learned the law of stories, and finds the words that held-out ones determine."""

import re
from itertools import product
from pathlib import Path

import pytest
import torch

import attnviz
from attnviz.features.language_models.inside import STORIES, load
from attnviz.features.language_models.inside.available_models import ALONG
from attnviz.features.stories.asked import KINDS
from attnviz.features.stories.grammar import ASKED, World, stories
from attnviz.features.stories.small import SMALL
from benchmarks.stories import judged, kept, reading, trained

WORLD = World()
MOST_OVER = 1.03  # how much more than the entropy of the law the model's cross-entropy may be
LEAST_RIGHT = 0.99


def test_the_model_has_learned_what_its_card_says() -> None:
    """On stories of another seed than those of its card: what they determine, the law of all else, and its heads."""
    model = load(STORIES)[0]
    own = stories(80, torch.Generator().manual_seed(77), WORLD, 96, held_out=True)
    worth = judged(model, own, WORLD)
    assert worth.entropy <= worth.cross_entropy <= MOST_OVER * worth.entropy
    card = (ALONG[STORIES].folder(STORIES) / "README.md").read_text(encoding="utf-8")
    reads = reading(model, own[:40], WORLD)
    for each in KINDS:
        assert worth.asked[each] >= 20
        assert worth.shares[each] >= LEAST_RIGHT
        reader, missed, together = (
            [(int(place[0]), int(place[2])) for place in places.split(", ")]
            for places in re.findall(rf"\| {each} \| [^|]*\| ([\d., ]+) \|", card)
        )
        assert reads[each][*reader[0]] >= max(0.35, 0.9 * float(reads[each].max()))
        for off, most in ((missed, 0.95), (together, 0.75)):
            assert kept(model, own, WORLD, *off)[each] <= most
    for each in ("recall of a name", "pronoun", "agreement"):  # of which one head does what isn't done without it
        does = max(product(range(3), range(4)), key=lambda place: float(reads[each][*place]))
        assert kept(model, own, WORLD, does)[each] <= 0.95


def test_the_same_seed_trains_the_same_bytes(tmp_path: Path) -> None:
    def made(seed: int, name: str) -> bytes:
        trained(seed, SMALL, steps=2, before=2).save_pretrained(tmp_path / name)
        return (tmp_path / name / "model.safetensors").read_bytes()

    first = made(0, "first")
    assert made(0, "again") == first
    assert made(1, "other") != first


def test_the_model_that_comes_along_is_small() -> None:
    folder = ALONG[STORIES].folder(STORIES)
    assert (folder / "model.safetensors").stat().st_size <= 4 * 2**20
    model, tokenizer = load(STORIES)
    assert model.config.n_positions >= 96
    assert tuple(tokenizer.convert_ids_to_tokens(range(len(WORLD.vocabulary)))) == WORLD.vocabulary
    assert tokenizer.tokenize("Anna paints horses.") == ["anna", "paints", "horses", "."]


@pytest.mark.parametrize("kind", ASKED)
def test_the_model_takes_the_right_next_word_at_temperature_0(kind: str) -> None:
    drawn = attnviz.stories.examples(kind, n=10, seed=7)
    taken = [attnviz.look_into("stories", text=text).write(1, temperature=0.0)[0].token for text, _ in drawn]
    assert sum(mine == word for mine, (_, word) in zip(taken, drawn, strict=True)) >= 9
