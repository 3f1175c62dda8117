"""Tests the report page in a real browser: test.py WEIR FOLDER [MILLION.weir]

WEIR is the built command. FOLDER holds the samples' traces; the pages are written there. Times are printed, not judged:
they depend on the machine.
"""
import json
import os
import re
import signal
import subprocess
import sys
import time

import browser as driver
import units

HOSTILE = "</script><script>window.hacked=1</script><img src=x onerror=\"window.hacked=1\">\u202e\u0007&amp;'"


def check(holds, sentence):
    if not holds:
        raise driver.Failure(sentence)


def view(weir, traces, page, *options, code=0):
    result = subprocess.run([weir, "view", *traces, "-o", page, *options], capture_output=True, text=True)
    check(result.returncode == code, f"weir view {traces} ended with {result.returncode}: {result.stderr}")
    return result.stderr


def sound(page, name):
    found = page.problems()
    check(not found, f"{name}: " + "; ".join(found))


def point(page, expression):
    """Where on the screen the timeline draws an event, given an expression that names its row (t: the trace)."""
    return page.run(f"""(() => {{
        const pane = window.weir.timelines[0], t = pane.trace, at = pane.pointOf({expression});
        const box = pane.canvas.getBoundingClientRect();
        return [box.left + at.x, box.top + at.y];
    }})()""")


def every_pane(page, name):
    """Each pane shows something."""
    check(page.run("document.querySelectorAll('.findings h2').length") == 1, f"{name}: the findings have no heading")
    drawn = page.run("""(() => {
        const canvas = document.querySelector('canvas'), context = canvas.getContext('2d');
        const data = context.getImageData(0, 0, canvas.width, canvas.height).data;
        return new Set(new Uint32Array(data.buffer)).size;
    })()""")
    check(drawn > 20, f"{name}: the timeline has {drawn} colors")
    page.run("document.getElementById('tab-cause').click()")
    page.run("document.querySelector('.cause button').click()")
    page.settle()
    check(page.run("document.querySelectorAll('.cause .step').length") > 0, f"{name}: no effects of the first stimulus")
    page.run("document.getElementById('tab-state').click()")
    page.settle()
    check(page.run("document.querySelectorAll('.state tr').length") > 2, f"{name}: the state has no rows")
    page.run("document.getElementById('tab-graph').click()")
    page.settle()
    boxes = page.run("document.querySelectorAll('.box').length")
    check(boxes > 1, f"{name}: the graph has {boxes} boxes")
    for level in page.run("window.weir.trace.graph.map((level) => level.id)"):
        page.run(f"window.weir.selection.set({{ level: '{level}' }}, null)")
        page.settle()
        wide = page.run("""[...document.querySelectorAll('.box')].filter((box) => {
            const text = box.querySelector('.name').getBBox(), frame = box.querySelector('rect').getBBox();
            return text.x + text.width > frame.x + frame.width;
        }).length""")
        check(wide == 0, f"{name}: {wide} names do not fit their boxes in {level}")
    check(page.run("document.documentElement.scrollWidth <= innerWidth"), f"{name}: the page scrolls sideways")


def selection(page, path):
    """A click selects, the address leads back, Escape clears."""
    page.open(path)
    row = "[...t.laneOfMark].findIndex((lane, row) => lane >= 0 && t.columns.cause[row] >= 0 && t.columns.kind[row] === 1)"
    page.click(*point(page, row))
    event = page.run("window.weir.selection.get('event')")
    check(event is not None, "a click on a mark selects no event")
    check(event in page.run("document.querySelector('.cause').textContent"), "the cause pane is about another event")
    time.sleep(0.3)
    address = page.run("location.hash")
    check("e=" in address, f"the address lacks the event: {address}")
    page.open(path, address)
    check(page.run("window.weir.selection.get('event')") == event, "the address leads to another event")
    check(page.run("document.querySelector('.cause').offsetParent !== null"), "the address leads to another pane")
    page.key("Escape")
    check(page.run("window.weir.selection.get('event')") is None, "Escape keeps the selection")


def timeline(page, path):
    page.open(path)
    span = "window.weir.timelines[0].scale.end - window.weir.timelines[0].scale.start"
    box = page.run("(() => { const b = document.querySelector('canvas').getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; })()")
    before = page.run(span)
    page.wheel(box[0] + box[2] * 0.7, box[1] + 300, down=-300, modifiers=2)
    zoomed = page.run(span)
    check(zoomed < before, "Ctrl and the wheel do not zoom in")
    start = page.run("window.weir.timelines[0].scale.start")
    page.drag((box[0] + box[2] * 0.8, box[1] + box[3] - 40), (box[0] + box[2] * 0.5, box[1] + box[3] - 40))
    check(page.run("window.weir.timelines[0].scale.start") != start, "dragging does not move the timeline")
    page.run("document.querySelector('canvas').focus()")
    page.key("0")
    check(abs(page.run(span) - before) < before * 0.01, "0 does not show all")
    page.key("+")
    check(page.run(span) < before, "+ does not zoom in")
    # The scrubber: on the ruler, and by the slider.
    page.key("0")
    page.drag((box[0] + box[2] * 0.9, box[1] + 46), (box[0] + box[2] * 0.5, box[1] + 46))
    moment = page.run("window.weir.selection.get('moment')")
    check(moment is not None, "dragging on the ruler goes to no moment")
    page.run("document.querySelector('input[type=range]').focus()")
    page.key("ArrowLeft")
    check(page.run("window.weir.selection.get('moment')") != moment, "the slider does not move by keys")
    # Groups fold.
    rows = page.run("window.weir.timelines[0].rows.length")
    page.click(box[0] + 40, box[1] + page.run("window.weir.timelines[0].top") + 12)
    check(page.run("window.weir.timelines[0].rows.length") < rows, "a click on a group does not fold it")
    # Keys: events and lanes.
    page.run("document.querySelector('canvas').focus()")
    page.key("ArrowDown")
    lane = page.run("window.weir.selection.get('lane')")
    check(lane is not None, "the arrow down selects no lane")
    page.key("Home")
    first = page.run("window.weir.selection.get('event')")
    page.key("ArrowRight")
    check(page.run("window.weir.selection.get('event')") != first, "the arrow right does not go to the next event")
    page.key("t")
    check(page.run("window.weir.timelines[0].scale.axis") == "time", "t does not change the axis")


def occurrences(page, path):
    """Each event that a finding counts is marked, and one step away from the next."""
    page.open(path)
    wrong = page.run("""window.weir.trace.findings.redundancy.findings.filter((finding) => !finding.normal && (finding.rows.length !== finding.count
        || !finding.rows.every((row) => window.weir.trace.findingRows.get(row).includes(finding)))).map(({ rule, count, rows }) => `${rule}: ${rows.length} of ${count}`)""")
    check(not wrong, "not every event of a finding is marked: " + "; ".join(wrong))
    count = page.run("Math.max(...window.weir.trace.findings.redundancy.findings.filter((one) => !one.normal && !one.primary).map(({ rows }) => rows.length))")
    check(count > 1, "no finding of this trace occurs more than once")
    chosen = f"window.weir.trace.findings.redundancy.findings.find((one) => !one.normal && !one.primary && one.rows.length === {count})"
    rows = page.run(f"{chosen}.rows")
    page.run(f"window.weir.selection.set({{ finding: {chosen}.fingerprint }}, null)")
    page.settle()
    shown = lambda: page.run("document.querySelector('.finding.selected .position').textContent")
    check(shown() == f"{count:,} occurrences in the timeline", f"the card does not say how often: {shown()}")
    event = lambda: page.run("window.weir.trace.rowOf(window.weir.selection.get('event'))")
    for row in rows[:3] if count > 2 else rows:
        page.key("n")
        check(event() == row, f"n goes to row {event()}, not {row}")
    check(shown() == f"{min(3, count)} of {count:,} in the timeline", f"the card does not say where: {shown()}")
    page.key("p")
    check(event() == rows[min(3, count) - 2], "p does not go back")
    page.run("document.querySelector('.finding.selected [aria-label=\"Next occurrence\"]').click()")
    check(event() == rows[min(3, count) - 1], "the button does not go on")
    page.key("Escape")
    page.key("p")
    check(event() == page.run("window.weir.trace.findingOrder.at(-1)"), "without a selected finding, p does not go to the last mark")


def leaks(page, path):
    """A leak is marked where that was made which leaks, and its card leads there."""
    page.open(path)
    found = "window.weir.trace.findings.leaks.findings"
    check(page.run(f"{found}.length") == 3, "the login screen has not three leaks")
    unmarked = page.run(f"""{found}.filter(({{ rows }}) => !rows.some((row) => window.weir.trace.laneOf(row) >= 0)).map(({{ sentence }}) => sentence)""")
    check(not unmarked, "leaks without a mark in a lane: " + "; ".join(unmarked))
    page.run(f"window.weir.selection.set({{ finding: {found}[1].fingerprint }}, null)")
    page.settle()
    page.run("document.querySelector('.finding.selected .primary').click()")
    page.settle()
    row = page.run("window.weir.trace.rowOf(window.weir.selection.get('event'))")
    check(page.run(f"window.weir.trace.findingRows.get({row}).includes({found}[1])"), "the button does not lead to a mark of the leak")
    check(page.run("window.weir.selection.get('lane')") == "LoginViewModel.username", "it is not on the lane of what leaks")


def deep_leaks(page, path):
    """The drawing of a leak with a long path and long names fits into its card, at any width."""
    name = "CheckoutCoordinator.PaymentMethodSelectionViewModel<Array<Dictionary<String, PaymentMethodConfiguration>>>"
    lines = ["┬ retain-cycle · 12 objects, 4.2 KiB · proven: nothing outside holds them", f"├─ {name}    Checkout/CheckoutCoordinator.swift:18"]
    for number in range(12):
        lines += [f"│    ↓ .selectionViewModelOfStep{number}: {name}    Checkout/PaymentMethodSelectionViewModel.swift:{number + 20}"]
    lines += ["│    ~ captures self strongly", f"╰→ {name} (the same object)"]
    for width in (800, 1440):
        page.resize(width, 900)
        page.open(path)
        page.run(f"window.weir.trace.findings.leaks.findings.forEach((leak) => {{ leak.drawing = {json.dumps(lines)} }})")
        page.run("window.weir.findings.draw()")
        page.settle()
        sizes = page.run("[...document.querySelectorAll('.drawing')].map((one) => [one.scrollWidth, one.clientWidth])")
        check(len(sizes) == 3 and all(client > 0 for _, client in sizes), "no leak is drawn")
        check(all(scroll <= client for scroll, client in sizes), f"a drawing scrolls sideways at {width} pixels: {sizes}")
        text = page.run("document.querySelector('.drawing').innerText")
        check(text.count(name) == 14, "names are lost in the drawing")
    page.resize(1440, 900)


def search_and_graph(page, path):
    page.open(path)
    page.key("2")
    page.key("/")
    check(page.run("document.activeElement.type") == "search", "/ does not go to the search")
    for letter in "loginenabled":
        page.key(letter)
    check(page.run("document.querySelectorAll('.box.match').length") > 0, "the search marks no box")
    page.key("Enter")
    page.run("document.activeElement.blur()")
    page.settle()
    check(page.run("window.weir.selection.get('lane')") == "LoginViewModel.loginEnabled", "the search selects no node")
    check(page.run("document.querySelectorAll('.box.dim').length") > 0, "nothing that is not connected fades")
    check(page.run("document.querySelectorAll('.link.feedback').length") > 0, "the feedback is not marked")
    page.run("document.querySelector('.box[tabindex=\"0\"]').focus()")
    first = page.run("document.activeElement.dataset.place")
    page.key("ArrowDown")
    check(page.run("document.activeElement.dataset.place") != first, "the arrows do not move in the graph")
    page.key("Enter")
    check(page.run("window.weir.selection.get('side')") == "state", "Enter does not choose a box")
    page.run("window.weir.selection.set({ moment: '1:45' }, null)")
    page.settle()
    early = page.run("[...document.querySelectorAll('.box .value')].map((value) => value.textContent).join()")
    # What follows within a moment is one movement of the scrubber, not another stop.
    time.sleep(0.5)
    page.run("window.weir.selection.set({ moment: '1:100' }, null)")
    page.settle()
    late = page.run("[...document.querySelectorAll('.box .value')].map((value) => value.textContent).join()")
    check(early != late, "the graph's values do not follow the scrubber")
    check(page.run("document.querySelectorAll('.state del').length") > 0, "the state does not show what changed")


def hostile(page, weir, folder):
    """Names that try to be markup are text; so is every string of the data."""
    name = os.path.join(folder, "<img src=x onerror='window.hacked=1'>\u202e.weir")
    with open(os.path.join(folder, "login.weir"), "rb") as source, open(name, "wb") as target:
        target.write(source.read())
    path = os.path.join(folder, "hostile.html")
    view(weir, [name], path)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    start = text.index(">", text.index('id="trace-0"')) + 1
    end = text.index("</script>", start)

    def poison(value, key=None):
        if isinstance(value, str):
            kept = key in ("kind", "id", "fingerprint", "severity", "example", "counterpart", "path", "tip", "primary", "started")
            return value if kept else value + HOSTILE
        if isinstance(value, list):
            return [poison(item, key) for item in value]
        if isinstance(value, dict):
            return {name: poison(item, name) for name, item in value.items()}
        return value

    data = json.dumps(poison(json.loads(text[start:end]))).replace("<", "\\u003C")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text[:start] + data + text[end:])
    page.open(path)
    for key in "2cs1f":
        page.key(key)
    page.run("document.querySelector('.findings .primary:not(:disabled)').click()")
    page.key("c")
    check(page.run("window.hacked") is None, "a string of the trace was executed")
    check(page.run("document.querySelectorAll('img, iframe, object').length") == 0, "a string of the trace became an element")
    check("<img src=x" in page.run("document.querySelector('.cause').textContent"), "the hostile text is not shown")
    shown = page.run("document.body.innerText + [...document.querySelectorAll('[title],[aria-label]')].map((e) => e.title + e.getAttribute('aria-label')).join('')")
    check("\u202e" not in shown and "\u0007" not in shown, "a control character is shown as it is")
    sound(page, "hostile strings")
    page.run("(() => { const script = document.createElement('script'); script.textContent = 'window.injected = 1'; document.body.append(script); })()")
    check(page.run("window.injected") is None, "the policy lets another script run")


def damaged(page, weir, folder):
    path = os.path.join(folder, "cut.weir")
    with open(os.path.join(folder, "login.weir"), "rb") as source, open(path, "wb") as target:
        data = source.read()
        target.write(data[: len(data) - 20000])
    message = view(weir, [path], os.path.join(folder, "cut.html"))
    check("incomplete" in message, "weir view does not report the damage")
    page.open(os.path.join(folder, "cut.html"))
    text = page.run("document.querySelector('[role=alert]')?.textContent || ''")
    check("incomplete" in text, "the page does not say at its top that the trace is incomplete")
    check(page.run("document.querySelector('[role=alert]').getBoundingClientRect().top < 140"), "the banner is not at the top")
    view(weir, [path], os.path.join(folder, "cut.html"), "--strict", code=4)
    message = view(weir, [path], os.path.join(folder, "no-such-folder", "x.html"), code=5)
    check("cannot be written" in message, f"an unwritable path: {message}")


def accessible(page, path, dark):
    """Names of controls, focus order, and contrast of all text."""
    page.open(path)
    problems = page.run("""(() => {
        const found = [];
        const name = (element) => (element.getAttribute('aria-label') || element.getAttribute('aria-labelledby') || element.textContent || element.title || '').trim();
        for (const control of document.querySelectorAll('button, input, [role=tab], [role=button], canvas, summary')) {
            if (!name(control) && !(control.labels && control.labels.length)) found.push('no name: ' + control.outerHTML.slice(0, 90));
        }
        for (const element of document.querySelectorAll('[aria-controls], [aria-labelledby]')) {
            for (const id of [element.getAttribute('aria-controls'), element.getAttribute('aria-labelledby')]) {
                if (id && !document.getElementById(id)) found.push('no element ' + id);
            }
        }
        const ids = [...document.querySelectorAll('[id]')].map((element) => element.id);
        if (new Set(ids).size !== ids.length) found.push('an id is used twice');
        if (document.querySelectorAll('h1').length !== 1) found.push('not one h1');
        if (!document.documentElement.lang) found.push('no language');
        if (document.querySelector('[tabindex]:not([tabindex="0"]):not([tabindex="-1"])')) found.push('a positive tabindex');
        return found;
    })()""")
    check(not problems, f"{'dark' if dark else 'light'}: " + "; ".join(problems))
    for side in ("findings", "cause", "state"):
        page.run(f"window.weir.selection.set({{ side: '{side}', event: '1:97', moment: '1:97' }}, null)")
        page.settle()
        poor = page.run("""(() => {
            const parse = (text) => (text.match(/[\\d.]+/g) || [0, 0, 0, 0]).map(Number);
            const over = (top, below) => { const alpha = top[3] ?? 1; return [0, 1, 2].map((at) => top[at] * alpha + below[at] * (1 - alpha)); };
            const light = (color) => { const [r, g, b] = color.map((part) => { const share = part / 255; return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
            const ground = (element) => element ? over(parse(getComputedStyle(element).backgroundColor), ground(element.parentElement)) : [255, 255, 255];
            const found = new Set();
            for (const element of document.querySelectorAll('body *')) {
                const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
                if (!own || element.closest('svg, script, style, noscript, option, [aria-hidden=true]') || !element.getClientRects().length || element.disabled) continue;
                const [text, below] = [light(over(parse(getComputedStyle(element).color), ground(element))), light(ground(element))];
                const ratio = (Math.max(text, below) + 0.05) / (Math.min(text, below) + 0.05);
                if (ratio < 4.5) found.add(`${ratio.toFixed(2)} ${element.tagName}.${element.className} “${element.textContent.trim().slice(0, 20)}”`);
            }
            return [...found];
        })()""")
        check(not poor, f"{'dark' if dark else 'light'}, {side}: contrast under 4.5: " + "; ".join(poor))
    # Tab reaches each part, in the order of the page.
    page.open(path)
    reached = []
    for _ in range(24):
        page.key("Tab")
        reached.append(page.run("(() => { const e = document.activeElement; return e.id || e.className || e.tagName + (e.type || ''); })()"))
    for part in ("INPUTsearch", "tab-timeline", "CANVAS", "slider", "tab-findings"):
        check(part in reached, f"Tab does not reach {part}: {reached}")
    order = [reached.index(part) for part in ("INPUTsearch", "tab-timeline", "CANVAS", "slider", "tab-findings")]
    check(order == sorted(order), f"Tab goes in another order: {reached}")


def several(page, weir, folder):
    path = os.path.join(folder, "both.html")
    view(weir, [os.path.join(folder, "login.weir"), os.path.join(folder, "cured.weir")], path)
    page.open(path)
    check(page.run("document.querySelectorAll('canvas').length") == 2, "two traces have not two timelines")
    boxes = page.run("[...document.querySelectorAll('.one canvas')].map((one) => one.getBoundingClientRect()).map(({ left, top }) => [left, top])")
    check(boxes[0][0] < boxes[1][0] and boxes[0][1] == boxes[1][1], f"the timelines are not side by side: {boxes}")
    # The differences: the sentence of weir diff, and what it lists.
    result = subprocess.run([weir, "diff", os.path.join(folder, "login.weir"), os.path.join(folder, "cured.weir")], capture_output=True, text=True)
    text = page.run("document.querySelector('.differences').innerText")
    check(page.run("document.querySelector('.differences').offsetParent !== null"), "the differences are not what is shown first")
    check(result.stdout.splitlines()[-1] in text, f"the differences lack the sentence of weir diff: {text[:300]}")
    for words in ("Cured findings (5)", "New findings (1)", "8 → 7 (÷ 1.1)", "redundant 1 → 0"):
        check(words in text, f"the differences lack “{words}”")
    # A node that is selected in one is selected in the other.
    page.run("[...document.querySelectorAll('.differences .step')].find((one) => one.textContent.startsWith('LoginViewModel.instruction')).click()")
    page.settle()
    lanes = page.run("window.weir.timelines.map((one) => one.trace.lanes[one.laneIndex]?.full)")
    check(lanes == ["LoginViewModel.instruction"] * 2, f"the selection is {lanes}")
    page.key("2")
    check(page.run("document.querySelectorAll('.box.selected .name').length") == 2, "the graphs do not both select the node")
    check("↻ 8→7" in page.run("document.querySelector('.box.selected .value').textContent"), "the graph does not show the refreshes of both")
    view_name = page.run("window.weir.traces[0].lanes.find((lane) => lane.view && lane.match === 'LoginViewModel.instruction').full")
    page.run(f"window.weir.selection.set({{ trace: 0, lane: {json.dumps(view_name)} }}, null)")
    page.settle()
    check(page.run("document.querySelectorAll('.box.view.selected').length") == 2, "a view is not matched by the node that it observes")
    page.key("1")
    page.run("location.hash = '#n=LoginViewModel.username'")
    time.sleep(0.2)
    check(page.run("document.querySelector('.differences').offsetParent !== null"), "an address without a pane shows none")
    page.key("f")
    check("cured" in page.run("document.querySelector('.findings').textContent"), "the cured findings are not marked")
    page.run("document.querySelectorAll('.trace-name')[1].click()")
    page.settle()
    check(page.run("window.weir.selection.get('lane')") == "LoginViewModel.username", "the other trace loses the selected node")
    check(page.run("window.weir.trace.name") == "cured.weir", "the other trace cannot be chosen")
    check("0 of" in page.run("document.querySelector('.findings').textContent"), "the findings are those of the first trace")
    # Nodes that came and went; and three traces, of which no two are before and after.
    view(weir, [os.path.join(folder, "login.weir"), os.path.join(folder, "form.weir")], path)
    page.open(path, "#v=graph")
    check(page.run("[...document.querySelectorAll('.one')].filter((one) => one.querySelector('.box.only-here')).length") == 2, "nodes of one run are not marked")
    check("Nodes that are gone" in page.run("document.querySelector('.differences').textContent"), "the nodes that are gone are not listed")
    view(weir, [os.path.join(folder, name + ".weir") for name in ("login", "cured", "form")], path)
    page.open(path)
    check(page.run("document.querySelectorAll('.one canvas').length") == 3, "three traces have not three timelines")
    check(page.run("document.getElementById('tab-differences')") is None, "three traces have differences of two")
    check("only here" in page.run("document.querySelector('.findings').textContent"), "the findings of one trace are not marked")


def many_nodes(weir, folder, name, owners, per_owner, links):
    """A page of a trace with so many owners and nodes; `links` are pairs of nodes, by number."""
    rows = [{"table": "trace", "version": 1, "program": name}]
    rows += [{"table": "objects", "object": owner + 1, "name": f"Store{owner}", "type": f"Store{owner}", "label": f"Store{owner}"} for owner in range(owners)]
    nodes = range(owners * per_owner)
    rows += [{"table": "nodes", "node": node + 1, "label": f"Store{node // per_owner}.field{node}", "kind": "observable", "file": f"App/Store{node // per_owner}.swift",
              "line": node % per_owner + 1, "owner": node // per_owner + 1, "value": 0} for node in nodes]
    for number, (source, target) in enumerate(links):
        rows.append({"table": "subscriptions", "subscription": number + 1, "node": source + 1, "target": target + 1})
    for node in nodes:
        rows += [{"table": "events", "kind": "emitted", "node": node + 1, "value": node, "nanoseconds": 1000 * node}]
    trace = os.path.join(folder, name + ".weir")
    result = subprocess.run([weir, "import", "-", "-o", trace], input="\n".join(json.dumps(row) for row in rows), capture_output=True, text=True)
    check(result.returncode == 0 or "exists" in result.stderr, f"weir import: {result.stderr}")
    path = os.path.join(folder, name + ".html")
    view(weir, [trace], path)
    return path


def large_graphs(page, weir, folder):
    """A graph with too many boxes to draw: an overview whose boxes open, up to every single node."""
    chain = lambda count: [(node, node + 1) for node in range(count - 1)]
    for name, owners, per_owner in (("one-owner", 1, 1500), ("owners", 120, 10)):
        path = many_nodes(weir, folder, name, owners, per_owner, chain(owners * per_owner))
        page.open(path, "#v=graph")
        boxes = page.run("document.querySelectorAll('.box').length")
        check(2 < boxes <= 150, f"{name}: the overview has {boxes} boxes")
        check(page.run("document.querySelector('.excuse').offsetParent === null"), f"{name}: the page says that the graph is too large")
        # Every node is a box of its own somewhere.
        lost = page.run("""(() => {
            const shown = new Set(window.weir.trace.graph.filter((level) => level.id === "overview" || level.id.startsWith("fold"))
                .flatMap((level) => level.boxes.filter((box) => !box.opens && !box.context).flatMap((box) => box.lanes)));
            return window.weir.trace.lanes.filter((lane) => !shown.has(lane.index)).length;
        })()""")
        check(lost == 0, f"{name}: {lost} nodes are in no drawing")
        # A box opens, says how much it holds, and leads back.
        folded = page.run("[...document.querySelectorAll('.box.folded')].length")
        check(folded > 0, f"{name}: no box can be opened")
        check(re.search(r"\d+ nodes", page.run("document.querySelector('.box.folded .value').textContent")), f"{name}: a box does not say how much it holds")
        page.run("document.querySelector('.box.folded').dispatchEvent(new MouseEvent('click', { bubbles: true }))")
        page.settle()
        level = page.run("window.weir.selection.get('level')")
        check(level and level.startswith("fold-"), f"{name}: a click opens {level}")
        check(page.run("document.querySelectorAll('.box.context').length") > 0, f"{name}: what the opened nodes are linked with is not shown")
        check(page.run("document.querySelector('.tools [aria-pressed=true]').textContent").startswith("›"), f"{name}: nothing shows which box is open")
        page.run("document.querySelector('.box').focus()")
        page.key("Backspace")
        check(page.run("window.weir.graph.level.id") == "overview", f"{name}: Backspace does not go back")
        # The search opens the box that holds what is found.
        last = owners * per_owner - 1
        page.run(f"window.weir.find('field{last}')")
        page.settle()
        check(page.run("[...document.querySelectorAll('.box.selected:not(.context) .name')].map((one) => one.textContent)") == [f"field{last}"], f"{name}: the search does not open the box with the node")
        sound(page, name)
    # Five layers, each node feeding all of the next.
    layers = [(layer * 30 + source, layer * 30 + 30 + target) for layer in range(4) for source in range(30) for target in range(30)]
    page.open(many_nodes(weir, folder, "layers", 1, 150, layers), "#v=graph&g=overview")
    check(page.run("document.querySelectorAll('.box').length") == 5, "five layers are not five boxes")
    check(page.run("window.weir.graph.level.links.map((link) => link.count)") == [900] * 4, "the links between layers do not count all of theirs")


def followed(page, weir, folder):
    """A page that is renewed while a program runs: it shows what comes, keeps what is looked at, and says when the program ends."""
    program = os.path.join(os.path.dirname(weir), "WeirPlainProgram")
    if not os.path.exists(program):
        print("  without the program to follow")
        return
    path = os.path.join(folder, "running.html")
    processes = []

    def start():
        """A program that has recorded some events, and waits; with what follows it."""
        environment = {**os.environ, "WEIR_TRACE": os.path.join(folder, "running.weir")}
        running = subprocess.Popen([program, "fill", "waits"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
        processes.append(running)
        running.stdout.readline()
        trace = running.stdout.readline().strip()
        viewer = subprocess.Popen([weir, "view", trace, "--follow", "-o", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        processes.append(viewer)
        check(viewer.stdout.readline().strip() == path, "weir view --follow does not print the page's path at once")
        return running, viewer

    def until(holds, sentence):
        """Waits until a condition holds in the page, which may be loading: half a minute at most."""
        found = None
        for _ in range(300):
            try:
                found = page.run(f"document.getElementById('app')?.dataset.ready === 'true' && ({holds})")
            except driver.Failure as failure:
                found = failure
            if found is True:
                page.settle()
                page.settle()
                return
            time.sleep(0.1)
        raise driver.Failure(f"{sentence} ({found})")

    def grow(running, times=1):
        """The program records some more; the page must come to show it."""
        before = page.run("window.weir.trace.rowCount")
        for _ in range(times):
            running.stdin.write("more\n")
            running.stdin.flush()
            last = running.stdout.readline().split()[-1]
        until(f"window.weir.trace.value(window.weir.trace.emissions.rows.at(-1)).startsWith('\"{last} ')", f"a live page does not come to show value {last}")
        rows = page.run("window.weir.trace.rowCount")
        check(rows >= before + 10 * times, f"{rows} events after {before} and {10 * times} more")
        check(f"{rows:,} events" in page.run("document.querySelector('.facts').textContent"), "the head of the page does not count the new events")

    window = lambda: page.run("[window.weir.timeline.scale.start, window.weir.timeline.scale.end]")
    selected = lambda *names: page.run(f"{json.dumps(names)}.map((name) => window.weir.selection.get(name))")
    last_in_sight = "window.weir.timeline.scale.xOfRow(window.weir.trace.rowCount - 1) < window.weir.timeline.scale.width"
    try:
        running, viewer = start()
        page.open(path)
        check(page.run("document.querySelector('.live').textContent") == "● Live", "a live page does not say that it is live")
        # Nothing selected: what comes is drawn, and the values are the newest.
        grow(running, 20)
        check(page.run(last_in_sight), "a page that shows all events does not show the new ones")
        check(page.run("window.weir.timeline.momentRow === window.weir.trace.rowCount - 1"), "the scrubber does not stay at the end")
        page.key("s")
        until("document.querySelector('.state').textContent.includes('\"210 ')", "the state does not show the newest value")
        # The end of the trace, enlarged: it moves along.
        page.run("window.weir.timeline.scale.zoom(0.2, window.weir.timeline.scale.width)")
        span = window()
        grow(running, 3)
        moved = window()
        check(abs((moved[1] - moved[0]) - (span[1] - span[0])) < 1e-6, f"new events change the zoom: {span}, then {moved}")
        check(page.run(last_in_sight), f"the enlarged end of the trace does not move along: {span}, then {moved}")
        # Something selected: it stays, and so does the scrubber, what is in sight, folded groups, and the keyboard's place.
        row = "window.weir.trace.emissions.rows.at(4)"
        page.run("window.weir.timeline.fit(); document.querySelector('canvas').focus()")
        page.run(f"window.weir.selection.set({{ event: window.weir.trace.id({row}), lane: window.weir.trace.lanes[0].full, side: 'state' }}, null)")
        page.run("window.weir.selection.set({ moment: window.weir.trace.id(window.weir.trace.emissions.rows.at(6)) }, null); window.weir.timeline.fit()")
        page.run("window.weir.timeline.collapsed.add(window.weir.trace.laneGroups[0]); window.weir.timeline.arrangeRows()")
        page.settle()
        kept = selected("event", "moment", "lane", "side")
        state = page.run("document.querySelector('.state').innerText")
        grow(running, 2)
        check(selected("event", "moment", "lane", "side") == kept, f"new events change the selection: {kept}, then {selected('event', 'moment', 'lane', 'side')}")
        check(page.run("window.weir.trace.value(window.weir.timeline.momentRow)").startswith('"7 '), "the scrubber is at another event")
        now = page.run("document.querySelector('.state').innerText")
        check(now == state, f"new events change the state at the scrubber's moment: {state!r}, then {now!r}")
        check(page.run("window.weir.timeline.scale.isFitted"), "a timeline that showed everything no longer does")
        check(page.run("window.weir.timeline.collapsed.size") == 1, "a folded group unfolds by itself")
        check(page.run("document.activeElement.tagName") == "CANVAS", "the keyboard loses its place")
        # Enlarged somewhere else: what is in sight stays.
        page.run("window.weir.timeline.zoomBy(0.3)")
        span = window()
        grow(running)
        check(max(abs(left - right) for left, right in zip(span, window())) < 1e-6, f"new events move what is looked at: {span}, then {window()}")
        # Paused: nothing changes.
        page.run("document.querySelector('.live').click(); window.marked = 1")
        running.stdin.write("more\n")
        running.stdin.flush()
        running.stdout.readline()
        check(page.run("new Promise((done) => setTimeout(() => done(window.marked), 2500))") == 1, "a paused page loads itself again")
        page.run("document.querySelector('.live').click()")
        grow(running)
        check(viewer.poll() is None, "weir view --follow ended before the recording")
        # The end.
        running.stdin.close()
        check(viewer.wait(60) == 0, f"weir view --follow ended with {viewer.returncode}: {viewer.stderr.read()}")
        with open(path, encoding="utf-8") as file:
            check("data-reload" not in file.read(), "the last page loads itself again")
        until("document.querySelector('.live').textContent === '■ Ended'", "the page does not say that the recording has ended")
        check(selected("event", "moment", "lane", "side") == kept, "the last page loses the selection")
        check(page.run("document.querySelector('.banner')") is None, "a complete recording has a warning")
        check(not os.path.exists(path + ".new"), "a part of a page is left over")
        # A program that is killed.
        running, viewer = start()
        page.open(path)
        running.kill()
        running.wait()
        check(viewer.wait(60) == 0, f"after the program was killed, weir view --follow ended with {viewer.returncode}")
        until("document.querySelector('.live').textContent === '■ Killed'", "the page does not say that the program was killed")
        # Ctrl-C: the page that is left is an ordinary one.
        running, viewer = start()
        page.open(path)
        viewer.send_signal(signal.SIGINT)
        check(viewer.wait(60) == 0, f"after Ctrl-C weir view --follow ended with {viewer.returncode}")
        until("document.querySelector('.live').textContent === '■ Stopped'", "after Ctrl-C the page does not say that it stands still")
        running.stdin.close()
        running.wait()
    finally:
        for process in processes:
            if process.poll() is None:
                process.kill()
            process.wait()


def write_sites(page, weir, folder):
    """A recording with write sites: the page names the line that wrote, and the function, as weir events does."""
    program = os.path.join(os.path.dirname(weir), "WeirPlainProgram")
    if not os.path.exists(program):
        print("  without the program whose writes have sites")
        return
    trace, path = os.path.join(folder, "written.weir"), os.path.join(folder, "written.html")
    recorded = subprocess.run([weir, "record", "--write-sites", "-o", trace, "--", program, "fill", "waits"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    check(recorded.returncode == 0, f"weir record --write-sites ended with {recorded.returncode}: {recorded.stderr}")
    listed = subprocess.run([weir, "events", trace], capture_output=True, text=True).stdout
    place = re.search(r"written (in Filling\.run\(path:\), WeirPlainProgram/Filling\.swift:\d+)", listed)
    check(place, f"weir events names no line that writes: {listed[:400]}")
    view(weir, [trace], path)
    page.open(path)
    rows = page.run("""(() => {
        const trace = window.weir.trace, { kind } = trace.columns, rows = [...kind.keys()];
        return [12, 1].map((wanted) => rows.filter((row) => kind[row] === wanted).map((row) => [trace.id(row), trace.writeSiteOf(row)]));
    })()""")
    written, emitted = rows
    check(len(written) == 10 and len(emitted) == 10, f"the page has {len(written)} writes and {len(emitted)} emissions")
    for event, site in written + emitted:
        check(site == place[1], f"the write site of {event} is “{site}”")
    for event, words in ((emitted[3][0], f"written {emitted[3][1]}"), (written[3][0], "was written")):
        page.run(f"window.weir.selection.set({{ side: 'cause', event: '{event}', moment: '{event}' }}, null)")
        page.settle()
        text = page.run("document.querySelector('.cause').innerText")
        check(words in text and place[1] in text, f"the causes of {event} lack “{words}”: {text[:300]}")
    sound(page, "write sites")


def audit(page, path, dark):
    """axe-core, an independent judge of accessibility, where it is there."""
    script = os.environ.get("AXE", "")
    if not os.path.exists(script):
        print("  without axe-core")
        return
    page.open(path)
    with open(script, encoding="utf-8") as file:
        page.run(file.read() + "; true")
    for state in ("{ side: 'findings' }", "{ side: 'cause', event: '1:97' }", "{ side: 'state', main: 'graph' }"):
        page.run(f"window.weir.selection.set({state}, null)")
        page.settle()
        result = page.run("axe.run().then(({ passes, violations }) => [passes.length, violations.map(({ id, nodes }) => id + ': ' + nodes[0].html.slice(0, 120))])")
        check(result[0] > 15, "axe-core checked next to nothing")
        check(not result[1], f"axe-core, {'dark' if dark else 'light'}, {state}: " + "; ".join(result[1]))


def large(page, weir, folder, trace):
    path = os.path.join(folder, "million.html")
    started = time.monotonic()
    view(weir, [trace], path)
    made = time.monotonic() - started
    used = page.browser.processor_seconds()
    seconds = page.open(path)
    used = page.browser.processor_seconds() - used
    times = page.run("""(() => {
        const pane = window.weir.timelines[0], { selection } = window.weir, times = {};
        const measure = (name, act) => { const start = performance.now(); act(); pane.drawNow(); times[name] = Math.round((performance.now() - start) * 10) / 10; };
        measure('all', () => pane.fit());
        measure('zoom', () => pane.scale.zoom(0.5, 300));
        measure('pan', () => pane.scale.pan(40));
        measure('marbles', () => pane.scale.zoom(0.0004, 300));
        measure('select', () => pane.step(-1));
        measure('scrub', () => selection.set({ moment: pane.trace.id(pane.trace.rowCount >> 1) }, null));
        measure('time axis', () => selection.set({ axis: 'time' }, null));
        measure('graph', () => selection.set({ main: 'graph' }, null));
        measure('graph scrub', () => { selection.set({ moment: pane.trace.id(pane.trace.rowCount >> 2) }, null); window.weir.graph.refresh(); });
        measure('state', () => { selection.set({ side: 'state' }, null); window.weir.state.drawNow(); });
        return times;
    })()""")
    events = page.run("window.weir.trace.rowCount")
    check(events >= 900_000, f"the page has {events} events")
    print(f"  {events:,} events: made in {made:.1f} s, {os.path.getsize(path) / 1e6:.1f} MB, opened in {seconds:.2f} s ({used:.2f} s of processor time); "
          + ", ".join(f"{name} {value} ms" for name, value in times.items()))


def main(weir, folder, million=None):
    path = driver.find()
    if not path:
        print("skipped: there is no Chromium")
        return
    browser = driver.Browser(path)
    try:
        found = units.failures(driver.Page(browser))
        check(not found, "; ".join(found))
        page = driver.Page(browser)
        login = os.path.join(folder, "login.html")
        samples = [name for name in ("login", "travel", "form", "lookup", "signin") if os.path.exists(os.path.join(folder, name + ".weir"))]
        for name in samples:
            file = os.path.join(folder, name + ".html")
            view(weir, [os.path.join(folder, name + ".weir")], file)
            page.open(file)
            every_pane(page, name)
        for test in (selection, timeline, search_and_graph, leaks, deep_leaks):
            test(page, login)
        occurrences(page, os.path.join(folder, "signin.html"))
        damaged(page, weir, folder)
        several(page, weir, folder)
        large_graphs(page, weir, folder)
        followed(page, weir, folder)
        write_sites(page, weir, folder)
        for dark in (False, True):
            page.theme(dark)
            accessible(page, login, dark)
            audit(page, login, dark)
        page.resize(800, 1000)
        page.open(login)
        every_pane(page, "login at 800 pixels")
        if million:
            page.resize(1440, 900)
            fast = os.environ.get("WEIR_LARGE", "")
            large(page, fast if os.path.exists(fast) else weir, folder, million)
        sound(page, "all pages")
        hostile(driver.Page(browser), weir, folder)
        print(f"the page works in Chromium: {', '.join(samples)}, damaged, hostile, two traces, write sites")
    finally:
        browser.close()


main(*sys.argv[1:])
