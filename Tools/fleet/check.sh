#!/usr/bin/env bash
# Usage: Tools/fleet/check.sh WEIR BENCH [TRACES [ENGINE…]]: simulates a fleet of 200 traces with planted regressions and leaks, and checks
# that the ready questions find them and nothing else, on DuckDB and on Spark (local[2]), also with broken traces and a killed worker.
# WEIR_FLEET_MASTER=spark://… runs the Spark part on a cluster.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
"$here/setup.sh"
python=${WEIR_FLEET_PYTHON:-$here/../../.build/fleet/bin/python}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/traces"
weir=$1 bench=$2 traces=${3:-200}
shift $(($# < 3 ? $# : 3))
PYSPARK_PYTHON=$python PYTHONPATH=$here PYTHONDONTWRITEBYTECODE=1 "$python" "$here/check.py" "$weir" "$bench" "$folder" "$traces" "$@"
