"""A grammar of small stories, with each next word's probability."""

import math
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import torch

BEGIN = "<s>"  # comes before the first word of a story, and after the last one
ASKED = ("recall", "pronoun", "agreement")  # the kinds of questions that a story may ask its reader


class Point(NamedTuple):
    """A place in a story, with the probabilities of its next word.

    If the story determines that word, `asked` is its kind (see `ASKED`), and `told_by` are the places that tell it.
    """

    law: Mapping[str, float]
    asked: str = ""
    told_by: tuple[int, ...] = ()

    @property
    def entropy(self) -> float:
        """The least possible loss, in nats: that of a perfect model."""
        return -sum(p * math.log(p) for p in self.law.values())


Chosen = Generator[Point, str, str]  # yields points, receives the word chosen at each, and returns the last word
StoryWords = Generator[Point, str, None]
Drawn = tuple[list[str], list[Point]]  # the words of a story, and their points


@dataclass(frozen=True)
class World:
    """The words of stories, and how many people and animals they have."""

    girls: tuple[str, ...] = ("anna", "mia", "lena", "sara", "nora", "ella")
    boys: tuple[str, ...] = ("tom", "ben", "max", "leo", "paul", "finn")
    verbs: tuple[str, ...] = ("paints", "draws", "sees", "likes", "finds", "counts", "loves", "knows")
    objects: tuple[str, ...] = ("horses", "birds", "stars", "trees", "flowers", "houses", "boats", "cakes")
    kinds: tuple[str, ...] = ("dog", "cat", "pony", "mouse")
    pets: tuple[str, ...] = ("bello", "minka", "kiki", "lulu", "momo", "pip")
    things: tuple[str, ...] = ("key", "cup", "ball", "book", "hat", "shoe")
    links: tuple[str, ...] = ("near", "behind", "under")
    looks: tuple[str, ...] = ("red", "old", "new", "wet", "small", "clean")
    feels: tuple[str, ...] = ("happy", "tired", "hungry", "cold", "sad", "glad")
    places: tuple[str, ...] = ("garden", "house", "park", "kitchen", "school", "wood")
    kin: tuple[str, ...] = ("mother", "father", "brother", "sister")
    most_people: int = 4
    most_pets: int = 2
    going_on: Mapping[str, float] = field(default_factory=lambda: {"in": 0.2, "today": 0.2, "what": 0.2, "the": 0.4})
    ends: float = 0.4  # how often "the" begins the last sentence

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All names of people."""
        return self.girls + self.boys

    @cached_property
    def vocabulary(self) -> tuple[str, ...]:
        """All words that stories are told in."""
        fixed = f"{BEGIN} . ? the in today what does do because is are she he"
        for words, of in ((" end", self.ends), (" with her his", self.kin), (" here runs to and they", self.pets)):
            fixed += words if of else ""
        return (*fixed.split(), *self.names, *self.verbs, *self.objects, *self.kinds, *self.pets, *self.nouns,
                *self.links, *self.looks, *self.feels, *self.places, *self.kin)  # fmt: skip

    @cached_property
    def nouns(self) -> tuple[str, ...]:
        """The things, in singular and plural."""
        return (*self.things, *map(plural, self.things))


def plural(thing: str) -> str:
    """Return the plural of a thing.

    >>> plural("key")
    'keys'
    """
    return f"{thing}s"


def evenly(words: Iterable[str], share: float = 1.0) -> dict[str, float]:
    """Return equal probabilities of the words, with the sum `share`.

    >>> evenly(("a", "b"))
    {'a': 0.5, 'b': 0.5}
    """
    listed = tuple(words)
    return {word: share / len(listed) for word in listed}


class _Story:
    """A story being told: its words, and the facts so far."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.words: list[str] = []
        self.does: dict[str, list[str]] = {}
        self.pets: dict[str, str] = {}

    def tell(self) -> StoryWords:
        """Tell the facts, the animals, then sentences about them."""
        world = self.world
        yield from self._say(BEGIN)
        word = yield from self._choose(evenly(world.names))
        while word in world.names:
            yield from self._fact(word)
            more = 1.0 if len(self.does) < 2 else 0.5 if len(self.does) < world.most_people else 0.0
            beginnings = {"here": 1 - more} if world.most_pets else self._begin(1 - more)
            new = (name for name in world.names if name not in self.does)
            word = yield from self._choose(evenly(new, more) | beginnings)
        while word == "here":
            yield from self._say("is the")
            kind = yield from self._any(each for each in self.world.kinds if each not in self.pets)
            self.pets[kind] = yield from self._any(each for each in self.world.pets if each not in self.pets.values())
            yield from self._say(".")

            more = 0.6 if len(self.pets) < world.most_pets else 0.0
            word = yield from self._choose({"here": more} | self._begin(1 - more))
        while (yield from self._sentence(word)):
            word = yield from self._choose(self._begin())
        yield from self._say(f". {BEGIN}")

    def _begin(self, share: float = 1.0) -> dict[str, float]:
        return {word: p * share for word, p in self.world.going_on.items()}

    def _choose(self, law: Mapping[str, float], asked: str = "", told_by: Iterable[int] = ()) -> Chosen:
        word = yield Point({word: p for word, p in law.items() if p}, asked, tuple(told_by))
        self.words.append(word)
        return word

    def _any(self, words: Iterable[str]) -> Chosen:
        return self._choose(evenly(words))

    def _say(self, words: str) -> StoryWords:
        for word in words.split():
            yield from self._choose({word: 1.0})

    def _again(self, words: Iterable[str]) -> StoryWords:
        """Repeat words of the story, each told by its earlier places."""
        for word in words:
            yield from self._choose({word: 1.0}, "recall", [at for at, each in enumerate(self.words) if each == word])

    def _fact(self, name: str) -> StoryWords:
        """Tell a fact: anna paints horses. No verb or object repeats."""
        taken = {word for does in self.does.values() for word in does}
        does = []
        for among in (self.world.verbs, self.world.objects):
            if among:
                does.append((yield from self._any(word for word in among if word not in taken)))
        self.does[name] = does
        yield from self._say(".")

    def _sentence(self, word: str) -> Generator[Point, str, bool]:
        """Tell a sentence from its first word; return False after the last."""
        sentences = {"in": self._place, "today": self._reason, "what": self._question}
        if word in sentences:
            yield from sentences[word]()
            return True
        of_pets = (1 - self.world.ends) / 2 if self.pets else 0.0
        law = {"end": self.world.ends} | evenly(self.world.nouns, 1 - self.world.ends - of_pets)
        noun = yield from self._choose(law | (evenly(self.pets, of_pets) if self.pets else {}))
        if noun == "end":
            return False
        yield from self._runs(noun) if noun in self.pets else self._looks(noun)
        return True

    def _person(self) -> Chosen:
        return self._any(self.does)

    def _place(self) -> StoryWords:
        """Tell: in the park anna paints horses with her mother."""
        yield from self._say("the")
        yield from self._any(self.world.places)
        name = yield from self._person()
        at = len(self.words) - 1
        yield from self._again(self.does[name])
        if not self.world.kin:
            yield from self._say(".")
        elif (yield from self._any((".", "with"))) == "with":
            yield from self._choose({"her" if name in self.world.girls else "his": 1.0}, "pronoun", [at])
            yield from self._any(self.world.kin)
            yield from self._say(".")

    def _reason(self) -> StoryWords:
        """Tell: today anna paints horses because she is glad."""
        name = yield from self._person()
        at = len(self.words) - 1
        yield from self._again(self.does[name])
        yield from self._say("because")
        yield from self._because(name, [at])

    def _because(self, name: str, at: list[int]) -> StoryWords:
        pronoun = "they" if len(at) > 1 else "she" if name in self.world.girls else "he"
        yield from self._choose({pronoun: 1.0}, "pronoun", at)
        yield from self._say("are" if len(at) > 1 else "is")
        yield from self._any(self.world.feels)
        yield from self._say(".")

    def _question(self) -> StoryWords:
        """Tell: what does anna do ? anna paints horses ."""
        yield from self._say("does")
        name = yield from self._person()
        yield from self._say("do ?")
        yield from self._again([name, *self.does[name]])
        yield from self._say(".")

    def _runs(self, kind: str) -> StoryWords:
        """Tell: the dog bello runs to anna because she is glad."""
        yield from self._again([self.pets[kind]])
        yield from self._say("runs to")
        name = yield from self._person()
        at = [len(self.words) - 1]
        if (yield from self._choose({"because": 0.6, "and": 0.4})) == "and":
            yield from self._any(each for each in self.does if each != name)
            at = [*range(at[0], len(self.words))]
            yield from self._say("because")
        yield from self._because(name, at)

    def _looks(self, noun: str) -> StoryWords:
        """Tell: the keys near the cup are red."""
        at = len(self.words) - 1
        yield from self._any(self.world.links)
        yield from self._say("the")
        yield from self._any(each for each in self.world.nouns if plural(each) != noun != each != plural(noun))
        yield from self._choose({"is" if noun in self.world.things else "are": 1.0}, "agreement", [at])
        yield from self._any(self.world.looks)
        yield from self._say(".")


def points(words: Iterable[str], world: World) -> Iterator[Point]:
    """Yield the point of each word and the next one, while possible."""
    telling = _Story(world).tell()
    try:
        point = next(telling)
        yield point
        for word in words:
            if word not in point.law:
                return
            point = telling.send(word)
            yield point
    except StopIteration:
        return


def point_after(words: list[str], world: World) -> Point | None:
    """Return the next word's point; None if no story goes on."""
    found = list(points(words, world))
    return found[-1] if len(found) == len(words) + 1 else None


def drawn(chances: Iterable[float], world: World) -> Drawn:
    """Return the words and points that numbers from 0 to 1 choose."""
    telling, words, places = _Story(world).tell(), list[str](), list[Point]()
    point = next(telling)
    for chance in chances:
        for word, p in point.law.items():  # noqa: B007
            chance -= p
            if chance < 0:
                break
        words.append(word)
        places.append(point)
        try:
            point = telling.send(word)
        except StopIteration:
            break
    return words, places


def is_held_out(words: list[str], world: World) -> bool:
    """Whether a story is kept out of training, as an eighth are."""
    return sum(world.vocabulary.index(word) for word in words[1:7]) % 8 == 0


def stories(n: int, generator: torch.Generator, world: World, length: int, *, held_out: bool = False) -> list[Drawn]:
    """Return `n` stories of at most `length` words, with their points."""
    found: list[Drawn] = []
    while len(found) < n:
        rows = torch.rand(n, length, generator=generator).tolist()
        found += (drawn(row, world) for row in rows if is_held_out(drawn(row[:7], world)[0], world) == held_out)
    return found[:n]
