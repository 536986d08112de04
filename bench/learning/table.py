"""Runs as lines of a table: the average and the worst of each case against what is required."""
import dataclasses
import statistics

HEADER = ["accuracy on the test pictures, δ = 1e-5", "ε", "average", "from … to", "required", ""]


@dataclasses.dataclass(frozen=True)
class Line:
    words: str
    epsilon: str
    accuracies: tuple
    required: float

    @property
    def average(self):
        return statistics.fmean(self.accuracies)

    @property
    def met(self):
        return self.average >= self.required


def lines(results):
    out = []
    for one in results:
        worst = max(run["epsilon"] for run in one["runs"])
        if worst > float(one["epsilon"]) * 1.0001:
            raise ValueError(f"{one['name']} spent {worst}, more than the ε of its line")
        out.append(Line(one["words"], one["epsilon"], tuple(run["accuracy"] for run in one["runs"]), one["required"]))
    return out


def markdown(table):
    rows = [HEADER, ["---"] * len(HEADER)]
    for line in table:
        rows.append([line.words, line.epsilon, f"{line.average:.2%}", f"{min(line.accuracies):.2%} … {max(line.accuracies):.2%}", f"≥ {line.required:.1%}", "✓" if line.met else "✗"])
    return ["| " + " | ".join(row) + " |" for row in rows]
