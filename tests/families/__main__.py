"""Writes docs/models.md: every kind of model of transformers, and what is shown of it."""

import argparse
import json
import multiprocessing
import os
import resource
from collections.abc import Iterable
from dataclasses import asdict
from datetime import date
from pathlib import Path

import torch

from tests.families.building import Family, families
from tests.families.checking import Outcome, outcome_of
from tests.unit.small_models import TEXT

PAGE = Path(__file__).parents[2] / "docs" / "models.md"
_SECONDS = 120  # for one kind of model
_MOST_BYTES = 9 * 2**30  # of memory, for the process of one kind
_FORK = multiprocessing.get_context("fork")  # the child process has all modules imported already
_HEAD = """# Models of transformers {version}

Made on {day} by the checks of `make families`: kinds of models that transformers {version} has, each built small, with
random weights, from its configuration, and read the sentence “{text}”. What is shown was held to what the model
computes by itself with its own plain ("eager") attention: its output; the attention weights of each head, where it
hands them out; each matrix of each head against its rule, W·V = C among them; and the cells of the first and the last
head against what is told of them.

{counts}

"""


def page(outcomes: Iterable[Outcome], version: str, day: str, text: str) -> str:
    """Return the page with the outcome of each kind of model."""
    known = sorted(outcomes, key=lambda each: each.kind)
    groups = {status: [each for each in known if each.status == status] for status in _TITLES}
    wrong = [each for each in groups["shown"] if each.wrong]
    counts = (
        f"{len(known)} kinds: {len(groups['shown'])} are shown, {len(groups['refused'])} refused with a reason,"
        f" {len(groups['broken'])} end in an error, and {len(groups['not built'])} can't be built small."
        f" Of those that are shown, {len(wrong)} have a number that isn't what's told of it; see their last column."
    )
    parts = [_HEAD.format(version=version, day=day, text=text, counts=counts)]
    for status, title in _TITLES.items():
        if groups[status]:
            parts.append(f"## {title} ({len(groups[status])})\n\n{_table(status, groups[status])}\n\n")
    return "".join(parts).rstrip() + "\n"


_TITLES = {"shown": "Shown", "refused": "Refused", "broken": "Ends in an error", "not built": "Can't be built small"}


def _table(status: str, outcomes: list[Outcome]) -> str:
    if status != "shown":
        rows = [(each.kind, each.model, each.told) for each in outcomes]
        return _rows(("kind", "class", "reason"), rows)
    rows_shown = [
        (each.kind, each.model, str(each.layers), each.weights, " ".join(each.given[:3]) or "nothing",
         "; ".join(each.wrong[:3]) + (f"; {len(each.wrong) - 3} more" if len(each.wrong) > 3 else "") or "none")
        for each in outcomes
    ]  # fmt: skip
    return _rows(("kind", "class", "layers", "weights", "stands as given", "differs"), rows_shown)


def _rows(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [heads, ("---",) * len(heads), *rows]
    return "\n".join(
        "| " + " | ".join(each.replace("|", "\\|").replace("\n", " ") for each in line) + " |" for line in lines
    )


def _in_process(family: Family) -> Outcome:
    """Return a family's outcome, found in a process of its own, as some need too much time or memory."""
    ours, its = _FORK.Pipe()
    process = _FORK.Process(target=lambda: its.send(_limited(family)), daemon=True)
    process.start()
    its.close()
    try:
        if not ours.poll(_SECONDS):
            return Outcome(family.kind, family.model, "not built", f"takes more than {_SECONDS} seconds")
        outcome: Outcome = ours.recv()
    except EOFError:
        return Outcome(family.kind, family.model, "broken", "its process ended")
    else:
        return outcome
    finally:
        process.kill()
        process.join()


def _limited(family: Family) -> Outcome:
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_BYTES, _MOST_BYTES))
    return outcome_of(family)


def main() -> None:
    """Write the page of all kinds."""
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    parser = argparse.ArgumentParser(prog="python -m tests.families", description=__doc__)
    parser.add_argument("--results", type=Path, help="a file of outcomes, one a line, that is gone on with")
    given = parser.parse_args()
    import transformers

    torch.set_num_threads(1)
    # Checking one kind here imports what all kinds share, which takes longer than a check: forked processes have it
    # then.
    outcome_of(next(each for each in families() if each.kind == "llama"))
    known = {} if given.results is None or not given.results.exists() else _read(given.results)
    for each in families():
        if each.kind in known:
            continue
        known[each.kind] = outcome = _in_process(each)
        print(each.kind, outcome.status, *outcome.wrong[:1], flush=True)
        if given.results is not None:
            with given.results.open("a", encoding="utf-8") as file:
                print(json.dumps(asdict(outcome)), file=file)
    made = page(known.values(), transformers.__version__, f"{date.today():%Y-%m-%d}", TEXT)
    PAGE.write_text(made, encoding="utf-8")


def _read(results: Path) -> dict[str, Outcome]:
    lines = [json.loads(line) for line in results.read_text(encoding="utf-8").splitlines()]
    outcomes = [Outcome(**each | {name: tuple(each[name]) for name in ("wrong", "given")}) for each in lines]
    return {each.kind: each for each in outcomes}


if __name__ == "__main__":
    main()
