"""The rows of the speed table: what is measured, against what, and what it should reach.

A ratio is time over time (or rate under rate) in one run; `target` is its upper limit. A row without `over` reports an absolute
time in milliseconds; its target is what the project aims at on a machine of two cores, reported and never asserted.
"""
from typing import NamedTuple, Optional


class Row(NamedTuple):
    what: str
    name: str
    over: Optional[str] = None
    target: Optional[float] = None


ROWS = []
for scale, words in [(1, "1"), (1000, "10^3"), (1000000, "10^6")]:
    ROWS.append(Row(f"discrete Laplace, scale {words} / textbook float", f"exact<DiscreteLaplace>/{scale}", f"textbook_laplace_log/{scale}", 2))
for kind in ["RoundedGaussian", "DiscreteGaussian"]:
    for scale, words in [(1, "1"), (1000, "10^3"), (1000000, "10^6")]:
        ROWS.append(Row(f"{kind}, σ {words} / Box-Muller", f"exact<{kind}>/{scale}", f"textbook_gaussian/{scale}", 4))
ROWS.append(Row("generator, 64 KiB blocks / openssl speed", "generator", "openssl speed", 1.1))
ROWS.append(Row("vector Laplace, 10^6 cells / raw sampler", "vector_laplace", "raw_laplace/100", 1.3))
for kind in ["Exponential", "PermuteAndFlip", "NoisyMax"]:
    ROWS.append(Row(f"{kind}, 10^6 candidates / a Laplace draw each", f"selection<{kind}>", "raw_laplace/200", 2))
