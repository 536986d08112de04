"""One question to the command, and what its JSON says. Keys that this build doesn't have are taken as nothing left out."""
import json
import math
import os
import subprocess
import tempfile
from typing import NamedTuple


class Answer(NamedTuple):
    values: dict  # by group
    intervals: dict  # by group: (low, high)
    share: float  # of the rows, estimated to be left out
    upper: float  # at most that many, at the confidence asked for
    clamped: float  # the share of values that were clamped; None where it isn't said
    bounds: dict  # as the plan has them
    seconds: float  # of the processor: what else runs on the machine hardly matters to them


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


def run(command, verb, policy, sql, epsilon, options=()):
    """What the command prints, and its processor's seconds. The ledger, and what is remembered of it, stay beside the policy."""
    arguments = [command, verb, "--policy", policy, "--epsilon", str(epsilon), "--threads", "1", "--json", *options, sql]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = subprocess.Popen(arguments, stdout=out, stderr=err, env={**os.environ, "XDG_STATE_HOME": str(policy.parent)})
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)  # or it would be waited for again
        out.seek(0)
        err.seek(0)
        if child.returncode != 0:
            raise Refused(err.read().decode().strip().split("\n")[0] or f"exit code {child.returncode}")
        return out.read().decode(), used.ru_utime + used.ru_stime


def ask(command, policy, sql, epsilon, keyed, options=()):
    text, seconds = run(command, "sql", policy, sql, epsilon, options)
    reply = json.loads(text)
    values, intervals = {}, {}
    for row, interval in zip(reply["rows"], reply["intervals"]):
        group = row[0] if keyed else None
        values[group] = row[-1]
        low, high = interval[-1] or (None, None)
        intervals[group] = number(low, -math.inf), number(high, math.inf)
    rows = left_out(reply, "rows")
    return Answer(values, intervals, number(rows.get("share"), 0.0), number(rows.get("upper"), 0.0), left_out(reply, "clamped").get("share"), bounds_of(reply), seconds)
