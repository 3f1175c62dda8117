"""Checks the answers about a simulated fleet against its truth, and DuckDB's against Spark's; see check.sh."""

import json
import os
import subprocess
import sys
import time

import fleet

weir, bench, folder, traces = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4]
engines = sys.argv[5:] or ["duckdb", "spark"]
failures = []


def expect(truth, sentence):
    print(("ok      " if truth else "FAILED  ") + sentence, flush=True)
    if not truth:
        failures.append(sentence)


def timed(what, body):
    start = time.monotonic()
    result = body()
    print(f"        {what}: {time.monotonic() - start:.1f} s", flush=True)
    return result


def path(name):
    return os.path.join(folder, name)


def answers(run):
    return {name: [tuple(row) for row in run(fleet.Question(name).sql)] for name in fleet.questions()}


def facts(code):
    ended = subprocess.run([weir, "facts", path("traces"), "-o", path("facts")], stderr=subprocess.PIPE, text=True)
    expect(ended.returncode == code, f"weir facts ends with {code}")


def contents():
    found = {}
    for name in sorted(os.listdir(path("facts"))):
        with open(os.path.join(path("facts"), name), "rb") as file:
            found[name] = file.read()
    return found


timed("making the traces", lambda: subprocess.run([bench, "fleet-sim", path("traces"), "--traces", traces], check=True))
with open(path("traces/truth.json")) as file:
    truth = json.load(file)
timed(f"sha256sum over {traces} traces", lambda: subprocess.run(f"sha256sum '{path('traces')}'/*.weir >/dev/null", shell=True))
timed("weir facts", lambda: facts(0))
first = contents()
facts(0)
expect(contents() == first and len(first) == int(traces), "a second run gives the same files, one for each trace")

answer = timed("DuckDB, all questions", lambda: answers(fleet.duckdb_engine(path("facts"))))
found = {(row[0], row[1], row[2]) for row in answer["regressions"]}
planted = {(one["app"], one["name"], "redundant refreshes per run") for one in truth["redundancy_regressions"]}
planted |= {(one["app"], one["name"], "handler microseconds per refresh") for one in truth["time_regressions"]}
expect(planted <= found, f"all {len(planted)} planted regressions are found")
expect(found <= planted, f"nothing else is called a regression: {sorted(found - planted)}")
expect(not answer["improvements"], "nothing is called an improvement")
leaks = [(row[0], row[4], row[5]) for row in answer["leaks"]]
expect(
    leaks == [(truth["leaks"]["app"], len(truth["leaks"]["runs"]), truth["leaks"]["runs_of_app"])],
    f"the planted leak is found in its runs, and no other: {leaks}",
)
expect(answer["devices"][0][0] == truth["slow_device"], "the slow device class comes first")
expect(not answer["losses"], "no trace is called incomplete")

# A truncated trace and one that is none: named, and nothing else changes.
with open(path("traces/run-000000.weir"), "rb") as file:
    whole = file.read()
with open(path("traces/truncated.weir"), "wb") as file:
    file.write(whole[:2000])
with open(path("traces/noise.weir"), "wb") as file:
    file.write(b"noise" * 1000)
# What a run that was killed leaves behind.
with open(path("facts/run=0000000000000000.ndjson.new"), "w") as file:
    file.write('{"table":"runs","run":"00')
facts(3)
again = answers(fleet.duckdb_engine(path("facts")))
lost = sorted(os.path.basename(row[1]) for row in again.pop("losses"))
expect(lost == ["noise.weir", "truncated.weir"], f"unreadable traces are named in losses: {lost}")
answer.pop("losses")
expect(again == answer, "the other answers stay the same")

if "spark" in engines:
    import spark_job

    spark = spark_job.session(os.environ.get("WEIR_FLEET_MASTER", "local[2,4]"))
    spark.sparkContext.setLogLevel("OFF")
    absolute = os.path.abspath(weir)
    timed(
        "Spark: facts to Parquet, one worker process killed",
        lambda: spark_job.write(spark, path("traces"), path("parquet"), absolute, fail_once=path("killed")),
    )
    expect(os.path.exists(path("killed")), "a worker process was killed")
    other = timed("Spark, all questions", lambda: answers(fleet.spark_engine(spark, path("parquet"))))
    lost = sorted(os.path.basename(row[1]) for row in other.pop("losses"))
    expect(lost == ["noise.weir", "truncated.weir"], "Spark names the unreadable traces")
    for name, rows in answer.items():
        same = [tuple(row) for row in rows] == other[name]
        expect(same, f"Spark and DuckDB agree on '{name}', {len(rows)} rows")
        if not same:
            print("   DuckDB:", rows[:3], "\n   Spark: ", other[name][:3])
    expect(
        answers(fleet.duckdb_engine(path("parquet")))["wasted"] == answer["wasted"], "DuckDB reads the Parquet of Spark"
    )
    spark.stop()

sys.exit(f"{len(failures)} checks failed" if failures else 0)
