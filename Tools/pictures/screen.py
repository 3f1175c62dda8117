"""Prints what `weir replay` shows on a terminal: WEIR TRACE KEYS AWAITED; keys are typed, and text awaited before it is printed."""

import fcntl
import os
import pty
import re
import select
import struct
import sys
import termios

weir, trace, keys, awaited = sys.argv[1:]
child, terminal = pty.fork()
if child == 0:
    # The size is there before the command asks for it.
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 104, 0, 0))
    os.chdir(os.path.dirname(trace))
    os.execve(weir, ["weir", "replay", os.path.basename(trace)], {**os.environ, "TERM": "xterm"})
shown = b""


def read(until, seconds=30):
    global shown
    while select.select([terminal], [], [], seconds)[0]:
        shown += os.read(terminal, 65536)
        # After the awaited text, a short silence is the end.
        if until in shown:
            seconds = 0.3
    if until not in shown:
        sys.exit(f"weir replay does not show {until.decode()!r}")


read(b"? help")
shown = b""
os.write(terminal, keys.encode())
read(awaited.encode())
os.write(terminal, b"q")
os.waitpid(child, 0)
last = shown.split(b"\x1b[H")[-1].decode()
print("\n".join(line.rstrip() for line in re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", last).splitlines()))
