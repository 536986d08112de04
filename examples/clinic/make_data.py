#!/usr/bin/env python3
"""Makes the clinic: visits of 20,000 patients, their prescriptions and a public list of drugs. The same on every run.

    make_data.py FOLDER [PATIENTS]
"""
import csv
import datetime
import pathlib
import random
import sys

WARDS = ["cardiology", "geriatrics", "maternity", "neurology", "oncology", "surgery"]
WEIGHTS = [22, 18, 12, 10, 14, 24]
COST = {"cardiology": 900, "geriatrics": 600, "maternity": 750, "neurology": 1100, "oncology": 1900, "surgery": 1500}
CITIES = ["Athens", "Thessaloniki", "Patras", "Heraklion", "Larissa", "Volos", "Ioannina", "Chania"]
DRUGS = [("aspirin", "cardio"), ("statin", "cardio"), ("insulin", "metabolic"), ("ibuprofen", "pain"),
         ("morphine", "pain"), ("antibiotic", "infection"), ("antiviral", "infection")]


def main():
    folder = pathlib.Path(sys.argv[1])
    patients = int(sys.argv[2]) if len(sys.argv) > 2 else 20_000
    folder.mkdir(parents=True, exist_ok=True)
    draw = random.Random(20240229)
    first = datetime.date(2022, 1, 1)
    visit = 0
    with open(folder / "patients.csv", "w", newline="") as p, open(folder / "visits.csv", "w", newline="") as v, \
            open(folder / "prescriptions.csv", "w", newline="") as r, open(folder / "drugs.csv", "w", newline="") as d:
        people, visits, prescriptions, drugs = csv.writer(p), csv.writer(v), csv.writer(r), csv.writer(d)
        people.writerow(["patient_id", "name", "born", "city", "smoker"])
        visits.writerow(["visit_id", "patient_id", "ward", "day", "cost", "nights"])
        prescriptions.writerow(["visit_id", "drug", "doses"])
        drugs.writerow(["drug", "class"])
        drugs.writerows(DRUGS)
        for patient in range(1, patients + 1):
            born = 1930 + min(draw.randrange(90), draw.randrange(90))
            smoker = draw.random() < 0.27
            people.writerow([patient, f"Patient {patient:05}", born, draw.choices(CITIES, range(len(CITIES), 0, -1))[0], str(smoker).lower()])
            for _ in range(1 + min(int(draw.expovariate(0.35)), 40)):
                visit += 1
                ward = draw.choices(WARDS, WEIGHTS)[0]
                nights = min(int(draw.expovariate(0.5)), 60)
                cost = round(min(COST[ward] * draw.lognormvariate(-0.2, 0.6) + 180 * nights, 25_000), 2)
                day = first + datetime.timedelta(days=draw.randrange(1096))
                visits.writerow([visit, patient, ward, day.isoformat(), cost, nights])
                for _ in range(draw.choice([0, 1, 1, 2])):
                    prescriptions.writerow([visit, draw.choice(DRUGS)[0], 1 + draw.randrange(20)])


if __name__ == "__main__":
    main()
