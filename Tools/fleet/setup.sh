#!/usr/bin/env bash
# Installs what the questions need into .build/fleet, once. WEIR_FLEET_PYTHON names another Python that has it.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ -n "${WEIR_FLEET_PYTHON:-}" ] && exit 0
environment=$here/../../.build/fleet
cmp -s "$here/requirements.txt" "$environment/requirements.txt" && exit 0
python3 -m venv "$environment"
"$environment/bin/pip" install -q -r "$here/requirements.txt"
cp "$here/requirements.txt" "$environment/requirements.txt"
