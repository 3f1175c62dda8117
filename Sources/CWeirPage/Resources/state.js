// The state pane: every node's value at the scrubber's moment, and what changed since the last stop.
import { duration, counted, shortened } from "./format.js";
import { el, replaceContent, oncePerFrame } from "./dom.js";

const mostRows = 250, instancesShown = 3;

/** The parts of a described structure, "User(name: \"x\", age: 3)" → [["name", "\"x\""], ["age", "3"]]; null: it has no fields. */
export function fieldsOf(text) {
    const match = /^[\p{L}_][\p{L}\p{N}_.<>]*\((.*)\)$/su.exec(text) || /^\[(.*)\]$/s.exec(text);
    if (!match) return null;
    const parts = [];
    let [depth, isQuoted, start] = [0, false, 0];
    const inside = match[1];
    for (let place = 0; place <= inside.length; place++) {
        const letter = inside[place];
        if (isQuoted && letter === "\\") place++;
        else if (letter === "\"") isQuoted = !isQuoted;
        else if (!isQuoted && (letter === "(" || letter === "[" || letter === "{")) depth++;
        else if (!isQuoted && (letter === ")" || letter === "]" || letter === "}")) depth--;
        else if (place === inside.length || letter === "," && depth === 0 && !isQuoted) {
            parts.push(inside.slice(start, place).trim());
            start = place + 1;
        }
    }
    return parts.filter(Boolean).map((part, index) => {
        const named = /^([\p{L}_][\p{L}\p{N}_]*|"(?:[^"\\]|\\.)*"): (.*)$/su.exec(part);
        return named ? [named[1], named[2]] : [String(index), part];
    });
}

const typeOf = (text) => (text.startsWith("[") ? "[" : text.split("(")[0]);

/** The fields in which two described structures differ, each with both values; null: compare them as a whole. */
export function fieldChanges(before, after) {
    const [old, fresh] = [fieldsOf(before), fieldsOf(after)];
    if (!old || !fresh || typeOf(before) !== typeOf(after)) return null;
    const [left, right] = [new Map(old), new Map(fresh)];
    const names = [...new Set([...left.keys(), ...right.keys()])];
    return names.filter((name) => left.get(name) !== right.get(name)).map((name) => [name, left.get(name) ?? "–", right.get(name) ?? "–"]);
}

export class StatePane {
    constructor(traces, selection) {
        [this.traces, this.selection] = [traces, selection];
        this.stops = traces.map((trace) => ({ now: trace.rowCount - 1, before: -1, isInitial: true }));
        this.filter = el("input", { type: "search", placeholder: "Filter nodes", "aria-label": "Filter nodes", oninput: () => this.draw() });
        this.heading = el("div", null);
        this.body = el("div", null);
        this.element = el("div.state", null, this.heading, this.filter, this.body);
        this.draw = oncePerFrame(() => this.drawNow());
        this.update(new Set(["moment"]));
    }

    update(changed) {
        if (changed.has("moment") || changed.has("trace")) {
            const index = this.selection.get("trace");
            const row = this.traces[index].rowOf(this.selection.get("moment"));
            const stop = this.stops[index];
            if (row >= 0 && row !== stop.now) {
                // While the scrubber is dragged, the last stop stays where it was.
                const isDragged = performance.now() - (stop.changed || 0) < 350;
                if (!isDragged && !stop.isInitial) stop.before = stop.now;
                Object.assign(stop, { now: row, changed: performance.now(), isInitial: false });
            }
        }
        this.draw();
    }

    drawNow() {
        if (this.element.offsetParent === null) return;
        const index = this.selection.get("trace");
        const trace = this.traces[index];
        const { now, before } = this.stops[index];
        const query = this.filter.value.toLowerCase();
        const nodes = [];
        for (const group of trace.laneGroups) {
            for (const lane of group.lanes) {
                const { view, nodes: places, full } = trace.lanes[lane];
                if (view || !full.toLowerCase().includes(query)) continue;
                // Of a long list the first instances stand for all, until they are asked for by name.
                const shown = query === "" ? places.slice(0, instancesShown) : places;
                shown.forEach((node, place) => nodes.push({
                    group, lane, node, more: place === shown.length - 1 ? trace.lanes[lane].instances - shown.length : 0,
                }));
            }
        }
        const reference = before < 0 ? now : before;
        const changed = nodes.filter(({ node }) => before >= 0 && trace.valueAt(node, now).setBy !== trace.valueAt(node, reference).setBy);
        const time = now >= 0 ? `${duration(trace.columns.time[now])} after the start, event ${trace.id(now)}` : "before the first event";
        replaceContent(this.heading, el("h2", null, now === trace.rowCount - 1 && !trace.isPart ? "State at the end" : "State at the scrubber"),
            el("p.faint", null, time));
        const selected = this.selectedNodes(trace);
        replaceContent(this.body,
            selected.length ? [el("h3", null, "Selected"), this.table(trace, selected, now, null)] : null,
            before >= 0 ? [el("h3", null, `Changed since the last stop (${trace.id(before)})`),
                changed.length ? this.table(trace, changed, now, before) : el("p.faint", null, "Nothing.")] : null,
            el("h3", null, "All nodes"), this.table(trace, nodes, now, null),
            trace.idleNodes ? el("p.faint", null, `${counted(trace.idleNodes, "node")} did nothing and is connected to nothing: not shown.`) : null);
    }

    /** The nodes of the selected lane, or those that a selected view observes: in a long list nobody would find them. */
    selectedNodes(trace) {
        const place = trace.lanesNamed(this.selection.get("lane"))[0];
        if (place === undefined) return [];
        const lane = trace.lanes[place].view ? trace.lanes[place].source : place;
        const group = trace.laneGroups.find(({ lanes }) => lanes.includes(lane));
        const { nodes, instances } = trace.lanes[lane];
        return nodes.slice(0, instancesShown).map((node, index, shown) => (
            { group, lane, node, more: index === shown.length - 1 ? instances - shown.length : 0 }));
    }

    table(trace, nodes, now, before) {
        const rows = [];
        let group = null;
        for (const item of nodes.slice(0, mostRows)) {
            if (before === null && item.group !== group) {
                group = item.group;
                rows.push(el("tr", null, el("th", { scope: "rowgroup", colspan: 2 }, group.name)));
            }
            rows.push(this.row(trace, item, now, before));
            if (before === null && item.more > 0) {
                rows.push(el("tr", null, el("td.faint", { colspan: 2 }, `and ${counted(item.more, "more instance")} of ${trace.lanes[item.lane].name}: filter to see them`)));
            }
        }
        return [el("table", null, el("tbody", null, rows)),
            nodes.length > mostRows ? el("p.faint", null, `and ${counted(nodes.length - mostRows, "more node", "more nodes")}: filter to see them`) : null];
    }

    row(trace, { lane, node }, now, before) {
        const { text, setBy } = trace.valueAt(node, now);
        const isSelected = this.selection.get("lane") === trace.lanes[lane].full;
        const shown = text === "" ? el("span.faint", null, "no value") : el("code", { title: text }, shortened(text, 120));
        let difference = null;
        if (before !== null) {
            const old = trace.valueAt(node, before).text;
            const fields = old ? fieldChanges(old, text) : null;
            difference = fields && fields.length && fields.length < 12
                ? el("ul.fields", null, fields.map(([name, left, right]) => el("li", null, el("b", null, name), " ",
                    el("del", null, shortened(left, 60)), " → ", el("ins", null, shortened(right, 60)))))
                : el("div", null, el("del", null, old === "" ? "no value" : shortened(old, 90)), " →");
        }
        return el(`tr${isSelected ? ".selected" : ""}`, null,
            el("th", { scope: "row" }, el("button.link", {
                onclick: () => this.choose(trace, lane, setBy), title: trace.lanes[lane].site || "",
            }, trace.lanes[lane].instances > 1 ? `${trace.lanes[lane].name} #${trace.nodes.ids[node]}` : trace.lanes[lane].name)),
            el("td", null, difference, shown));
    }

    /** Selects the node, and the event that set its value. */
    choose(trace, lane, setBy) {
        const changes = { lane: trace.lanes[lane].full };
        if (setBy >= 0) changes.event = trace.id(setBy);
        this.selection.set(changes, this);
    }
}
