"""Screenshots of report pages: shots.py FOLDER PAGE.html…; each pane, light and dark, 1440 and 800 pixels wide."""
import os
import sys

import browser as driver


def main(folder, pages):
    path = driver.find()
    os.makedirs(folder, exist_ok=True)
    browser = driver.Browser(path)
    only = os.environ.get("ONLY", "").split(",")
    try:
        for file in pages:
            name = os.path.basename(file).removesuffix(".html")
            for width, dark in ((1440, False), (1440, True), (800, False), (800, True)):
                if only != [""] and f"{width}{'d' if dark else 'l'}" not in only:
                    continue
                page = driver.Page(browser, width, 900 if width > 1000 else 1100, dark)
                page.open(file)
                tag = f"{folder}/{name}-{width}-{'dark' if dark else 'light'}"
                page.screenshot(f"{tag}-timeline.png")
                page.run("document.querySelector('.finding.warning .primary:not(:disabled)')?.click()")
                page.settle()
                page.screenshot(f"{tag}-finding.png")
                page.key("c")
                page.screenshot(f"{tag}-cause.png")
                page.key("2")
                page.key("s")
                page.settle()
                page.screenshot(f"{tag}-graph.png")
                for problem in page.problems():
                    print(f"{name}: {problem}")
                page.close()
    finally:
        browser.close()


main(sys.argv[1], sys.argv[2:])
