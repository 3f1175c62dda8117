"""Prints lines of a file as an SVG of a terminal: THEME COMMAND FILE FIRST COUNT. Blank lines at the beginning do not count."""

import html
import sys

theme, command, path, first, count = sys.argv[1:]
lines = [f"$ {command}"] + open(path).read().rstrip().splitlines()[int(first) - 1 : int(first) - 1 + int(count)]
page, text, faint, accent = {
    "light": ("#f6f8fa", "#1b2330", "#66717f", "#b3261e"),
    "dark": ("#161b22", "#e7ebf1", "#94a0af", "#ff7b72"),
}[theme]
width = 24 * 2 + round(max(map(len, lines)) * 7.9)
height = 20 * 2 + 20 * len(lines)
print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">')
print(f'<rect width="{width}" height="{height}" rx="8" fill="{page}"/>')
print('<g font-family="ui-monospace,SFMono-Regular,Menlo,\'DejaVu Sans Mono\',monospace" font-size="13">')
for place, line in enumerate(lines):
    color = faint if line.startswith("$") else accent if "retain-cycle" in line or "Remedy" in line else text
    # Browsers no longer heed xml:space: spaces that do not break are kept.
    text_of_line = html.escape(line).replace(" ", "\u00a0")
    print(f'<text x="24" y="{34 + 20 * place}" fill="{color}">{text_of_line}</text>')
print("</g></svg>")
