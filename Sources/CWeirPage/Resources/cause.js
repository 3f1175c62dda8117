// The cause pane: what led to the selected event, what came of it, and where it stopped and why.
import { duration, counted, shortened } from "./format.js";
import { el, replaceContent } from "./dom.js";
import { effectsOf, describe, visibleCause } from "./causes.js";

/** The most effects that are shown at first, and that each further step adds. */
const shownAtOnce = 60;

export class CausePane {
    constructor(traces, selection) {
        [this.traces, this.selection] = [traces, selection];
        this.element = el("div.cause", null);
        this.update();
    }

    update() {
        const trace = this.traces[this.selection.get("trace")];
        const row = trace.rowOf(this.selection.get("event"));
        if (row < 0) {
            replaceContent(this.element, this.hint(trace));
            return;
        }
        const time = trace.columns.time[row];
        const { title, verb, value, why, fact } = describe(trace, row);
        const lane = trace.laneOf(row);
        const site = lane >= 0 ? trace.lanes[lane].site : null;
        replaceContent(this.element,
            el("h2", null, el("bdi", null, title)),
            el("p.verdict", null, `${verb} `, value ? el("code", null, shortened(value, 240)) : null, why ? el("span.why", null, ` ${why}`) : null, fact ? el("span.faint", null, ` ${fact}`) : null),
            el("p.faint", null, `event ${trace.id(row)} · ${duration(time)} after the start · ${trace.threads[trace.columns.thread[row]]}`),
            site ? el("p.faint", null, `made at ${site}`) : null,
            this.change(trace, row),
            el("h3", null, "What caused it"), this.causes(trace, row),
            el("h3", null, "What came of it"), this.effects(trace, row));
    }

    hint(trace) {
        return [
            el("h2", null, "No event is selected"),
            el("p", null, "Select a mark in the timeline: this pane shows what caused it, what came of it, and where it stopped and why."),
            trace.rowCount > 0 ? el("p", null, el("button", { onclick: () => this.selectFirst(trace) }, "Select the first stimulus")) : null,
        ];
    }

    selectFirst(trace) {
        const row = trace.bands.find((band) => trace.columns.kind[band] === 18);
        const mark = row ?? trace.laneOfMark.findIndex((lane) => lane >= 0);
        if (mark >= 0) this.select(trace, mark);
    }

    /** For a new value: the one before. */
    change(trace, row) {
        if (trace.columns.kind[row] !== 1 || trace.isReplayed(row)) return null;
        const before = trace.valueAt(trace.nodeOf(row), row - 1);
        return before.text && before.text !== "()" ? el("p.faint", null, "before: ", el("code", null, shortened(before.text, 240))) : null;
    }

    select(trace, row) {
        const lane = trace.laneOf(row);
        const id = trace.id(row);
        this.selection.set({
            event: id, moment: id, lane: lane >= 0 ? trace.lanes[lane].full : this.selection.get("lane"),
        }, this);
    }

    causes(trace, row) {
        const steps = [];
        for (let cause = visibleCause(trace, row); cause >= 0 && steps.length < 64; cause = visibleCause(trace, cause)) steps.push(cause);
        if (steps.length === 0) {
            const text = trace.isPart && trace.first > 0
                ? "Nothing that this page holds: it is a root, or its cause lies before the part that is shown in detail."
                : "Nothing: the program did it by itself, outside any stimulus or delivery.";
            return el("p.faint", null, text);
        }
        return el("ol.chain", null, steps.reverse().map((cause) => el("li", null, this.line(trace, cause))),
            el("li.here", { "aria-current": "true" }, this.line(trace, row)));
    }

    effects(trace, row) {
        const effects = effectsOf(trace, row);
        if (effects.length === 0) return el("p.faint", null, this.nothing(trace, row));
        const budget = { left: 300 };
        return el("ul.tree", { role: "tree", "aria-label": "Effects" }, this.branches(trace, effects, budget, 0));
    }

    nothing(trace, row) {
        switch (trace.columns.kind[row]) {
            case 2: return "Nothing: it stopped here.";
            case 1: return trace.isReplayed(row) ? "Nothing more: only the new subscriber got it." : "Nothing: nobody subscribes to it.";
            case 3: case 4: return trace.viewOf(row) >= 0 ? "Nothing else: the view's code gave no node a value." : "Nothing.";
            default: return "Nothing that was recorded.";
        }
    }

    branches(trace, effects, budget, depth) {
        const items = [];
        const add = (from) => {
            for (let place = from; place < effects.length; place++) {
                if (place >= from + shownAtOnce || budget.left <= 0) return place;
                budget.left--;
                items.push(this.branch(trace, effects[place], budget, depth));
            }
            return effects.length;
        };
        const reached = add(0);
        if (reached < effects.length) items.push(this.more(trace, effects.slice(reached), depth));
        return items;
    }

    more(trace, effects, depth) {
        const item = el("li", { role: "none" }, el("button.more", {
            onclick: () => item.replaceWith(...this.branches(trace, effects, { left: shownAtOnce }, depth)),
        }, `Show ${counted(effects.length, "more effect")}`));
        return item;
    }

    branch(trace, effect, budget, depth) {
        const inner = effect.isSilent ? [] : effect.inner.length ? effect.inner : trace.viewOf(effect.row) >= 0 ? [] : effectsOf(trace, effect.row);
        const line = this.line(trace, effect.row, effect.isSilent);
        if (inner.length === 0) return el("li", { role: "treeitem" }, line);
        const children = depth < 40 ? el("ul", { role: "group" }, this.branches(trace, inner, budget, depth + 1)) : null;
        return el("li", { role: "treeitem", "aria-expanded": "true" }, line, children);
    }

    line(trace, row, isSilent = false) {
        const { title, verb, value, why, fact, symbol } = describe(trace, row);
        const kind = trace.columns.kind[row];
        const isSelected = row === trace.rowOf(this.selection.get("event"));
        const found = trace.findingRows.get(row);
        return el(`button.step${kind === 2 ? ".stopped" : ""}${trace.viewOf(row) >= 0 ? ".view" : ""}`, {
            onclick: () => this.select(trace, row), "aria-current": isSelected ? "true" : null,
        }, el("span.symbol", { "aria-hidden": "true" }, symbol), el("bdi.title", null, title), ` ${verb} `,
        value ? el("code", null, shortened(value, 90)) : null,
        isSilent ? el("span.why", null, " and emitted nothing") : why ? el("span.why", null, ` ${why}`) : null,
        fact && !isSilent ? el("span.faint", null, ` ${fact}`) : null,
        found ? el("span.badge", { title: found.map((finding) => finding.sentence).join("\n") }, `▲ ${found[0].rule}`) : null,
        el("span.id", null, trace.id(row)));
    }
}
