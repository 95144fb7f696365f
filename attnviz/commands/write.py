"""A model writes on, from the command line: one token after the other, each with its probability."""

import argparse
import json
import sys
from collections.abc import Sequence

from attnviz.models import STORIES, Written, load, look_into
from attnviz.models.costs import costs_in_words
from attnviz.words import say


def write(arguments: Sequence[str]) -> int:
    """Print what a model writes after a text; return 0, or 2 where that can't be."""
    parser = argparse.ArgumentParser(
        prog="attnviz write",
        description="Has a model write on after a text, token by token, with its KV cache: prints each with its"
        " probability, and what it costs with the cache and without.",
    )
    parser.add_argument("text", help="what the model writes on from")
    parser.add_argument(
        "--model", default=STORIES, help=f"a folder, or a name that transformers knows (default: {STORIES})"
    )
    parser.add_argument("--tokens", type=int, default=10, help="how many (default: 10)")
    parser.add_argument("--seed", type=int, default=0, help="of what is drawn (default: 0)")
    parser.add_argument("--temperature", type=float, default=1.0, help="what scores are divided by (default: 1)")
    parser.add_argument("--top-k", type=int, help="draw of so many of the most probable alone; 1 takes the first")
    parser.add_argument("--top-p", type=float, help="draw of the fewest that have so much probability together")
    parser.add_argument("--no-cache", action="store_true", help="compute all rows again for each token")
    parser.add_argument("--json", action="store_true", help="print the tokens with their numbers as JSON")
    given = parser.parse_args(arguments)
    if hasattr(sys.stdout, "reconfigure"):  # a terminal that can't show a token shows its code
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        view = look_into(*load(given.model), given.text)
        steps = view.write(
            given.tokens, temperature=given.temperature, top_k=given.top_k, top_p=given.top_p, seed=given.seed,
            cache=not given.no_cache,
        )  # fmt: skip
        print(_as_json(steps) if given.json else "\n".join(_in_lines(steps)))
    except BrokenPipeError:  # the reader has seen enough
        raise
    except (ValueError, OSError) as error:
        print(f"attnviz: {error}", file=sys.stderr)
        return 2
    return 0


def _as_json(steps: Sequence[Written]) -> str:
    tokens = [{"id": step.id, "token": step.token, "logit": float(step.chances.logits[step.id]),
               "probability": float(step.chances.probabilities[step.id]), "rows": step.rows}
              for step in steps]  # fmt: skip
    return json.dumps({"model": steps[0].view.name, "text": steps[-1].text, "tokens": tokens})


def _in_lines(steps: Sequence[Written]) -> list[str]:
    width = max(len(step.token) for step in steps)
    lines = [steps[-1].text, ""]
    for step in steps:
        probability = float(step.chances.probabilities[step.id])
        lines.append(f"{step.token:<{width}}  {probability:.4f}  {say('write.rows', n=step.rows)}")
    return [*lines, "", *costs_in_words(steps[-1].view)]
