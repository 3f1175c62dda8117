"""A Spark job: traces to Parquet. `weir facts` runs on the workers, next to the traces; only paths and facts travel.

    Tools/fleet/submit TRACES DIR --weir /path/to/weir

DIR is replaced when all of it is written. A trace that cannot be read becomes a row of `losses`.
"""

import argparse
import heapq
import os
import shutil
import subprocess
import tempfile
import time

import fleet


def size(path):
    try:
        return os.path.getsize(path)
    except OSError:
        return 0


def find_traces(folder):
    found = []
    for parent, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".weir") and not name.startswith("."):
                path = os.path.abspath(os.path.join(parent, name))
                found.append((size(path), path))
    return found


def bins(traces, count):
    """Paths in `count` groups of about the same size: the largest traces first, each into the smallest group."""
    heap = [(0, number) for number in range(count)]
    groups = [[] for _ in range(count)]
    for size, path in sorted(traces, reverse=True):
        total, number = heapq.heappop(heap)
        groups[number].append(path)
        heapq.heappush(heap, (total + size + 65536, number))
    return [group for group in groups if group]


def facts(weir, victim):
    """A function that turns groups of paths into lines of JSON, on a worker."""

    def lines(groups):
        for paths, is_victim in groups:
            if is_victim and not os.path.exists(victim):
                # For the test of a worker's loss: whoever waits for this file kills this process, and Spark repeats the task.
                with open(victim + ".new", "w") as file:
                    file.write(str(os.getpid()))
                os.rename(victim + ".new", victim)
                time.sleep(60)
                raise RuntimeError("nobody killed this process")
            for start in range(0, len(paths), 500):
                with tempfile.TemporaryDirectory() as folder:
                    command = [weir, "facts", *paths[start : start + 500], "-o", folder]
                    ended = subprocess.run(command, stderr=subprocess.PIPE, text=True)
                    # 3: some trace cannot be read, which its row in `losses` says.
                    if ended.returncode not in (0, 3):
                        raise RuntimeError(f"weir facts ended with {ended.returncode}: {ended.stderr[-2000:]}")
                    for name in sorted(os.listdir(folder)):
                        with open(os.path.join(folder, name), encoding="utf-8") as file:
                            yield from file

    return lines


def write(spark, traces, folder, weir, victim=None, parallelism=None):
    """Writes the tables of the traces below `traces` to `folder`. With `victim`, a process in the middle waits to be killed."""
    context = spark.sparkContext
    groups = bins(find_traces(traces), parallelism or 4 * context.defaultParallelism)
    groups = [(paths, bool(victim) and number == len(groups) // 2) for number, paths in enumerate(groups)]
    schema = ", ".join(f"`{name}` {kind}" for name, kind in fleet.all_columns().items())
    lines = context.parallelize(groups, max(1, len(groups))).mapPartitions(facts(weir, victim))
    rows = spark.read.schema(schema).json(lines).cache()
    new = folder.rstrip("/") + ".new"
    shutil.rmtree(new, ignore_errors=True)
    for table, columns in fleet.tables().items():
        own = rows.where(rows["table"] == table).select(*columns)
        own.coalesce(context.defaultParallelism).write.parquet(os.path.join(new, table))
    rows.unpersist()
    old = folder.rstrip("/") + ".old"
    shutil.rmtree(old, ignore_errors=True)
    if os.path.exists(folder):
        os.rename(folder, old)
    os.rename(new, folder)
    shutil.rmtree(old, ignore_errors=True)


def session(master=None):
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName("weir facts").config("spark.sql.shuffle.partitions", "4")
    builder = builder.config("spark.ui.showConsoleProgress", "false")
    return (builder.master(master) if master else builder).getOrCreate()


def main():
    parser = argparse.ArgumentParser(description="Writes the facts of traces as Parquet.")
    parser.add_argument("traces", metavar="TRACES", help="a folder that every worker can read")
    parser.add_argument("folder", metavar="DIR")
    parser.add_argument("--weir", default="weir", help="the command on the workers")
    parser.add_argument("--master", help="local[2], spark://… (default: that of spark-submit)")
    options = parser.parse_args()
    if not os.path.isdir(options.traces):
        parser.error(f"there is no folder '{options.traces}'")
    if os.path.isdir(options.folder) and os.listdir(options.folder) and not os.path.isdir(os.path.join(options.folder, "runs")):
        parser.error(f"'{options.folder}' exists and does not contain facts; it would be deleted")
    spark = session(options.master)
    spark.sparkContext.addPyFile(fleet.__file__)
    write(spark, options.traces, options.folder, options.weir)
    spark.stop()


if __name__ == "__main__":
    main()
