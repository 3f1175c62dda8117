"""What the page computes, module by module: each file of Resources runs as the module that it is."""
import json
import os

RESOURCES = os.path.join(os.path.dirname(__file__), "../../Sources/CWeirPage/Resources")

ORDER = ["format", "dom", "columns", "trace", "causes", "selection", "scale", "state", "differences"]

CHECKS = r"""
const { format, columns, trace, causes, selection, scale, state, differences } = modules;
const same = (found, expected, what) => {
    const [left, right] = [JSON.stringify(found), JSON.stringify(expected)];
    if (left !== right) failures.push(`${what}: ${left}, not ${right}`);
};

// Words and numbers.
same(format.duration(870), "870 ns", "nanoseconds");
same(format.duration(12345), "12.3 µs", "microseconds");
same(format.duration(999960), "1 ms", "rounds up to the next unit");
same(format.duration(200e9), "3 min 20 s", "minutes");
same(format.count(1204311), "1,204,311", "digits in groups");
same(format.safe("a\u202eb\u0007\n"), "a\\u{202E}b\\u{7}\\n", "control characters");
same(format.safe("👩\u200d👧 é ‹x›"), "👩\u200d👧 é ‹x›", "harmless text stays");
same(format.shortened("abcdef", 4), "abc…", "cut");

// Structures field by field.
same(state.fieldsOf('User(name: "a, (b", age: 3, tags: [1, 2])'), [["name", '"a, (b"'], ["age", "3"], ["tags", "[1, 2]"]], "fields");
same(state.fieldsOf("42"), null, "a number has no fields");
same(state.fieldsOf("[1, 2]"), [["0", "1"], ["1", "2"]], "elements");
same(state.fieldChanges("P(x: 1, y: 2)", "P(x: 1, y: 3)"), [["y", "2", "3"]], "the field that changed");
same(state.fieldChanges("P(x: 1)", "Q(x: 1)"), null, "another type");
same(state.fieldChanges("[1]", "[1, 2]"), [["1", "–", "2"]], "a new element");

// Two runs.
same([[8, 7], [2, 6], [30, 30], [1, 0], [100, 99]].map(([before, after]) => differences.factor(before, after)), [" (÷ 1.1)", " (× 3)", "", "", ""], "factors");
const both = new differences.Differences({ summary: "", differences: {
    refreshes: [{ name: "a", before: 8, after: 7, redundantBefore: 1, redundantAfter: 0 }, { name: "b", before: 2, after: 2, redundantBefore: 1, redundantAfter: 0 }],
    nodesGone: ["old"], nodesCame: ["new"], cured: [{ fingerprint: "c" }], new: [],
} });
same([["a", 0], ["b", 0], ["old", 0], ["old", 1], ["new", 1]].map(([match, index]) => both.signOf({ match, view: false }, index)), ["↻ 8→7", "", "gone", "", "new"], "signs of lanes");
same([both.isEmpty, new differences.Differences(null).isEmpty], [false, true], "no comparison");
const lanesOf = (...lanes) => Object.assign(Object.create(trace.Trace.prototype), { groups: [], lanes: lanes.map(([full, match, view]) => ({ full, match, view, group: null })) });
const [left, right] = [lanesOf(["rows[0].title", "rows.title", false], ["gone", "gone", false]), lanesOf(["x", "x", false], ["rows[1].title", "rows.title", false], ["view of rows", "rows.title", true])];
for (const one of [left, right]) one.placeInGroup();
same([right.lanesNamed("rows[0].title", left), right.lanesNamed("gone", left), right.lanesNamed("x"), right.lanesNamed(null, left)], [[1], [], [0], []], "lanes that match");

// Lists of rows by key, against a search from the beginning.
const keys = Int32Array.from({ length: 500 }, (_, row) => (row * 7919) % 11 - 1);
const lists = new trace.RowLists(10, keys);
for (let key = 0; key < 10; key++) {
    const rows = [...keys.keys()].filter((row) => keys[row] === key);
    same([...lists.rows.slice(lists.starts[key], lists.starts[key + 1])], rows, "rows of a key");
    for (const row of [-1, 0, 7, 250, 499]) {
        same(lists.countUpTo(key, row), rows.filter((other) => other <= row).length, "count up to a row");
        same(lists.lastUpTo(key, row), rows.filter((other) => other <= row).pop() ?? -1, "last up to a row");
    }
}

// The next and previous of some rows, past the ends, too.
const few = [3, 7, 7, 20];
same([0, 3, 4, 7, 8, 20, 21].map((row) => trace.indexFrom(few, row)), [0, 0, 1, 1, 3, 3, 4], "the first row from there");
same([-1, 3, 5, 19, 20].map((row) => trace.neighbor([3, 7, 20], row, 1)), [3, 7, 7, 20, 3], "the next row");
same([2, 3, 5, 20, 21].map((row) => trace.neighbor([3, 7, 20], row, -1)), [20, 20, 3, 7, 20], "the previous row");

// The address.
const chosen = new selection.Selection("#e=1:92&p=cause&n=A%20%26%20b");
same([chosen.get("event"), chosen.get("side"), chosen.get("lane"), chosen.get("main")], ["1:92", "cause", "A & b", "timeline"], "read");
const again = new selection.Selection(chosen.address);
same(again.values, chosen.values, "the address leads to the same selection");
let heard = null;
chosen.onChange((changed) => { heard = [...changed]; });
chosen.set({ event: "1:92", lane: "c" }, null);
same(heard, ["lane"], "only changed values are reported");

// The axis.
for (const step of [[0.3, 0.5], [1, 1], [1.1, 2], [23, 50], [900, 1000]]) same(scale.roundStep(step[0]), step[1], "round step");
const spread = Float64Array.from({ length: 100 }, (_, row) => row * row);
const fake = { rowCount: 100, first: 40, allEvents: 200, duration: 10000, spreadTime: spread, columns: { time: spread } };
for (const axis of ["even", "time"]) {
    const one = new scale.Scale(fake, axis, 1000);
    for (const row of [0, 1, 50, 98, 99]) {
        same(one.rowAt(one.position(row)), row, `row at its own position, ${axis}`);
        same(one.rowNear(one.xOfRow(row)), row, `row near its own x, ${axis}`);
        same(Math.abs(one.positionAt(one.x(one.position(row))) - one.position(row)) < 1e-6, true, "there and back");
    }
    const under = one.positionAt(300);
    one.zoom(0.5, 300);
    same(Math.abs(one.positionAt(300) - under) < 1e-6, true, "zooming keeps what is under the pointer");
    one.zoom(1e9, 300);
    same(one.end - one.start <= (one.last - one.first) * 1.1 + 5, true, "no further out than the trace");
    one.pan(1e9);
    same(one.start <= one.last, true, "no further than the end");
}

// Causes and effects, on a tiny trace: a stimulus writes a, which feeds b (silent) and c, and calls a view that writes d.
const K = format.Kind;
const table = [
    // kind, subject, cause, form, reason
    [K.stimulusBegan, 0, -1], [K.emitted, 1, 0], [K.deliveryBegan, 1, 1], [K.suppressed, 2, 1], [K.deliveryNext, 2, 1],
    [K.emitted, 3, 1], [K.deliveryNext, 3, 1], [K.emitted, 4, 1], [K.deliveryNext, 4, 1], [K.deliveryEnded, 0, 1], [K.stimulusEnded, 0, 0],
];
const tiny = Object.create(trace.Trace.prototype);
Object.assign(tiny, {
    rowCount: table.length,
    subscriptions: { lanes: [-1, -1, 9, -1], sources: [0, 0, 0, 0], targets: [1, 2, -1, 1] },
    columns: { kind: Uint8Array.from(table, (row) => row[0]), subject: table.map((row) => row[1]), cause: Int32Array.from(table, (row) => row[2]) },
});
tiny.effects = new trace.RowLists(table.length, Int32Array.from(table, (row) => row[0] === K.deliveryEnded || row[0] === K.stimulusEnded ? -1 : row[2]));
same(causes.effectsOf(tiny, 1), [
    { row: 3, inner: [] }, { row: 5, inner: [] }, { row: 6, inner: [{ row: 7, inner: [] }] }, { row: 8, inner: [], isSilent: true },
], "effects: what nodes did, the view with what its code did, and the node that stayed silent");
same([1, 3, 5, 6, 7].map((row) => causes.visibleCause(tiny, row)), [0, 1, 1, 1, 6], "causes as a person sees them");
same(causes.relatedSteps(tiny, 5).map(({ from, to }) => [from, to]), [[1, 5], [0, 1]], "steps of an event without effects");
same(causes.relatedSteps(tiny, 1).length, 6, "steps of the root's emission");

// Columns: three events of two threads, compressed by the browser itself.
const bytes = [1, 1, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 200, 1, 5, 0, 1, 2, 3, 0, 1, 1, 0, 1, 1, 0, 0, 0, 0, 6, 0, 0, 4, 0];
const parts = { kind: 3, flags: 3, reason: 3, thread: 3, sequence: 3, time: 4, subject: 3, cause: 3, depth: 3, count: 3, form: 3, payload: 3 };
const stream = new Blob([Uint8Array.from(bytes)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
const packed = new Uint8Array(await new Response(stream).arrayBuffer());
const read = await columns.readColumns(btoa(String.fromCharCode(...packed)), parts, bytes.length, 3);
same([...read.sequence], [1, 1, 2], "sequence numbers of each thread");
same([...read.time], [200, 205, 205], "times add up");
same([...read.cause], [-1, 0, 1], "causes are rows");
same([...read.payload], [0, 4, 0], "payloads");
"""


def failures(page):
    """What does not hold."""
    sources = []
    for name in ORDER:
        with open(os.path.join(RESOURCES, name + ".js"), encoding="utf-8") as file:
            sources.append([name, file.read()])
    page.call("Page.navigate", url="about:blank")
    return page.run("""(async () => {
        const modules = {}, urls = {}, failures = [];
        for (const [name, text] of %s) {
            const linked = text.replace(/from "\\.\\/(\\w+)\\.js"/g, (_, other) => `from "${urls[other]}"`);
            urls[name] = URL.createObjectURL(new Blob([linked], { type: "text/javascript" }));
            modules[name] = await import(urls[name]);
        }
        %s
        return failures;
    })()""" % (json.dumps(sources), CHECKS))
