"""The attention layers of eight published models."""

from dataclasses import dataclass

from attnviz.features.costs.counting import Compressed, Costs, Grouped, Indexer, Latent, Layer, State


@dataclass(frozen=True)
class PublishedModel:
    """A model's layers, the address of their sizes, and its longest text.

    `key` names its sentences in the catalogue.
    """

    key: str
    costs: Costs
    address: str
    longest: int


_CONVOLUTION = 4  # tokens that the short convolution before a state sees


def _grouped(width: int, heads: int, kv_heads: int, d: int, window: int | None = None, gates: int = 0) -> Grouped:
    return Grouped(width, heads, kv_heads, d, d, width, window, gates)


def _delta_net() -> Layer:
    """Return Qwen3-Next's layer: 16 heads of queries and keys, 32 of values."""
    width, keys, values = 2048, 16 * 128, 32 * 128
    convolved = 2 * keys + values
    weights = width * (2 * keys + 2 * values + 2 * 32) + _CONVOLUTION * convolved + values * width
    return _delta(weights, convolved)


def _kimi_delta() -> Layer:
    """Return Kimi Linear's layer, with a decay for each feature."""
    width, inner, rank = 2304, 32 * 128, 128
    convolved = 3 * inner
    gates = 2 * (width * rank + rank * inner)  # of the decay and of the output
    weights = width * (3 * inner + 32) + _CONVOLUTION * convolved + gates + inner * width
    return _delta(weights, convolved)


def _delta(weights: int, convolved: int) -> State:
    """Return a layer of 32 tables, which each token uses four times.

    They decay, are asked, written to, and asked again.
    """
    tables = 32 * 128 * 128
    return State(weights, tables + _CONVOLUTION * convolved, 4 * tables)


def _v4(block: int | None, parts: int = 1, indexer: Indexer | None = None) -> Layer:
    return Compressed(4096, 64, 512, query_rank=1024, groups=8, group_rank=1024, window=128, block=block, parts=parts,
                      indexer=indexer)  # fmt: skip


_GITHUB, _FACE = "https://github.com", "https://huggingface.co"
PUBLISHED_MODELS: tuple[PublishedModel, ...] = (
    PublishedModel(
        "gemma", Costs("Gemma 7B", ((28, _grouped(3072, 16, 16, 256)),)),
        f"{_GITHUB}/google/gemma_pytorch/blob/main/gemma/config.py", 8192,
    ),
    PublishedModel(
        "llama", Costs("Llama 3.1 8B", ((32, _grouped(4096, 32, 8, 128)),)),
        f"{_GITHUB}/meta-llama/llama-models/blob/main/models/sku_list.py", 131072,
    ),
    PublishedModel(
        "gemma_3", Costs("Gemma 3 27B", ((10, _grouped(5376, 32, 16, 128)), (52, _grouped(5376, 32, 16, 128, 1024)))),
        f"{_GITHUB}/google/gemma_pytorch/blob/main/gemma/config.py", 131072,
    ),
    PublishedModel(
        "gpt_oss", Costs("gpt-oss-120b", ((18, _grouped(2880, 64, 8, 64)), (18, _grouped(2880, 64, 8, 64, 128)))),
        f"{_GITHUB}/openai/gpt-oss/blob/main/gpt_oss/torch/model.py", 131072,
    ),
    PublishedModel(
        "deepseek_v3_2", Costs("DeepSeek-V3.2", ((61, Latent(7168, 128, rank=512, rotary=64, d_content=128, d_v=128,
                                                             query_rank=1536, indexer=Indexer(64, 128, 2048))),)),
        f"{_FACE}/deepseek-ai/DeepSeek-V3.2-Exp/blob/main/config.json", 163840,
    ),
    PublishedModel(
        "deepseek_v4", Costs("DeepSeek-V4-Flash", ((2, _v4(None)), (21, _v4(4, 2, Indexer(64, 128, 512))),
                                                   (20, _v4(128)))),
        f"{_FACE}/deepseek-ai/DeepSeek-V4-Flash-Base/blob/main/config.json",
        1048576,
    ),
    PublishedModel(
        "qwen3_next", Costs("Qwen3-Next-80B-A3B", ((12, _grouped(2048, 16, 2, 256, gates=16 * 256)),
                                                   (36, _delta_net()))),
        f"{_FACE}/Qwen/Qwen3-Next-80B-A3B-Instruct", 262144,
    ),
    PublishedModel(
        "kimi_linear", Costs("Kimi-Linear-48B-A3B", ((7, Latent(2304, 32, rank=512, rotary=64, d_content=128, d_v=128)),
                                                     (20, _kimi_delta()))),
        f"{_FACE}/moonshotai/Kimi-Linear-48B-A3B-Instruct/blob/main/config.json", 1048576,
    ),
)  # fmt: skip
