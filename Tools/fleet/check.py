"""Checks the answers about a simulated fleet against its truth, and DuckDB's against Spark's; see check.sh."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time

import fleet

weir, bench, folder, traces = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4]
engines = sys.argv[5:]
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

answer = timed("DuckDB, all questions", lambda: fleet.answers(fleet.duckdb_engine(path("facts"))))
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
# A link to a trace that is gone.
os.symlink("gone", path("traces/unreadable.weir"))
broken = [("unreadable", name) for name in ("noise.weir", "truncated.weir", "unreadable.weir")]
# What a run that was killed leaves behind.
with open(path("facts/run=0000000000000000.ndjson.new"), "w") as file:
    file.write('{"table":"runs","run":"00')
facts(3)


def losses(rows):
    return sorted((row[0], os.path.basename(row[1])) for row in rows)


again = fleet.answers(fleet.duckdb_engine(path("facts")))
lost = losses(again.pop("losses"))
expect(lost == broken, f"broken traces are named in losses: {lost}")
answer.pop("losses")
expect(again == answer, "the other answers stay the same")
# A trace without its end: it is a run with what was read.
with open(path("traces/cut.weir"), "wb") as file:
    file.write(whole[: len(whole) - 1000])
broken.insert(0, ("incomplete-trace", "cut.weir"))
facts(3)
answer = fleet.answers(fleet.duckdb_engine(path("facts")))
lost = losses(answer.pop("losses"))
expect(lost == broken, "a trace without its end is named in losses")
expect([row[:3] for row in answer["regressions"]] == [row[:3] for row in again["regressions"]], "the regressions stay the same")


def processes():
    """The parent of each process."""
    parents = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat") as file:
                parents[int(pid)] = int(file.read().rpartition(")")[2].split()[1])
        except OSError:
            pass
    return parents


def kill(victim, workers, killed, whole_worker=False):
    """Waits for the task that offers itself, and kills its process, or its executor, the child of one of `workers`, and that worker."""
    while not os.path.exists(victim):
        time.sleep(0.05)
    with open(victim) as file:
        process = int(file.read())
    parents = processes()
    while workers and parents.get(process, 0) > 1 and parents[process] not in workers:
        process = parents[process]
    if workers and parents.get(process) not in workers:
        return
    # The worker first: it would start another executor.
    for each in [parents[process], process] if whole_worker else [process]:
        os.kill(each, signal.SIGKILL)
        killed.append(each)


def half_write(folder):
    """What a job leaves behind that was killed while it wrote, and another while it replaced its output."""
    for name in ["parquet/runs", "parquet/losses/_temporary", "parquet.new/runs", "parquet.old/runs"]:
        os.makedirs(os.path.join(folder, name))
        with open(os.path.join(folder, name, "part-00000.parquet"), "wb") as file:
            file.write(b"PAR1 and no end")


def check_spark(master, workers):
    import spark_job

    half_write(folder)
    spark = spark_job.session(master)
    spark.sparkContext.setLogLevel("OFF")
    for module in (fleet, spark_job):
        spark.sparkContext.addPyFile(module.__file__)
    if workers:
        # The first tasks would run before all executors are there.
        deadline = time.monotonic() + 60
        executors = spark.sparkContext._jsc.sc().getExecutorMemoryStatus
        while executors().size() <= len(workers) and time.monotonic() < deadline:
            time.sleep(0.1)
        expect(executors().size() == len(workers) + 1, f"{len(workers)} executors run")
    absolute = os.path.abspath(weir)

    def write(what, processes, whole_worker=False):
        victim, killed = path("victim"), []
        threading.Thread(target=kill, args=(victim, workers, killed, whole_worker), daemon=True).start()
        timed(
            f"Spark: facts to Parquet over {what} output, {' and '.join(processes)} killed",
            lambda: spark_job.write(spark, path("traces"), path("parquet"), absolute, victim=victim),
        )
        expect(len(killed) == len(processes), f"{' and '.join(processes)} were killed")
        os.remove(victim)

    write("half-written", ["an executor"] if workers else ["a worker process"])
    other = timed("Spark, all questions", lambda: fleet.answers(fleet.spark_engine(spark, path("parquet"))))
    same_answers(other)
    parquet = fleet.answers(fleet.duckdb_engine(path("parquet")))
    parquet.pop("losses")
    expect(parquet == answer, "DuckDB gives the same answers from the Parquet of Spark")
    if workers:
        write("complete", ["a worker", "its executor"], whole_worker=True)
    else:
        write("complete", ["a worker process"])
    same_answers(timed("Spark, all questions once more", lambda: fleet.answers(fleet.spark_engine(spark, path("parquet")))))
    left = [name for name in os.listdir(folder) if name.startswith("parquet.")]
    expect(not left, f"no half-written output is left: {left}")
    spark.stop()
    shutil.rmtree(path("parquet"))


def same_answers(other):
    lost = losses(other.pop("losses"))
    expect(lost == broken, f"Spark names the broken traces in losses: {lost}")
    for name, rows in answer.items():
        same = [tuple(row) for row in rows] == other[name]
        expect(same, f"Spark and DuckDB agree on '{name}', {len(rows)} rows")
        if not same:
            print("   DuckDB:", rows[:3], "\n   Spark: ", other[name][:3])


if "spark" in engines:
    check_spark(os.environ.get("WEIR_FLEET_MASTER", "local[2,4]"), [])
if "spark-cluster" in engines:
    check_spark(os.environ["WEIR_FLEET_CLUSTER"], [int(pid) for pid in os.environ["WEIR_FLEET_PIDS"].split()])

sys.exit(f"{len(failures)} checks failed" if failures else 0)
