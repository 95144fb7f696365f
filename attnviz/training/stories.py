"""The model of stories that comes along: trained from a seed, judged by stories that it never learned from, kept.

``python -m attnviz.training.stories --seed 0`` writes what :data:`attnviz.models.STORIES` is.
"""

import argparse
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from attnviz.models.offering import ALONG, STORIES, new_decoder, tokenizer_of
from attnviz.training.model import one_thread
from attnviz.training.tasks.story_grammar import ASKED, Drawn, World, stories

PLACES, LAYERS, HEADS, WIDTH = 96, 3, 4, 64
BATCH, RATE, STEPS, WARM_UP = 32, 4e-3, 3000, 60
REPEATS, BLOCKS, REPEATED = 500, (3, 17), 32  # steps before, of words at random that come again; how long that is
HELD_OUT, JUDGED_BY = 500, 1_000_000  # stories, and what is added to the seed of the training to draw them
Told = Sequence[Drawn]


class Read(NamedTuple):
    """Stories as numbers ``(stories, words)``, and which of them are words to foretell."""

    ids: Tensor
    counted: Tensor


@dataclass(frozen=True)
class Judged:
    """What a model is worth on stories, in nats a word: the `entropy` of their law, which no model can beat, and the
    model's `cross_entropy` with it; and of what the story determines, how many of how many it has right."""

    entropy: float
    cross_entropy: float
    right: dict[str, int]
    asked: dict[str, int]

    @property
    def shares(self) -> dict[str, float]:
        """How much of what each asks is right."""
        return {each: self.right[each] / n for each, n in self.asked.items()}


def read(told: Told, world: World) -> Read:
    """Return stories as numbers; behind the end of the shorter ones nothing counts."""
    places = {word: i for i, word in enumerate(world.vocabulary)}
    length = max(len(words) for words, _ in told)
    ids, counted = torch.zeros(len(told), length, dtype=torch.long), torch.zeros(len(told), length, dtype=torch.bool)
    for row, (words, _) in enumerate(told):
        ids[row, : len(words)] = torch.tensor([places[word] for word in words])
        counted[row, 1 : len(words)] = True
    return Read(ids, counted)


def repeats(generator: torch.Generator, world: World) -> Read:
    """Return blocks of different words that come again and again; what comes again counts."""
    orders = torch.rand(BATCH, len(world.vocabulary) - 1, generator=generator).argsort(dim=1) + 1
    lengths = torch.randint(*BLOCKS, (BATCH, 1), generator=generator)
    blocks = orders.gather(1, torch.arange(REPEATED - 1) % lengths)
    return Read(F.pad(blocks, (1, 0)), torch.arange(REPEATED) > lengths + 1)


@one_thread()
def trained(seed: int, world: World, steps: int = STEPS) -> Any:
    """Return a decoder that has learned from stories which a seed draws: each step from others.

    Before, it learns from blocks of words at random that come again, so that a head finds what followed a word before:
    in stories alone, a small part of all words teaches that, and none was found in 1,100 steps.
    """
    generator = torch.Generator().manual_seed(seed)
    model = new_decoder(len(world.vocabulary) + 1, PLACES, LAYERS, HEADS, WIDTH, seed).train()
    model.set_attn_implementation("sdpa")  # the same, faster
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, betas=(0.9, 0.98), weight_decay=0.0)
    total = REPEATS + steps
    rate = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=total, pct_start=WARM_UP / total)
    for step in range(total):
        told = step >= REPEATS
        ids, counted = read(stories(BATCH, generator, world, PLACES), world) if told else repeats(generator, world)
        logits = model(ids[:, :-1], use_cache=False).logits
        loss = F.cross_entropy(logits[counted[:, 1:]], ids[:, 1:][counted[:, 1:]])
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        rate.step()
        if step % 100 == 99:
            print(f"step {step + 1} of {total}: loss {loss.item():.4f}", flush=True)
    model.set_attn_implementation("eager")
    return model.eval().requires_grad_(False)


def _pieces(told: Told) -> Iterator[Told]:
    """Yield stories by the hundred: the attention weights of a thousand take a gigabyte."""
    yield from (told[at : at + 100] for at in range(0, len(told), 100))


def judged(model: Any, told: Told, world: World) -> Judged:
    """Return what a model is worth on stories."""
    places = {word: i for i, word in enumerate(world.vocabulary)}
    entropy = cross = n = 0.0
    right, asked = Counter[str](), Counter[str]()
    for piece in _pieces(told):
        expects = model(read(piece, world).ids[:, :-1]).logits.log_softmax(-1).double()
        guesses = expects.argmax(-1).tolist()
        for row, (words, points) in enumerate(piece):
            for at, (word, point) in enumerate(zip(words[1:], points[1:], strict=True)):
                known = [places[each] for each in point.law]
                entropy += point.entropy
                cross -= float(expects[row, at, known] @ torch.tensor([*point.law.values()], dtype=torch.float64))
                n += 1
                asked[point.asked] += 1
                right[point.asked] += guesses[row][at] == places[word]
    of = {each: asked[each] for each in ASKED}
    return Judged(entropy / n, cross / n, {each: right[each] for each in of}, of)


def reading(model: Any, told: Told, world: World) -> dict[str, Tensor]:
    """Return of each thing that is asked how much each head reads the places that tell it ``(layers, heads)``, on
    average over where it's asked."""
    found = {each: list[Tensor]() for each in ASKED}
    for piece in _pieces(told):
        weights = torch.stack(model(read(piece, world).ids[:, :-1], output_attentions=True).attentions)
        for row, (_, points) in enumerate(piece):
            for at, point in enumerate(points):
                if point.asked:
                    found[point.asked].append(weights[:, row, :, at - 1, list(point.told_by)].sum(-1))
    return {each: torch.stack(seen).mean(0) for each, seen in found.items()}


@contextmanager
def without(model: Any, layer: int, head: int) -> Iterator[None]:
    """Have a model compute without a head: nothing of what it reads goes on."""
    weight = model.transformer.h[layer].attn.c_proj.weight
    rows = slice(head * WIDTH // HEADS, (head + 1) * WIDTH // HEADS)
    before = weight[rows].clone()
    weight[rows] = 0
    try:
        yield
    finally:
        weight[rows] = before


class Named(NamedTuple):
    """A head, how much of its attention goes to what determines the words of one kind, on average, and how much of
    these is right without it."""

    layer: int
    head: int
    share: float
    right_without: float


def named(model: Any, told: Told, world: World) -> dict[str, tuple[Named, Named]]:
    """Return of each thing that is asked the head that reads most what tells it, and that without which most is lost;
    they may be one."""
    shares, lost = reading(model, told, world), dict[tuple[int, int], dict[str, float]]()
    for layer, head in product(range(LAYERS), range(HEADS)):
        with without(model, layer, head):
            lost[layer, head] = judged(model, told, world).shares

    def of(each: str, place: tuple[int, int]) -> Named:
        return Named(*place, float(shares[each][place]), lost[place][each])

    return {
        each: (
            of(each, max(lost, key=lambda at: float(shares[each][at]))),
            of(each, min(lost, key=lambda at: lost[at][each])),
        )
        for each in ASKED
    }


def card_of(settings: dict[str, Any], model: Any, judged: Judged, named: dict[str, tuple[Named, Named]]) -> str:
    """Return the card of a model, with the settings of its training, what it's worth and what its heads do."""
    config, shares = model.config, judged.shares
    numbers = sum(each.numel() for each in model.parameters())
    right = "\n".join(
        f"| {each}: right | {judged.right[each]:,} of {n:,}, {shares[each]:.2%} |" for each, n in judged.asked.items()
    )
    heads = "\n".join(
        f"| {each} | {does} | layer {by.layer}, head {by.head} | {by.share:.2f} | {by.right_without:.2%} |"
        for each, both in named.items()
        for does, by in zip(("reads it most", "is missed most"), both, strict=True)
    )
    return (Path(__file__).parent / "story_card.md").read_text(encoding="utf-8").format(
        layers=config.n_layer, heads=config.n_head, width=config.n_embd, places=config.n_positions,
        entries=config.vocab_size, numbers=numbers, bytes=4 * numbers, entropy=judged.entropy,
        cross=judged.cross_entropy, excess=judged.cross_entropy / judged.entropy - 1, right=right, named=heads,
        **settings,
    )  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> None:
    """Train the model, say what it's worth, and keep it with its card."""
    parser = argparse.ArgumentParser(prog="python -m attnviz.training.stories", description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0, help="of its numbers and its stories (default: 0)")
    parser.add_argument("--steps", type=int, default=STEPS, help=f"(default: {STEPS})")
    parser.add_argument("--folder", type=Path, default=ALONG[STORIES].folder(STORIES), help="where it's kept")
    given = parser.parse_args(arguments)
    world, since = World(), time.process_time()
    model = trained(given.seed, world, given.steps)
    seconds = time.process_time() - since
    for each in (model, tokenizer_of(world.vocabulary, PLACES)):
        each.save_pretrained(given.folder)
    another = torch.Generator().manual_seed(given.seed + JUDGED_BY)
    held_out = stories(HELD_OUT, another, world, PLACES, held_out=True)
    settings = {"seed": given.seed, "steps": given.steps, "repeats": REPEATS, "batch": BATCH, "rate": RATE,
                "minutes": seconds / 60, "held_out": HELD_OUT}  # fmt: skip
    card = card_of(settings, model, judged(model, held_out, world), named(model, held_out, world))
    (given.folder / "README.md").write_text(card, encoding="utf-8")
    print(card)


if __name__ == "__main__":
    main()
