"""The data set of tests/sql/*.test: small, odd on purpose, and the same on every run."""
import csv
import json
import pathlib

POLICY = """
[policy]
name = "fixture"
unit = "patient"
budget = {{ epsilon = 1000000, delta = 0.9 }}
max_epsilon_per_query = 100000

[tables.visits]
source = "visits.csv"
key = "patient_id"
columns.visit_id = {{ type = "integer" }}
columns.patient_id = {{ type = "integer" }}
columns.ward = {{ values = ["A", "B", "C", "D"] }}
columns.cost = {{ range = [0, 100] }}
columns.debt = {{ range = [-50, 50] }}
columns.day = {{ type = "date", range = ["2020-01-01", "2026-12-31"] }}
columns.stamp = {{ type = "timestamp" }}
columns.urgent = {{ type = "boolean" }}
columns.nights = {{ type = "integer", range = [0, 10] }}
columns.free = {{ type = "double" }}
max_groups = 4
max_rows_per_group = 3

[tables.people]
source = "people.csv"
key = "patient_id"
columns.patient_id = {{ type = "integer" }}
columns.name = {{ hidden = true }}
columns.age = {{ type = "integer", range = [0, 120] }}
rows_per_unit = 1

[tables.prescriptions]
source = "prescriptions.csv"
link = {{ column = "visit_id", to = "visits.visit_id" }}
columns.visit_id = {{ type = "integer" }}
columns.doses = {{ type = "integer", range = [0, 9] }}
max_groups = 5
max_rows_per_group = 10

[tables.refills]
source = "refills.jsonl"
link = {{ column = "prescription", to = "prescriptions.prescription" }}
columns.prescription = {{ type = "text" }}
columns.amount = {{ type = "integer", range = [0, 5] }}
max_groups = 5
max_rows_per_group = 10

[tables.undeclared]
source = "visits.csv"
key = "patient_id"
columns.patient_id = {{ type = "integer" }}
columns.cost = {{ range = [0, 100] }}

[tables.odd]
source = "odd.csv"
key = "who"
columns.x = {{ range = [-10, 10] }}
columns.d = {{ type = "date", range = ["2000-01-01", "2030-01-01"] }}
columns.b = {{ type = "boolean" }}
max_groups = 20
max_rows_per_group = 50

[tables.empty]
source = "empty.csv"
key = "who"
columns.kind = {{ values = ["a", "b"] }}
columns.x = {{ range = [0, 10] }}

[tables.drugs]
source = "drugs.csv"
public = true
columns.price = {{ type = "double", range = [0, 100] }}
"""

ODD = ["1", "-3.5", "nan", "inf", "-inf", "1e400", "", "abc", "1e-320", "0x10", "9" * 400, " 2 ", "-0"]


def write(folder: pathlib.Path) -> pathlib.Path:
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "visits.csv", "w", newline="") as f:
        out = csv.writer(f)
        out.writerow(["visit_id", "patient_id", "ward", "city", "cost", "debt", "day", "stamp", "urgent", "nights", "free"])
        visit = 0
        for patient in range(1, 201):
            for k in range(2):
                visit += 1
                ward = "ABC"[(patient + k) % 3]
                out.writerow([visit, patient, ward, f"city {patient % 4}", (patient * 7 + k) % 90 + 5, patient % 21 - 10,
                              f"202{patient % 5}-0{1 + k}-15", f"2024-01-0{1 + k} 0{patient % 10}:30:00", "true" if patient % 2 else "false",
                              patient % 8, patient])
        # rows without an owner, malformed rows, values outside of everything
        out.writerow([9001, "", "A", "city 0", 50, 0, "2020-01-01", "", "true", 1, 1])
        out.writerow([9002, "nobody", "A", "city 0", 50, 0, "2020-01-01", "", "true", 1, 1])
        f.write("9003,7,A\n")
    with open(folder / "people.csv", "w", newline="") as f:
        out = csv.writer(f)
        out.writerow(["patient_id", "name", "age", "sex"])
        for patient in range(1, 221):
            out.writerow([patient, f"Name {patient}", 20 + patient % 50, "fm"[patient % 2]])
    with open(folder / "prescriptions.csv", "w", newline="") as f:
        out = csv.writer(f)
        out.writerow(["prescription", "visit_id", "drug", "doses"])
        for visit in range(1, 401):
            out.writerow([f"p{visit}", visit, ["aspirin", "statin", "insulin"][visit % 3], visit % 10])
        out.writerow(["p9999", 123456, "aspirin", 1])  # of no visit
    with open(folder / "refills.jsonl", "w") as f:
        for visit in range(1, 101):
            f.write(json.dumps({"prescription": f"p{visit}", "amount": visit % 6}) + "\n")
        f.write("{broken\n[1, 2]\n7\n")
    with open(folder / "drugs.csv", "w", newline="") as f:
        out = csv.writer(f)
        out.writerow(["drug", "class", "price"])
        out.writerows([["aspirin", "heart", 2], ["statin", "heart", 5], ["insulin", "sugar", 9], ["placebo", "none", 1]])
    with open(folder / "odd.csv", "wb") as f:
        f.write("who,x,key,d,b\n".encode())
        dates = ["2020-02-30", "infinity", "0000-00-00", "2021-03-04", "99999-01-01", "-infinity", "", "x"]
        keys = ["Ωmega", "'; DROP TABLE t; --", "日本", "a,b", 'say "hi"', "", "NULL", "\u202eevil", "x" * 5000]
        for who in range(60):
            row = [f"u{who}", ODD[who % len(ODD)], keys[who % len(keys)], dates[who % len(dates)], ["true", "false", "", "maybe"][who % 4]]
            f.write((",".join('"' + v.replace('"', '""') + '"' for v in row) + "\n").encode())
        f.write(b"u3,\xff\xfe,bad,2020-01-01,true\n")
        f.write(b"u4,5,six,2020-01-01\n")
        f.write(b'u5,"unterminated,5,5,5\n')
    (folder / "empty.csv").write_text("who,kind,other,x\n")
    (folder / "policy.toml").write_text(POLICY.format())
    return folder / "policy.toml"
