"""Prints an SVG of `weir graph` with the colours of one theme alone: GitHub chooses the file, not the file its colours."""

import re
import sys

theme, path = sys.argv[1:]
text = open(path).read()
dark = re.search(r"@media \(prefers-color-scheme:dark\)\{\n(.*?)\n\}\n", text, re.S)
text = text.replace(dark.group(0), dark.group(1) + "\n" if theme == "dark" else "")
# The tooltips are half of the bytes, and a picture on a page shows none.
print(re.sub(r"<title>.*?</title>", "", text, flags=re.S), end="")
