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
    counter: Optional[str] = None  # report this counter (in kB, as MB) instead of the time, or its ratio


ROWS = []
for scale, words in [(1, "1"), (1000, "10^3"), (1000000, "10^6")]:
    ROWS.append(Row(f"discrete Laplace, scale {words} / textbook float", f"exact<DiscreteLaplace>/{scale}", f"textbook_laplace_log/{scale}", 2))
for kind in ["RoundedGaussian", "DiscreteGaussian"]:
    for scale, words in [(1, "1"), (1000, "10^3"), (1000000, "10^6")]:
        ROWS.append(Row(f"{kind}, σ {words} / Box-Muller", f"exact<{kind}>/{scale}", f"textbook_gaussian/{scale}", 4))
ROWS.append(Row("generator, 64 KiB blocks / openssl speed", "generator", "openssl speed", 1.1))
for name, words, target in [("sql_parquet", "private SQL, 10^7 rows in Parquet, 3 groups a unit", 8), ("sql_stored", "private SQL, 10^7 rows in a DuckDB table", 10),
                            ("sql_plain_csv", "private SQL, 10^7 rows in CSV without quotes", 2), ("sql_quoted_csv", "private SQL, 10^7 rows in CSV, all in quotes", 2),
                            ("sql_json_lines", "private SQL, 10^7 rows in JSON lines", 2), ("sql_promised", "private SQL, one row a unit promised", 1.5)]:
    ROWS.append(Row(f"{words} / without privacy", f"{name}/1/real_time", f"{name}/0/real_time", target))
ROWS.append(Row("private SQL, 10^8 rows in 2 GiB", "sql_large/iterations:1/repeats:1/real_time"))
ROWS.append(Row("    its peak of memory", "sql_large/iterations:1/repeats:1/real_time", None, 2147, "peak_kB"))
for index, (query, target) in enumerate([("Q1", 5), ("Q6", 4), ("Q5", 2), ("Q14", 3), ("Q19", 2)]):
    ROWS.append(Row(f"private TPC-H-shaped {query}, unit = customer / without privacy", f"sql_tpch/1/{index}/real_time", f"sql_tpch/0/{index}/real_time", target))
for name, words, target in [("postgres_many", "private SQL on PostgreSQL, 10^7 rows, 3 groups a unit", 15), ("postgres_measured", "    bounds measured first", None), ("postgres_promised", "private SQL on PostgreSQL, one row a unit promised", 4)]:
    ROWS.append(Row(f"{words} / without privacy", f"{name}/1/real_time", f"{name}/0/real_time", target))
for index, query in enumerate(["Q6", "Q5", "Q14", "Q19"], 1):
    ROWS.append(Row(f"private TPC-H-shaped {query} on PostgreSQL, unit = customer / without privacy", f"postgres_tpch/1/{index}/real_time", f"postgres_tpch/0/{index}/real_time", 4))
# What one row can cost at the limit of a question (src/sql/row_cost.h), by kind of expression: milliseconds a row.
for engine, words in [("sql", "DuckDB"), ("postgres", "PostgreSQL")]:
    for kind in ["like_long", "like_blanks", "like_percents", "ilike", "lower", "upper", "reverse", "regex_few", "regex_wide", "regex_many", "contains", "replace", "split_part",
                 "concat", "cast_double", "cast_hard", "cast_integer", "trim", "pad", "power", "round", "texts", "moments"]:
        ROWS.append(Row(f"the dearest row of a question on {words}: {kind.replace('_', ' ')}", f"{engine}_dear_row/{kind}/iterations:1/manual_time", None, 1))
for what, name, over, target in [("vector Laplace, 10^6 cells / raw sampler", "vector_laplace", "raw_laplace/100", 1.3),
                                 ("exponential, 10^6 candidates / a Laplace draw each", "selection<Exponential>", "raw_laplace/200", 2),
                                 ("permute-and-flip, 10^6 candidates / a Laplace draw each", "selection<PermuteAndFlip>", "raw_laplace/200", 2)]:
    ROWS.append(Row(what, name, over, target))
for what, name, target in [("pld, poisson(0.01, gaussian(1))*10^4", "AccountSampledGaussian10k", 60), ("pld, the same *10^6", "AccountSampledGaussian1M", 150),
                           ("pld, 1000 different σ", "AccountThousandSigmas", 2000), ("pld, poisson(0.05, gaussian(0.8))*50000", "AccountLargeEpsilon", 500),
                           ("σ calibrated, ε = 2, 10^4 steps", "CalibrateSigma", 500), ("Rényi, 150 orders", "RenyiOrders", 1)]:
    ROWS.append(Row(what, name, None, target))
for what, name, target in [("best mechanism by linear program, path of 50", "channel_lp/50/iterations:1", 5000), ("    path of 100", "channel_lp/100/iterations:1", 60000),
                           ("    by closed form, path of 100", "channel_closed_form/100", None), ("remap and ε of a million inputs, truncated geometric", "channel_million/geometric/identity", 1000),
                           ("    distance gain", "channel_million/geometric/distance", 1000), ("    flat, distance gain", "channel_million/flat/distance", 1000)]:
    ROWS.append(Row(what, name, None, target))
for inverse, words in [(30, "β = 1/30"), (100000, "β = 10^-5"), (10000000, "β = 10^-7")]:
    ROWS.append(Row(f"smooth sensitivity of the median, 10^6 distinct values, {words}", f"smooth_median/{inverse}", None, 1000))
for inverse, words in [(30, "β = 1/30"), (10000000, "β = 10^-7")]:
    ROWS.append(Row(f"    4000 values, {words} / all pairs of ranks", f"smooth_few/{inverse}", f"smooth_definition/{inverse}", 1))
ROWS.append(Row("heavy hitters of 10^6 people, words of 8 bytes, top 20", "local_hitters/real_time", None, 5000))
for name, words in [("local_flat", "flat"), ("local_hadamard", "Hadamard")]:
    ROWS.append(Row(f"local model, {words}, perturb and count 10^8 reports, 10^6 values / plain histogram", f"{name}/100000000/real_time", "local_histogram/1000000/100000000/real_time", 3))
    ROWS.append(Row("    its time", f"{name}/100000000/real_time", None, 1000))
ROWS.append(Row("local hashing, count 10^6 reports on 10^3 values: 8·10^9 hashes a second", "local_hashing_count/real_time", None, 125))
ROWS.append(Row("    / plain histogram of 10^6 reports", "local_hashing_count/real_time", "local_histogram/1000/1000000/real_time"))
ROWS.append(Row("reports read from a file of 10^8 lines", "local_read_reports/iterations:1/real_time", None, 10000))
ROWS.append(Row("    / counting its lines", "local_read_reports/iterations:1/real_time", "local_read_lines/iterations:1/real_time"))
ROWS.append(Row("    its peak of memory", "local_read_reports/iterations:1/real_time", None, 100, "peak_kB"))
ROWS.append(Row("optimised unary, perturb and count 10^6 reports of 10^3 values", "local_unary/1000000/real_time"))
ROWS.append(Row("subset selection, perturb and count 10^5 reports of 10^3 values", "local_subset/100000/real_time"))
for what, name, target in [("IBU round, flat, 10^6 values", "local_flat_round/plain/real_time", 3), ("IBU round, truncated geometric, 10^6 values", "local_geometric_round/plain/real_time", 10)]:
    ROWS.append(Row(what, name, None, target))
    ROWS.append(Row("    / a plain sweep over 10^6 numbers", name, "local_sweep/real_time"))
    ROWS.append(Row("    accelerated", name.replace("plain", "accelerated")))
ROWS.append(Row("maximum likelihood in closed form, flat, 10^6 values", "local_flat_maximum/real_time"))
# Training without privacy takes the best of several batches (*); its memory is that of the batch that is named.
for case, words, batch in [("cnn", "DP-SGD, small network of convolutions", 32), ("mlp", "DP-SGD, 60 numbers and 1000 ReLU", 128)]:
    for lot in 600, 2048:
        name = f"learn_private/{case}/{lot}/process_time/real_time"
        ROWS.append(Row(f"{words}, lot {lot} / without privacy", name, f"learn_plain/{case}/{lot}/*/process_time/real_time", 1.3))
    ROWS.append(Row("    what it holds at lot 2048 / without privacy", name, f"learn_plain/{case}/2048/{batch}/process_time/real_time", 1.3, "held_kB"))
ROWS.append(Row("small network of convolutions, a lot of 600 (10,400 examples a second)", "learn_private/cnn/600/process_time/real_time", None, 600 / 10.4))
ROWS.append(Row("scattering features of 2000 pictures of 28 × 28", "learn_scattering/real_time", None, 500))
ROWS.append(Row("private regression, 10^5 rows of 50 columns", "learn_regression/real_time", None, 1000))
ROWS.append(Row("objective perturbation, 10^5 rows of 50 columns", "learn_erm/real_time", None, 5000))
