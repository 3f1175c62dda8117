#!/usr/bin/env bash
# Usage: Tools/fleet/check.sh WEIR BENCH [TRACES [ENGINE…]]: simulates a fleet of 200 traces with planted regressions and leaks, and checks
# that the ready questions find them and nothing else, also with broken traces and a killed process.
# Engines: duckdb, spark (two threads), spark-cluster (a master and two workers on 127.0.0.1); without any: duckdb spark.
# WEIR_FLEET_WORKERS sets the number of workers. WEIR_FLEET_MASTER=spark://… runs the part 'spark' on a cluster of your own.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/spark.sh"
"$here/setup.sh"
python=${WEIR_FLEET_PYTHON:-$here/../../.build/fleet/bin/python}
folder=$(mktemp -d)
check=
trap '[ -z "$check" ] || kill "$check" 2>/dev/null || true; stop_cluster; rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM HUP
mkdir "$folder/traces" "$folder/cluster"
weir=$1 bench=$2 traces=${3:-200}
shift $(($# < 3 ? $# : 3))
[ $# -gt 0 ] || set -- duckdb spark
case " $* " in *' spark'*) find_spark ;; esac
case " $* " in *' spark-cluster '*) start_cluster "${WEIR_FLEET_WORKERS:-2}" "$folder/cluster" ;; esac
PYTHONPATH=$here PYTHONDONTWRITEBYTECODE=1 "$python" "$here/check.py" "$weir" "$bench" "$folder" "$traces" "$@" &
check=$!
# Signals end this script at once only while it waits. The shell would report that the worker was killed.
{ wait $check && code=0 || code=$?; } 2>/dev/null
check=
exit $code
