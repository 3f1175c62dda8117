#!/usr/bin/env bash
# Usage: Tools/fleet/scale.sh WEIR BENCH TRACES…: measures fleets of these sizes: sha256sum, weir facts, DuckDB, and Spark with one and
# with two workers on 127.0.0.1.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/spark.sh"
"$here/setup.sh"
python=${WEIR_FLEET_PYTHON:-$here/../../.build/fleet/bin/python}
find_spark
folder=$(mktemp -d)
trap 'stop_cluster; rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM HUP
weir=$1 bench=$2
shift 2
export PYTHONPATH=$here

measure() {
    "$python" "$here/scale.py" "$1" "$weir" "$2" 2>"$folder/log" || {
        cat "$folder/log" >&2
        exit 1
    }
}

mkdir "$folder/cluster"
for traces in "$@"; do
    echo "$traces traces; load of the machine: $(cut -d' ' -f1 /proc/loadavg)"
    "$bench" fleet-sim "$folder/$traces/traces" --traces "$traces"
    measure facts "$folder/$traces"
done
for workers in 1 2; do
    start_cluster $workers "$folder/cluster"
    for traces in "$@"; do
        echo "$traces traces, workers: $workers; load of the machine: $(cut -d' ' -f1 /proc/loadavg)"
        measure spark "$folder/$traces"
    done
    stop_cluster
done
