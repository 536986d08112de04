"""One question to the command, and what its JSON says. Keys that this build doesn't have are taken as nothing left out."""
import json
import math
import os
import subprocess
import time
from typing import NamedTuple


class Answer(NamedTuple):
    values: dict  # by group
    intervals: dict  # by group: (low, high)
    share: float  # of the rows, estimated to be left out
    upper: float  # at most that many, at the confidence asked for
    clamped: float  # the share of values that were clamped; None where it isn't said
    bounds: dict  # as the plan has them
    seconds: float


class Refused(Exception):
    pass


def policy_text(table, source, ranged):
    """No bounds of contribution; ranges only where they are asked about."""
    lines = [f'[policy]\nname = "{table.name}"\nunit = "{table.unit}"\nbudget = {{ epsilon = 1e6, delta = 0.5 }}',
             f'[tables.{table.name}]\nsource = "{source}"\nkey = "{table.unit}"\ncolumns.{table.unit} = {{ type = "integer" }}']
    for name, column in table.columns.items():
        parts = [f'type = "{column.type}"']
        if column.values:
            parts.append("values = " + json.dumps(list(column.values)))
        if column.range and ranged:
            parts.append("range = [{}, {}]".format(*column.range))
        lines.append(f"columns.{name} = {{ {', '.join(parts)} }}")
    return "\n".join(lines) + "\n"


def left_out(reply, what):
    """left_out.rows, say, of the reply or of the plan's only part."""
    for place in [reply, *reply.get("plan", {}).get("parts", [])]:
        found = place.get("left_out")
        if isinstance(found, dict) and isinstance(found.get(what), dict):
            return found[what]
    return {}


def number(value, otherwise):
    return otherwise if value is None else float(value)


def bounds_of(reply):
    """Everything in the plan's parts that is a bound, whatever it is called."""
    out = {}
    for part in reply.get("plan", {}).get("parts", []):
        out.update({key: value for key, value in part.items() if key.startswith("max") or "bounds" in key or "clamp" in key})
        for stage in part.get("numbers", []):
            out.setdefault("sensitivity", []).append(stage.get("sensitivity"))
    return out


def ask(command, policy, sql, epsilon, keyed, options=()):
    """The ledger, and what is remembered of it, stay beside the policy."""
    start = time.monotonic()
    done = subprocess.run([command, "sql", "--policy", policy, "--epsilon", str(epsilon), "--threads", "1", "--json", *options, sql],
                          capture_output=True, text=True, timeout=600, env={**os.environ, "XDG_STATE_HOME": str(policy.parent)})
    seconds = time.monotonic() - start
    if done.returncode != 0:
        raise Refused(done.stderr.strip().split("\n")[0])
    reply = json.loads(done.stdout)
    values, intervals = {}, {}
    for row, interval in zip(reply["rows"], reply["intervals"]):
        group = row[0] if keyed else None
        values[group] = row[-1]
        low, high = interval[-1] or (None, None)
        intervals[group] = number(low, -math.inf), number(high, math.inf)
    rows = left_out(reply, "rows")
    return Answer(values, intervals, number(rows.get("share"), 0.0), number(rows.get("upper"), 0.0), left_out(reply, "clamped").get("share"), bounds_of(reply), seconds)
