"""Pictures of a report page, light and dark: PAGE.html FOLDER shows the first finding and its causes in the timeline.

--compare FOLDER FOLDER: whether those in two folders are alike; fonts and versions of the browser may differ a little.
"""

import base64
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../page"))
import browser as driver

THEMES = ("light", "dark")


def pictures(browser, source, folder):
    for theme in THEMES:
        page = driver.Page(browser, 1200, 700, theme == "dark")
        page.open(source)
        page.run("document.querySelector('.finding.warning .primary:not(:disabled)').click()")
        page.settle()
        page.screenshot(os.path.join(folder, f"page-{theme}.png"))
        problems = page.problems()
        page.close()
        if problems:
            sys.exit("; ".join(problems))


def difference(page, one, other):
    """The share of pixels that clearly differ; 1: the sizes do."""
    urls = []
    for path in (one, other):
        with open(path, "rb") as file:
            urls.append("data:image/png;base64," + base64.b64encode(file.read()).decode())
    return page.run("""(async (urls) => {
        const [left, right] = await Promise.all(urls.map(async (url) => {
            const image = new Image();
            image.src = url;
            await image.decode();
            const canvas = document.createElement("canvas");
            [canvas.width, canvas.height] = [image.width, image.height];
            const context = canvas.getContext("2d");
            context.drawImage(image, 0, 0);
            return context.getImageData(0, 0, image.width, image.height);
        }));
        if (left.width !== right.width || left.height !== right.height) return 1;
        let differing = 0;
        for (let at = 0; at < left.data.length; at += 4) {
            if ([0, 1, 2].some((part) => Math.abs(left.data[at + part] - right.data[at + part]) > 64)) differing++;
        }
        return differing / (left.width * left.height);
    })(%s)""" % urls)


def compare(browser, one, other):
    page = driver.Page(browser)
    for theme in THEMES:
        share = difference(page, *(os.path.join(folder, f"page-{theme}.png") for folder in (one, other)))
        if share > 0.03:
            sys.exit(f"page-{theme}.png: {share:.1%} of the pixels differ; look at it, and make it again")


path = driver.find()
if not path:
    print("without Chromium there are no pictures of the page", file=sys.stderr)
    sys.exit(0)
browser = driver.Browser(path)
try:
    if sys.argv[1] == "--compare":
        compare(browser, *sys.argv[2:])
    else:
        pictures(browser, *sys.argv[1:])
finally:
    browser.close()
