"""Many seeds give the same numbers, to the last bit, from whatever executor there is."""

from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path

import pytest
from distributed import Client, LocalCluster

from attnviz import train, train_many
from attnviz.training.many import Outcome

SEEDS = (5, 0, 3)


@contextmanager
def processes(_: Path) -> Iterator[Executor]:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        yield pool


@contextmanager
def threads(_: Path) -> Iterator[Executor]:
    with ThreadPoolExecutor(2) as pool:
        yield pool


@contextmanager
def cluster(folder: Path) -> Iterator[Executor]:
    """Two workers on this machine, each a process."""
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, local_directory=str(folder)) as workers,  # type: ignore[no-untyped-call]
        Client(workers) as client,  # type: ignore[no-untyped-call]
        client.get_executor() as executor,
    ):
        yield executor


@pytest.fixture(scope="module")
def alone() -> list[Outcome]:
    return train_many("order", SEEDS, steps=6, batch_size=4)


@pytest.mark.parametrize("executor", [threads, processes, cluster])
def test_many_seeds_are_the_same_to_the_last_bit(executor, alone: list[Outcome], tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    with executor(tmp_path) as pool:
        assert train_many("order", SEEDS, pool, steps=6, batch_size=4) == alone


def test_each_outcome_is_that_of_its_own_training(alone: list[Outcome]) -> None:
    assert [each.settings.seed for each in alone] == list(SEEDS)
    assert len({each.losses for each in alone}) == len(SEEDS)
    one = train(alone[1].settings)
    assert alone[1].losses == one.losses == train("order", seed=0, steps=6, batch_size=4).losses
    assert alone[1].steps == (0, 1, 2, 3, 4, 5, 6)
    assert alone[1].accuracies == tuple(moment.accuracy for moment in one.moments)
    assert alone[1].accuracy == one.moments[-1].accuracy
