#!/usr/bin/env bash
# Measures `weir check` over a test suite: 100 and 1,000 traces of 2 MB each (2 GB), with the time and the peak memory of each.
# `check.sh FOLDER`, with release builds of `weir` and `weir-bench` in .build/release, or in BIN.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$1
bin=${BIN:-.build/release}
mkdir -p "$folder/few" "$folder/many"
# Some 2 MB; the files are copies, so that the disk cache, but not the reader, may share them.
"$bin/weir-bench" make-trace "$folder/one.weir" --events "${EVENTS:-460000}"
for number in $(seq -w 1 1000); do cp "$folder/one.weir" "$folder/many/$number.weir"; done
for number in $(seq -w 1 100); do cp "$folder/one.weir" "$folder/few/$number.weir"; done
for suite in few many; do
    python3 - "$bin/weir" "$folder/$suite" <<'END'
import pathlib, resource, subprocess, sys, time
command, folder = sys.argv[1:]
traces = list(pathlib.Path(folder).glob("*.weir"))
size = sum(trace.stat().st_size for trace in traces)
began = time.monotonic()
status = subprocess.run([command, "check", folder, "--source-root", folder], stdout=subprocess.DEVNULL).returncode
seconds = time.monotonic() - began
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(f"{len(traces)} traces, {size / 1e6:.0f} MB: {seconds:.1f} s, at most {peak / 1024:.0f} MiB, exit code {status}")
sys.exit(0 if status in (0, 1) else status)
END
done
