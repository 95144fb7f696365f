"""Stories: facts that are told once come up again."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from attnviz.features.learn.training.tasks.base import Batch, Task, Weights, bare_source, most
from attnviz.features.stories import grammar
from attnviz.features.stories.grammar import ASKED, Drawn, point_after, points, stories
from attnviz.features.stories.small import LENGTH, SMALL


@dataclass(frozen=True)
class Stories(Task):
    """The task of predicting stories, whose facts determine later words."""

    vocabulary: tuple[str, ...] = SMALL.vocabulary
    length: int = LENGTH

    name = "stories"
    defaults = {  # noqa: RUF012
        "seed": 1, "steps": 500, "learning_rate": 0.006, "batch_size": 32, "n_layers": 2, "n_heads": 2, "d_model": 32,
        "d_k": 32,
    }  # fmt: skip
    figures = ASKED[:2]

    def draw(self, n: int, generator: torch.Generator) -> Batch:
        """Return beginnings of stories; every word counts."""
        return self._batch(stories(n, generator, SMALL, LENGTH))

    def held_out(self) -> Batch:
        """Return beginnings of stories whose facts were never seen together."""
        return self._batch(stories(64, torch.Generator().manual_seed(2**31), SMALL, LENGTH, held_out=True))

    def _batch(self, told: Sequence[Drawn]) -> Batch:
        ids = torch.tensor([self.ids_of(words) for words, _ in told])
        asked = torch.tensor([[bool(point.asked) for point in places[1:]] for _, places in told])
        return Batch(ids, torch.ones_like(asked), asked)

    def law(self, tokens: Sequence[str]) -> str | None:
        """Return the next word if the story determines it.

        >>> Stories().law("<s> anna sings . tom reads . today tom reads because".split())
        'he'
        """
        point = point_after(list(tokens), SMALL)
        return next(iter(point.law)) if point is not None and point.asked else None

    def measured(self, batch: Batch, weights: Weights) -> dict[str, float]:
        """Return the attention to the places that tell the answer."""
        n, length = batch.ids.shape
        read = {figure: torch.zeros(n, length, length) for figure in self.figures}
        for text, ids in enumerate(batch.ids.tolist()):
            for at, point in enumerate(points([self.vocabulary[i] for i in ids[:-1]], SMALL)):
                if point.asked in read:
                    read[point.asked][text, at - 1, list(point.told_by)] = 1
        return {figure: most(weights, each, each.sum(-1) > 0) for figure, each in read.items()}

    def code(self) -> str:
        """Return the code of its grammar, its world and its drawing."""
        numbers = "ids = torch.tensor([[VOCABULARY.index(word) for word in words] for words, _ in told])"
        return (
            f"{bare_source(grammar)}\n\n\nSMALL = {SMALL!r}\nVOCABULARY = SMALL.vocabulary\n\n\n"
            f"def draw(n, generator):\n"
            f"    told = stories(n, generator, SMALL, {LENGTH})\n    {numbers}\n"
            f"    return ids, torch.ones(n, {LENGTH - 1}, dtype=torch.bool)"
        )
