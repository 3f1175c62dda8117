"""Measures one fleet, or the Spark part of it; see scale.sh."""

import os
import statistics
import subprocess
import sys
import time

import fleet

what, weir, folder = sys.argv[1:4]


def seconds(body):
    start = time.monotonic()
    result = body()
    return time.monotonic() - start, result


def command(*arguments):
    """The time, the processor time and the memory of a command."""
    start = time.monotonic()
    process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"scale: {arguments[0]} failed")
    return time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def best(*arguments):
    runs = sorted(command(*arguments) for _ in range(3))
    return f"{runs[0][0]:.2f} s (of 3; the longest {runs[-1][0]:.2f} s), {min(run[1] for run in runs):.2f} s of a core, {runs[0][2]:.0f} MB"


def files(name, ending):
    return [one for one in os.scandir(os.path.join(folder, name)) if one.name.endswith(ending)]


if what == "facts":
    traces = files("traces", ".weir")
    with open(os.path.join(folder, "names"), "w") as file:
        file.write("\0".join(one.path for one in traces))
    print(f"        {len(traces)} traces, {sum(one.stat().st_size for one in traces)} bytes")
    print("        sha256sum:", best("xargs", "-0", "-a", os.path.join(folder, "names"), "sha256sum"))
    print("        weir facts:", best(weir, "facts", os.path.join(folder, "traces"), "-o", os.path.join(folder, "facts")))
    written = files("facts", ".ndjson")
    rows = 0
    for one in written:
        with open(one.path, "rb") as file:
            rows += file.read().count(b"\n")
    print(f"        facts: {rows} rows, {sum(one.stat().st_size for one in written)} bytes")
    load, run = seconds(lambda: fleet.duckdb_engine(os.path.join(folder, "facts")))
    print(f"        DuckDB: reading {load:.1f} s, all questions {seconds(lambda: fleet.answers(run))[0]:.1f} s", flush=True)
else:
    import spark_job

    starting, spark = seconds(lambda: spark_job.session(os.environ["WEIR_FLEET_CLUSTER"]))
    spark.sparkContext.setLogLevel("OFF")
    for module in (fleet, spark_job):
        spark.sparkContext.addPyFile(module.__file__)
    parquet = os.path.join(folder, "parquet")
    writing = [
        seconds(lambda: spark_job.write(spark, os.path.join(folder, "traces"), parquet, os.path.abspath(weir)))[0] for _ in range(2)
    ]
    asking, answer = seconds(lambda: fleet.answers(fleet.spark_engine(spark, parquet)))
    spark.stop()
    same = answer == fleet.answers(fleet.duckdb_engine(os.path.join(folder, "facts")))
    bytes_out = sum(one.stat().st_size for table in fleet.tables() for one in files(f"parquet/{table}", ".parquet"))
    print(
        f"        Spark: starting {starting:.1f} s, facts to Parquet {writing[0]:.1f} s and again {writing[1]:.1f} s, "
        f"all questions {asking:.1f} s, {bytes_out} bytes of Parquet, answers equal: {same}",
        flush=True,
    )
    if not same:
        sys.exit("scale: Spark and DuckDB differ")
