// What differs in a second run, as `weir diff` finds it, and the pane that lists it.
import { count, counted } from "./format.js";
import { el, replaceContent } from "./dom.js";

/** " (× 3)", " (÷ 2)": how many times as much; empty if one of both is 0, or they round to the same. */
export function factor(before, after) {
    if (before === 0 || after === 0) return "";
    const ratio = Math.round(10 * Math.max(after / before, before / after)) / 10;
    return ratio > 1 ? ` (${after > before ? "×" : "÷"} ${ratio.toLocaleString("en-US")})` : "";
}

export class Differences {
    /** `comparison` is that of the page's first trace with its second; null: there is none. */
    constructor(comparison) {
        this.isEmpty = !comparison;
        const { summary = "", differences = {} } = comparison || {};
        const { refreshes = [], nodesGone = [], nodesCame = [], cured = [], new: found = [] } = differences;
        Object.assign(this, { summary, all: differences });
        this.refreshes = new Map(refreshes.map((node) => [node.name, node]));
        this.nodesOnly = [new Set(nodesGone), new Set(nodesCame)];
        this.findings = [cured, found].map((list) => new Set(list.map(({ fingerprint }) => fingerprint)));
    }

    /** Whether only the trace with this index has the node of a lane. */
    isOnlyIn(lane, index) { return !this.isEmpty && this.nodesOnly[index].has(lane.match); }

    findingsOnlyIn(index) { return this.findings[index]; }

    /** What is different about a lane, in a few letters; empty: nothing. */
    signOf(lane, index) {
        if (this.isEmpty || lane.view) return "";
        if (this.isOnlyIn(lane, index)) return index === 0 ? "gone" : "new";
        const node = this.refreshes.get(lane.match);
        return node && node.before !== node.after ? `↻ ${count(node.before)}→${count(node.after)}` : "";
    }

    /** The same in words. */
    wordsOf(lane, index) {
        if (this.isOnlyIn(lane, index)) return index === 0 ? "gone in the second run" : "new in the second run";
        const node = this.refreshes.get(lane.match);
        return node ? `refreshes ${count(node.before)} → ${count(node.after)}${factor(node.before, node.after)}` : "";
    }
}

export class DifferencesPane {
    constructor(traces, selection, differences) {
        Object.assign(this, { traces, selection, differences });
        this.element = el("div.differences", null);
        this.buttons = [];
        if (!differences.isEmpty) this.draw();
    }

    draw() {
        const { all, summary } = this.differences;
        replaceContent(this.element, el("h2", null, "Before and after"), el("p", null, summary),
            this.section("Cured findings", all.cured, (finding) => this.finding(finding, 0)),
            this.section("New findings", all.new, (finding) => this.finding(finding, 1)),
            this.section("Refreshes by node", all.refreshes, (node) => this.refreshes(node)),
            this.section("Nodes that are gone", all.nodesGone, (name) => this.node(name, 0)),
            this.section("Nodes that came", all.nodesCame, (name) => this.node(name, 1)),
            this.section("Edges that are gone", all.edgesGone, (edge) => this.edge(edge, 0)),
            this.section("Edges that came", all.edgesCame, (edge) => this.edge(edge, 1)),
            this.section("End states", all.endStates, (state) => this.node(state.name, 1, [el("del", null, state.before), " → ", el("ins", null, state.after)])),
            el("p.faint", null, "Nodes are matched by their names without indexes, findings one to one, as by ", el("code", null, "weir diff"), "."));
    }

    section(title, items, row) {
        if (items.length === 0) return null;
        const shown = items.slice(0, 200);
        return [el("h3", null, `${title} (${count(items.length)})`), el("ul.tree", null, shown.map((item) => el("li", null, row(item)))),
            items.length > shown.length ? el("p.faint", null, `and ${counted(items.length - shown.length, "more", "more")}: weir diff lists all`) : null];
    }

    finding(finding, index) {
        const { redundancy, leaks } = this.traces[index].findings;
        const isShown = [...redundancy.findings, ...leaks.findings].some(({ fingerprint }) => fingerprint === finding.fingerprint);
        const choose = () => {
            this.selection.set({ trace: index, side: "findings" }, null);
            this.selection.set({ finding: null }, null);
            this.selection.set({ finding: finding.fingerprint }, null);
        };
        return el(`button.step.${finding.severity}`, { disabled: !isShown, onclick: choose },
            el("span.severity", null, finding.severity), " ", el("span.rule", null, finding.rule), el("span.sentence", null, finding.sentence));
    }

    refreshes(node) {
        const { before, after, redundantBefore, redundantAfter } = node;
        const redundant = redundantBefore || redundantAfter
            ? el("span.sentence.faint", null, `redundant ${count(redundantBefore)} → ${count(redundantAfter)}`) : null;
        return this.node(node.name, 1, [el("span.change", null, `${count(before)} → `, el("b", null, count(after)), factor(before, after)), redundant]);
    }

    /** A button that selects the node of a name in both traces, first of all in the one with the index. */
    node(name, index, detail = null) {
        const lane = this.traces[index].lanes.find((lane) => lane.match === name && !lane.view);
        const button = el("button.step", {
            disabled: !lane, title: lane ? null : "This node did nothing and has no lane.",
            onclick: () => this.selection.set({ trace: index, lane: lane.full }, this),
        }, el("bdi.title", null, name), detail);
        this.buttons.push([button, name]);
        return button;
    }

    edge({ source, target }, index) { return this.node(source, index, [" → ", el("bdi", null, target)]); }

    update() {
        if (this.differences.isEmpty) return;
        const trace = this.traces[this.selection.get("trace")];
        const chosen = new Set(trace.lanesNamed(this.selection.get("lane")).map((lane) => trace.lanes[lane].match));
        for (const [button, name] of this.buttons) {
            if (chosen.has(name)) button.setAttribute("aria-current", "true");
            else button.removeAttribute("aria-current");
        }
    }
}
