// The timeline: a lane for each node and view, drawn on a canvas. Marbles when zoomed in, density when zoomed out.
import { Kind, count, counted, duration, momentText, shortened, safe } from "./format.js";
import { el, oncePerFrame, colors } from "./dom.js";
import { relatedSteps, sentence } from "./causes.js";
import { indexFrom } from "./trace.js";
import { Scale } from "./scale.js";

const laneHeight = 26, groupHeight = 24, rulerHeight = 24, bandHeight = 22, overviewHeight = 34, mostInstances = 200;
const font = "12px ui-sans-serif, system-ui, sans-serif";

export class Timeline {
    constructor(traces, index, selection, differences) {
        const trace = traces[index];
        Object.assign(this, { traces, trace, index, selection, differences });
        this.collapsed = new Set();
        this.expanded = new Set();
        this.scroll = 0;
        this.canvas = el("canvas", {
            tabindex: 0, role: "application", "aria-roledescription": "timeline",
            "aria-label": `Timeline of ${trace.name}: ${counted(trace.rowCount, "event")} in ${counted(trace.lanes.length, "lane")}. `
                + "Left and right go from event to event, up and down from lane to lane, plus and minus zoom, 0 shows all.",
        });
        this.tip = el("div.tip", { hidden: true, "aria-hidden": "true" });
        this.element = el("div.timeline", null, this.canvas, this.tip);
        this.legend = this.marksInWords();
        this.scale = new Scale(trace, selection.get("axis"), 800);
        this.draw = oncePerFrame(() => this.drawNow());
        this.arrangeRows();
        this.listen();
        new ResizeObserver(() => this.resize()).observe(this.element);
    }

    marksInWords() {
        const { trace } = this;
        const item = (name, sign, words) => el("span", null, el(`i.mark.${name}`, { "aria-hidden": "true" }, sign), ` ${words}`);
        return el("p.legend.marks", null, item("node", "●", "new value"), item("stopped", "×", "stopped"), item("view", "■", "view called"),
            trace.findingOrder.length ? item("warning", "▼", "finding") : null, trace.bands.length ? item("stimulus", "▬", "stimulus") : null,
            this.differences.isEmpty ? null : item("warning", "↻", "refreshes before→after"),
            trace.isPart ? item("node", "▁", "here in detail") : null,
            trace.threads.length > 1 ? item("node", "▔", `threads: ${trace.threads.length}`) : null,
            el("span.hint", null, "Click a mark for its causes and effects. Ctrl and the wheel zoom, dragging moves."));
    }

    get gutter() { return Math.max(Math.min(170, this.width * 0.36), Math.min(230, this.width * 0.26)); }
    get top() { return overviewHeight + rulerHeight + bandHeight + (this.trace.threads.length > 1 ? 8 : 0); }
    get isActive() { return this.selection.get("trace") === this.index; }
    get momentRow() {
        const row = this.isActive ? this.trace.rowOf(this.selection.get("moment")) : -1;
        return row >= 0 ? row : this.lastMoment ?? this.trace.rowCount - 1;
    }
    get eventRow() { return this.isActive ? this.trace.rowOf(this.selection.get("event")) : -1; }
    get laneIndex() {
        return this.trace.lanesNamed(this.selection.get("lane"), this.traces[this.selection.get("trace")])[0] ?? -1;
    }

    /** The rows from top to bottom: groups with their lanes. */
    arrangeRows() {
        this.rows = [];
        this.yOfLane = new Map();
        this.yOfNode = new Map();
        let y = 0;
        for (const group of this.trace.laneGroups) {
            this.rows.push({ group, y, height: groupHeight });
            const groupY = y + groupHeight / 2;
            y += groupHeight;
            for (const lane of group.lanes) {
                if (this.collapsed.has(group)) {
                    this.yOfLane.set(lane, groupY);
                    continue;
                }
                this.rows.push({ lane, y, height: laneHeight });
                this.yOfLane.set(lane, y + laneHeight / 2);
                y += laneHeight;
                if (!this.expanded.has(lane)) continue;
                for (const node of this.trace.lanes[lane].nodes.slice(0, mostInstances)) {
                    this.rows.push({ lane, node, y, height: laneHeight });
                    this.yOfNode.set(node, y + laneHeight / 2);
                    y += laneHeight;
                }
            }
        }
        this.contentHeight = y + 12;
    }

    resize() {
        const ratio = window.devicePixelRatio || 1;
        const box = this.element.getBoundingClientRect();
        if (box.width < 10 || box.height < 10) return;
        [this.width, this.height] = [box.width, box.height];
        this.canvas.width = Math.round(box.width * ratio);
        this.canvas.height = Math.round(box.height * ratio);
        this.scale.width = this.width - this.gutter;
        this.drawNow();
    }

    // Drawing

    drawNow() {
        if (!this.width) return;
        const context = this.canvas.getContext("2d");
        const ratio = window.devicePixelRatio || 1;
        context.setTransform(ratio, 0, 0, ratio, 0, 0);
        this.color = colors(this.element);
        context.fillStyle = this.color("paper");
        context.fillRect(0, 0, this.width, this.height);
        context.font = font;
        context.textBaseline = "middle";
        // Fonts differ between systems: how many letters fit is measured.
        this.letter ??= context.measureText("nodes feed views: 0123456789").width / 28 * 1.04;
        this.moment = this.momentRow;
        this.drawLanes(context);
        this.drawArrows(context);
        this.drawScrubber(context);
        this.drawNames(context);
        this.drawHead(context);
    }

    get visibleRows() {
        const [low, high] = [this.scroll - 40, this.scroll + this.height - this.top + 40];
        return this.rows.filter((row) => row.y + row.height > low && row.y < high);
    }

    drawLanes(context) {
        context.save();
        context.beginPath();
        context.rect(this.gutter, this.top, this.width - this.gutter, this.height - this.top);
        context.clip();
        context.translate(this.gutter, this.top - this.scroll);
        this.drawBandsBehind(context);
        const selected = this.laneIndex;
        for (const row of this.visibleRows) {
            if (row.group) {
                context.fillStyle = this.color("band");
                context.fillRect(0, row.y, this.scale.width, row.height);
                if (this.collapsed.has(row.group)) this.drawDensity(context, row.group.lanes, row.y, row.height);
                continue;
            }
            if (row.lane === selected) {
                context.fillStyle = this.color("selected-soft");
                context.fillRect(0, row.y, this.scale.width, row.height);
            }
            context.fillStyle = this.color("rule");
            context.fillRect(0, row.y + row.height / 2, this.scale.width, 1);
            this.drawLane(context, row);
        }
        context.restore();
    }

    drawBandsBehind(context) {
        const { kind } = this.trace.columns;
        context.fillStyle = this.color("stimulus-soft");
        for (const row of this.visibleBands()) {
            const x = this.scale.xOfRow(row);
            if (kind[row] === Kind.stimulusBegan) {
                const end = this.trace.ends[row];
                const right = end >= 0 ? this.scale.xOfRow(end) : x + 2;
                context.fillStyle = this.color("stimulus-soft");
                context.fillRect(x, this.scroll, Math.max(1, right - x), this.height);
            } else {
                context.fillStyle = this.color(kind[row] === Kind.frame ? "frame" : "checkpoint");
                context.fillRect(x, this.scroll, 1, this.height);
            }
        }
    }

    /** Stimuli, frames and checkpoints in sight; of very many, only as many as there are pixels for. */
    visibleBands() {
        const bands = this.trace.bands;
        const first = this.scale.rowAt(this.scale.start), last = this.scale.rowAt(this.scale.end);
        const after = (row) => {
            let [low, high] = [0, bands.length];
            while (low < high) {
                const middle = (low + high) >> 1;
                if (bands[middle] < row) low = middle + 1;
                else high = middle;
            }
            return low;
        };
        const [from, to] = [Math.max(0, after(first) - 1), after(last)];
        const step = Math.max(1, Math.ceil((to - from) / 800));
        const result = [];
        for (let index = from; index < to; index += step) result.push(bands[index]);
        return result;
    }

    /** The events of a row of the timeline: those of a lane, or of one of its instances. */
    marksOf({ lane, node }) {
        const { marks, nodeMarks } = this.trace;
        return node === undefined ? { lists: marks, key: lane } : { lists: nodeMarks, key: node };
    }

    drawLane(context, laneRow) {
        const { lane, node, y, height } = laneRow;
        const { lists: marks, key } = this.marksOf(laneRow);
        const first = marks.indexAfter(key, this.scale.rowAt(this.scale.start) - 1);
        const last = marks.indexAfter(key, this.scale.rowAt(this.scale.end));
        const shown = last - first;
        if (shown > this.scale.width / 5 || this.trace.overview && this.isBeyondDetail() && node === undefined) {
            this.drawDensity(context, [key], y, height, marks);
            if (shown > this.scale.width / 5) return this.drawFindingMarks(context, lane, y);
        }
        const middle = y + height / 2;
        const isView = this.trace.lanes[lane].view;
        for (let index = first; index < last; index++) {
            const row = marks.rows[index];
            const x = this.scale.xOfRow(row);
            const next = index + 1 < marks.starts[key + 1] ? this.scale.xOfRow(marks.rows[index + 1]) : Infinity;
            this.drawMarble(context, row, x, middle, isView);
            const room = Math.min(next - x, this.scale.width - x + 60) - 17;
            if (room > 18 && !isView) this.drawValue(context, row, x + 9, middle, room);
            else if (room > 40 && isView) this.drawTook(context, row, x + 9, middle, room);
        }
        if (node === undefined) this.drawFindingMarks(context, lane, y);
    }

    drawMarble(context, row, x, y, isView) {
        const { kind } = this.trace.columns;
        const isSelected = row === this.eventRow;
        const isFuture = row > this.moment;
        context.globalAlpha = isFuture ? 0.35 : 1;
        const fill = isView ? this.color("view") : this.color("node");
        context.lineWidth = 1.5;
        context.beginPath();
        if (isView) {
            const end = this.trace.ends[row];
            const long = end >= 0 && this.scale.axis === "time" ? Math.max(0, this.scale.xOfRow(end) - x) : 0;
            context.fillStyle = fill;
            context.roundRect(x - 5, y - 5, 10 + Math.min(long, this.scale.width), 10, 2.5);
            context.fill();
        } else if (kind[row] === Kind.suppressed) {
            context.strokeStyle = this.color("stopped");
            context.moveTo(x - 4, y - 4);
            context.lineTo(x + 4, y + 4);
            context.moveTo(x + 4, y - 4);
            context.lineTo(x - 4, y + 4);
            context.stroke();
        } else if (kind[row] === Kind.completed) {
            context.fillStyle = this.color("ink");
            context.fillRect(x - 1, y - 9, 2, 18);
        } else if (kind[row] === Kind.failed) {
            context.fillStyle = this.color("error");
            context.fillRect(x - 2, y - 9, 4, 18);
        } else {
            context.arc(x, y, 5, 0, 7);
            if (this.trace.isReplayed(row)) {
                context.strokeStyle = fill;
                context.stroke();
            } else {
                context.fillStyle = fill;
                context.fill();
            }
        }
        if (isSelected) {
            context.beginPath();
            context.arc(x, y, 9.5, 0, 7);
            context.lineWidth = 2.5;
            context.strokeStyle = this.color("selected");
            context.stroke();
        }
        context.globalAlpha = 1;
    }

    drawValue(context, row, x, y, room) {
        const { kind } = this.trace.columns;
        if (kind[row] === Kind.completed) return;
        const text = safe(this.trace.value(row));
        if (text === "" || text === "()") return;
        context.fillStyle = this.color(row > this.moment ? "faint" : kind[row] === Kind.suppressed ? "stopped" : "ink");
        context.fillText(shortened(text, Math.max(2, Math.floor(room / this.letter))), x, y + 0.5);
    }

    drawTook(context, row, x, y, room) {
        const end = this.trace.ends[row];
        if (end < 0) return;
        const took = this.trace.columns.time[end] - this.trace.columns.time[row];
        if (took <= 0) return;
        context.fillStyle = this.color("faint");
        context.fillText(shortened(duration(took), Math.floor(room / this.letter)), x, y + 0.5);
    }

    /** ▼ under each event of a finding, of a leak those that made it; those of the selected finding are larger, and lie above. */
    drawFindingMarks(context, lane, y) {
        const { findingsOfLane, findingRows } = this.trace;
        const mark = (x, size) => {
            context.beginPath();
            context.moveTo(x, y + 9);
            context.lineTo(x - size, y);
            context.lineTo(x + size, y);
            context.closePath();
            context.fill();
        };
        for (const { row, x } of this.inSight(findingsOfLane.get(lane) || [], 3)) {
            const isError = findingRows.get(row).some((finding) => finding.severity === "error");
            context.fillStyle = this.color(isError ? "error" : "warning");
            mark(x, 5);
        }
        const chosen = this.chosenFinding;
        for (const { x } of this.inSight(chosen?.ofLane.get(lane) || [], 3)) {
            context.fillStyle = this.color(chosen.finding.severity === "error" ? "error" : "warning");
            mark(x, 7);
            context.lineWidth = 1.5;
            context.strokeStyle = this.color("selected");
            context.stroke();
        }
    }

    /** Rows in sight with their x; of those closer than some pixels, only the first. */
    inSight(rows, apart) {
        const found = [];
        let last = -Infinity;
        for (let index = indexFrom(rows, this.scale.rowAt(this.scale.start) - 1); index < rows.length; index++) {
            const x = this.scale.xOfRow(rows[index]);
            if (x > this.scale.width + 10) break;
            if (x < -10 || x - last < apart) continue;
            found.push({ row: rows[index], x });
            last = x;
        }
        return found;
    }

    /** The selected finding, with its rows by lane; null: it has none in this trace. */
    get chosenFinding() {
        const fingerprint = this.selection.get("finding");
        if (this.chosen?.fingerprint !== fingerprint) {
            const finding = this.trace.findingWith(fingerprint);
            const ofLane = new Map();
            for (const row of finding?.rows || []) {
                const lane = this.trace.laneOf(row);
                if (!ofLane.has(lane)) ofLane.set(lane, []);
                ofLane.get(lane).push(row);
            }
            this.chosen = { fingerprint, finding, ofLane };
        }
        return this.chosen.finding ? this.chosen : null;
    }

    isBeyondDetail() {
        return this.scale.start < this.scale.position(0) - 1
            || this.scale.end > this.scale.position(this.trace.rowCount - 1) + 1;
    }

    /** How busy lanes are: a bar for every two pixels; its height grows with the logarithm of the number. */
    drawDensity(context, lanes, y, height, marks = this.trace.marks) {
        const width = Math.max(1, Math.ceil(this.scale.width / 2));
        const counts = new Float64Array(width);
        const { overview } = this.trace;
        if (overview && marks === this.trace.marks && this.isBeyondDetail()) this.addOverview(counts, lanes);
        const edges = this.columnEdges(width);
        for (const lane of lanes) {
            let index = marks.indexAfter(lane, edges[0] - 1);
            for (let column = 0; column < width; column++) {
                const next = marks.indexAfter(lane, edges[column + 1] - 1);
                counts[column] += next - index;
                index = next;
            }
        }
        const most = Math.max(8, counts.reduce((left, right) => Math.max(left, right), 0));
        const isView = lanes.length === 1 && marks === this.trace.marks && this.trace.lanes[lanes[0]].view;
        context.fillStyle = this.color(isView ? "view" : "node");
        const scale = (height - 5) / Math.log2(1 + most);
        for (let column = 0; column < width; column++) {
            if (counts[column] === 0) continue;
            const bar = Math.max(2, Math.log2(1 + counts[column]) * scale);
            context.fillRect(column * 2, y + height - 2 - bar, 2, bar);
        }
    }

    /** The first row of each column of two pixels, and the row behind the last one; kept until the scale moves. */
    columnEdges(width) {
        const key = `${this.scale.start} ${this.scale.end} ${this.scale.axis} ${width}`;
        if (this.edgesKey !== key) {
            this.edges = new Int32Array(width + 1);
            for (let column = 0; column <= width; column++) this.edges[column] = this.scale.rowAt(this.scale.positionAt(column * 2));
            this.edgesKey = key;
        }
        return this.edges;
    }

    /** Counts of the parts of a long trace that the page does not hold in detail. */
    addOverview(counts, lanes) {
        const { overview, allEvents } = this.trace;
        const at = (bin) => this.scale.axis === "even" ? (bin / overview.bins) * allEvents : overview.times[bin];
        const [detailStart, detailEnd] = [this.scale.position(0), this.scale.position(this.trace.rowCount - 1)];
        for (let bin = 0; bin < overview.bins; bin++) {
            const [from, to] = [this.scale.x(at(bin)), this.scale.x(at(bin + 1))];
            if (to < 0 || from > this.scale.width || at(bin) >= detailStart && at(bin + 1) <= detailEnd) continue;
            let sum = 0;
            for (const lane of lanes) sum += overview.counts[lane]?.[bin] ?? 0;
            if (sum === 0) continue;
            const [low, high] = [Math.max(0, Math.floor(from / 2)), Math.min(counts.length - 1, Math.floor(to / 2))];
            for (let column = low; column <= high; column++) counts[column] += sum / Math.max(1, (to - from) / 2);
        }
    }

    /** Arrows from causes to effects of the selected event. */
    drawArrows(context) {
        const row = this.eventRow;
        if (row < 0) return;
        if (this.arrowsOf !== row) {
            this.arrows = relatedSteps(this.trace, row);
            this.arrowsOf = row;
        }
        context.save();
        context.beginPath();
        context.rect(this.gutter, this.top - bandHeight, this.width - this.gutter, this.height);
        context.clip();
        const { thread } = this.trace.columns;
        for (const { from, to } of this.arrows) {
            const [start, end] = [this.pointOf(from), this.pointOf(to)];
            if (!start || !end || Math.max(start.x, end.x) < this.gutter || Math.min(start.x, end.x) > this.width) continue;
            const isHop = thread[from] !== thread[to];
            context.strokeStyle = this.color(isHop ? "hop" : "selected");
            context.lineWidth = 1.4;
            context.setLineDash(isHop ? [5, 4] : []);
            context.beginPath();
            context.moveTo(start.x, start.y);
            const bend = Math.max(14, Math.abs(end.x - start.x) / 2);
            context.bezierCurveTo(start.x + bend, start.y, end.x - bend, end.y, end.x - 6, end.y);
            context.stroke();
            context.setLineDash([]);
            context.fillStyle = context.strokeStyle;
            context.beginPath();
            context.moveTo(end.x - 4, end.y);
            context.lineTo(end.x - 11, end.y - 3.5);
            context.lineTo(end.x - 11, end.y + 3.5);
            context.fill();
        }
        context.restore();
    }

    /** Where an event is drawn; null: on no lane. */
    pointOf(row) {
        const x = this.gutter + this.scale.xOfRow(row);
        const lane = this.trace.laneOf(row);
        const ofNode = this.yOfNode.get(this.trace.isDelivery(row) ? -1 : this.trace.nodeOf(row));
        if (lane >= 0) return { x, y: this.top - this.scroll + (ofNode ?? this.yOfLane.get(lane)) };
        return this.trace.columns.kind[row] === Kind.stimulusBegan || this.trace.columns.kind[row] === Kind.batchBegan
            ? { x, y: this.top - 6 } : null;
    }

    drawScrubber(context) {
        if (this.moment < 0) return;
        const x = this.gutter + this.scale.xOfRow(this.moment);
        if (x < this.gutter || x > this.width) return;
        context.fillStyle = this.color("selected");
        context.fillRect(x - 0.75, overviewHeight, 1.5, this.height);
        context.beginPath();
        context.moveTo(x - 6, overviewHeight);
        context.lineTo(x + 6, overviewHeight);
        context.lineTo(x, overviewHeight + 9);
        context.fill();
    }

    drawNames(context) {
        context.fillStyle = this.color("paper");
        context.fillRect(0, 0, this.gutter, this.height);
        context.save();
        context.beginPath();
        context.rect(0, this.top, this.gutter, this.height - this.top);
        context.clip();
        const selected = this.laneIndex;
        for (const row of this.visibleRows) {
            const y = this.top - this.scroll + row.y + row.height / 2;
            const letters = Math.floor((this.gutter - 34) / this.letter);
            if (row.group) {
                context.fillStyle = this.color("band");
                context.fillRect(0, y - row.height / 2, this.gutter, row.height);
                context.fillStyle = this.color("ink");
                context.font = "600 " + font;
                context.fillText(
                    `${this.collapsed.has(row.group) ? "▸" : "▾"} ${shortened(safe(row.group.name), letters)}`, 8, y);
                context.font = font;
                continue;
            }
            const lane = this.trace.lanes[row.lane];
            if (row.lane === selected) {
                context.fillStyle = this.color("selected-soft");
                context.fillRect(0, y - row.height / 2, this.gutter, row.height);
            }
            if (row.node !== undefined) {
                context.fillStyle = this.color("faint");
                context.fillText(`#${this.trace.nodes.ids[row.node]}`, 40, y + 0.5);
                continue;
            }
            context.fillStyle = this.color(lane.view ? "view" : "node");
            if (lane.instances > 1 && !lane.view) context.fillText(this.expanded.has(row.lane) ? "▾" : "▸", 8, y + 0.5);
            else if (lane.view) context.fillRect(10, y - 4, 8, 8);
            else {
                context.beginPath();
                context.arc(14, y, 4, 0, 7);
                context.fill();
            }
            context.fillStyle = this.color("ink");
            const many = lane.instances > 1 ? ` ×${lane.instances}` : "";
            const sign = this.differences.signOf(lane, this.index);
            context.fillText(shortened(safe(lane.name), letters - many.length - (sign ? sign.length + 1 : 0)) + many, 25, y + 0.5);
            if (!sign) continue;
            context.fillStyle = this.color(this.differences.isOnlyIn(lane, this.index) ? "selected" : "warning");
            context.textAlign = "right";
            context.fillText(sign, this.gutter - 6, y + 0.5);
            context.textAlign = "left";
        }
        context.restore();
        context.fillStyle = this.color("line");
        context.fillRect(this.gutter - 1, 0, 1, this.height);
    }

    drawHead(context) {
        const { scale } = this;
        context.fillStyle = this.color("paper");
        context.fillRect(this.gutter, 0, scale.width, overviewHeight + rulerHeight);
        this.drawOverview(context);
        context.save();
        context.translate(this.gutter, 0);
        context.beginPath();
        context.rect(0, 0, scale.width, this.top);
        context.clip();
        const { step, marks } = scale.ticks();
        context.fillStyle = this.color("faint");
        const times = marks.map((at) => scale.timeAt(at));
        marks.forEach((at, place) => {
            const x = scale.x(at);
            // On the even axis neighbours may be near in time: as many digits as distinguish them.
            const near = Math.min(...[place - 1, place + 1].filter((other) => times[other] !== undefined && times[other] !== times[place])
                .map((other) => Math.abs(times[other] - times[place])), 1e9);
            context.fillRect(x, overviewHeight + rulerHeight - 5, 1, 5);
            context.fillText(momentText(times[place], scale.axis === "time" ? step : near), x + 4, overviewHeight + rulerHeight / 2 + 2);
        });
        this.drawBands(context);
        context.restore();
        context.fillStyle = this.color("faint");
        context.fillText("whole trace", 8, overviewHeight / 2);
        context.fillText(scale.axis === "even" ? "time (events evenly)" : "time", 8, overviewHeight + rulerHeight / 2);
        context.fillText(this.trace.bands.length > 0 ? "stimuli, frames" : "no stimuli", 8, overviewHeight + rulerHeight + bandHeight / 2);
        context.fillStyle = this.color("line");
        context.fillRect(0, this.top - 1, this.width, 1);
        context.fillRect(0, overviewHeight - 1, this.width, 1);
        this.drawScrubber(context);
    }

    drawBands(context) {
        const y = overviewHeight + rulerHeight;
        const { kind, thread } = this.trace.columns;
        context.fillStyle = this.color("paper");
        context.fillRect(0, y, this.scale.width, this.top - y);
        const bands = this.visibleBands();
        bands.forEach((row, index) => {
            const x = this.scale.xOfRow(row);
            const next = bands.slice(index + 1).find((other) => kind[other] !== Kind.frame);
            const room = (next === undefined ? this.scale.width + 200 : this.scale.xOfRow(next)) - Math.max(0, x);
            if (kind[row] === Kind.frame) {
                context.fillStyle = this.color("frame");
                context.fillRect(x, y, 1.5, bandHeight);
                return;
            }
            const isStimulus = kind[row] === Kind.stimulusBegan;
            const end = isStimulus && this.trace.ends[row] >= 0 ? this.scale.xOfRow(this.trace.ends[row]) : x + 3;
            if (end < 0 && !isStimulus) return;
            context.fillStyle = this.color(isStimulus ? "stimulus" : "checkpoint");
            context.fillRect(x, y + 2, Math.max(2, end - x), bandHeight - 4);
            if (room > 30 && end > -200) {
                context.fillStyle = this.color("ink");
                const text = (isStimulus ? "" : "⚑ ") + safe(this.trace.value(row));
                context.fillText(shortened(text, Math.floor((room - 12) / this.letter)), Math.max(0, x) + 5, y + bandHeight / 2 + 0.5);
            }
        });
        if (this.trace.threads.length > 1) {
            const width = Math.ceil(this.scale.width / 2);
            const edges = this.columnEdges(width);
            for (let column = 0; column < width; column++) {
                if (edges[column] === edges[column + 1] && this.scale.axis === "time") continue;
                const row = edges[column];
                if (row >= this.trace.rowCount || row === 0 && this.scale.xOfRow(0) > column * 2 + 2) continue;
                context.fillStyle = this.color(`thread-${thread[row] % 6}`);
                context.fillRect(column * 2, y + bandHeight + 1, 2, 5);
            }
        }
    }

    /** The whole trace, with the part that is shown and the findings. */
    drawOverview(context) {
        const { trace, scale } = this;
        const width = Math.max(1, Math.ceil(scale.width / 2));
        if (this.overviewKey !== `${width} ${scale.axis}`) {
            const whole = new Scale(trace, scale.axis, scale.width);
            [whole.start, whole.end] = [whole.first, whole.last];
            const counts = new Float64Array(width);
            if (trace.overview) {
                for (let column = 0; column < width; column++) {
                    const bin = Math.min(trace.overview.bins - 1, Math.floor((column / width) * trace.overview.bins));
                    counts[column] = trace.overview.totals[bin];
                }
            } else {
                for (let column = 0; column < width; column++) {
                    const from = whole.rowAt(whole.positionAt(column * 2)), to = whole.rowAt(whole.positionAt(column * 2 + 2));
                    for (let row = from; row < to && row < from + 64; row++) counts[column] += trace.laneOfMark[row] >= 0 ? 1 : 0;
                    if (to - from > 64) counts[column] *= (to - from) / 64;
                }
            }
            [this.overviewKey, this.overviewCounts, this.whole] = [`${width} ${scale.axis}`, counts, whole];
        }
        const most = this.overviewCounts.reduce((left, right) => Math.max(left, right), 1);
        context.fillStyle = this.color("faint");
        for (let column = 0; column < width; column++) {
            if (this.overviewCounts[column] === 0) continue;
            const bar = Math.max(1.5, (Math.log2(1 + this.overviewCounts[column]) / Math.log2(1 + most)) * (overviewHeight - 8));
            context.fillRect(this.gutter + column * 2, overviewHeight - 3 - bar, 2, bar);
        }
        if (trace.isPart && trace.rowCount > 0) {
            const [start, end] = [this.whole.xOfRow(0), this.whole.xOfRow(trace.rowCount - 1)];
            context.fillStyle = this.color("node");
            context.fillRect(this.gutter + start, overviewHeight - 5, Math.max(3, end - start), 4);
        }
        const ticks = (rows, color, height) => {
            context.fillStyle = this.color(color);
            let last = -Infinity;
            for (const row of rows) {
                const x = this.whole.xOfRow(row);
                if (x - last < 2) continue;
                context.fillRect(this.gutter + x - 1, 1, 2.5, height);
                last = x;
            }
        };
        ticks(trace.findingOrder, "warning", 6);
        ticks(this.chosenFinding?.finding.rows || [], "error", 10);
        const from = this.gutter + Math.max(0, this.whole.x(scale.start));
        const to = this.gutter + Math.min(scale.width, this.whole.x(scale.end));
        context.fillStyle = this.color("selected-soft");
        context.fillRect(from, 0, Math.max(3, to - from), overviewHeight - 1);
        context.strokeStyle = this.color("selected");
        context.lineWidth = 1;
        context.strokeRect(from + 0.5, 0.5, Math.max(3, to - from) - 1, overviewHeight - 2);
    }

    // Interaction

    listen() {
        const canvas = this.canvas;
        canvas.addEventListener("wheel", (event) => {
            event.preventDefault();
            const [x] = this.placeOf(event);
            if (event.ctrlKey || event.metaKey || event.altKey) this.scale.zoom(Math.exp(event.deltaY * 0.0025), Math.max(0, x - this.gutter));
            else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) this.scale.pan(event.deltaX || event.deltaY);
            else if (this.contentHeight > this.height - this.top) this.scrollBy(event.deltaY);
            else this.scale.zoom(Math.exp(event.deltaY * 0.0025), Math.max(0, x - this.gutter));
            this.draw();
        }, { passive: false });
        canvas.addEventListener("pointerdown", (event) => this.press(event));
        canvas.addEventListener("pointermove", (event) => this.move(event));
        canvas.addEventListener("pointerup", (event) => this.release(event));
        canvas.addEventListener("pointerleave", () => { this.tip.hidden = true; });
        canvas.addEventListener("dblclick", (event) => {
            const [x] = this.placeOf(event);
            this.scale.zoom(0.4, Math.max(0, x - this.gutter));
            this.draw();
        });
        canvas.addEventListener("keydown", (event) => this.key(event));
    }

    placeOf(event) {
        const box = this.canvas.getBoundingClientRect();
        return [event.clientX - box.left, event.clientY - box.top];
    }

    scrollBy(pixels) {
        const most = Math.max(0, this.contentHeight - (this.height - this.top));
        this.scroll = Math.max(0, Math.min(most, this.scroll + pixels));
    }

    press(event) {
        const [x, y] = this.placeOf(event);
        this.canvas.setPointerCapture(event.pointerId);
        const area = x < this.gutter ? "names" : y < overviewHeight ? "overview" : y < overviewHeight + rulerHeight ? "ruler" : "lanes";
        this.pressed = { x, y, area, moved: false, lastX: x, lastY: y };
        if (area === "overview") this.centerOn(x);
        if (area === "ruler") this.scrubTo(x);
    }

    centerOn(x) {
        const span = this.scale.end - this.scale.start;
        this.scale.place(this.whole.positionAt(x - this.gutter) - span / 2, span);
        this.draw();
    }

    scrubTo(x) {
        const row = this.scale.rowNear(x - this.gutter);
        if (row >= 0) this.selection.set({ trace: this.index, moment: this.trace.id(row) }, this);
    }

    move(event) {
        const [x, y] = this.placeOf(event);
        const pressed = this.pressed;
        if (!pressed) return this.hover(x, y);
        if (Math.abs(x - pressed.x) + Math.abs(y - pressed.y) > 4) pressed.moved = true;
        if (pressed.area === "overview") this.centerOn(x);
        else if (pressed.area === "ruler") this.scrubTo(x);
        else if (pressed.moved) {
            if (pressed.area === "lanes") this.scale.pan(pressed.lastX - x);
            this.scrollBy(pressed.lastY - y);
            this.draw();
        }
        [pressed.lastX, pressed.lastY] = [x, y];
    }

    release(event) {
        const pressed = this.pressed;
        this.pressed = null;
        if (!pressed || pressed.moved) return;
        const [x, y] = this.placeOf(event);
        if (pressed.area === "overview" || pressed.area === "ruler") return;
        const row = this.rowAtY(y);
        if (pressed.area === "names") {
            if (row && row.group) this.toggle(row.group);
            else if (row) this.chooseLane(row.lane);
            return;
        }
        const hit = this.markAt(x, y);
        if (hit >= 0) this.select(hit);
        else if (row && row.group) this.toggle(row.group);
        else if (row) this.selection.set({ trace: this.index, lane: this.trace.lanes[row.lane].full }, this);
    }

    /** Selects a lane; of a lane with instances, also shows or hides these. */
    chooseLane(lane) {
        if (this.trace.lanes[lane].instances > 1) {
            if (!this.expanded.delete(lane)) this.expanded.add(lane);
            this.arrangeRows();
            this.scrollBy(0);
            this.draw();
        }
        this.selection.set({ trace: this.index, lane: this.trace.lanes[lane].full }, this);
    }

    toggle(group) {
        if (this.collapsed.has(group)) this.collapsed.delete(group);
        else this.collapsed.add(group);
        this.arrangeRows();
        this.scrollBy(0);
        this.draw();
    }

    rowAtY(y) {
        const inside = y - this.top + this.scroll;
        return y < this.top ? null : this.rows.find((row) => inside >= row.y && inside < row.y + row.height) || null;
    }

    /** The event drawn at a point, or near it on its lane; -1: none. */
    markAt(x, y) {
        const inside = x - this.gutter;
        if (y < this.top) {
            const at = this.visibleBands().filter((row) => {
                const end = this.trace.ends[row];
                const left = this.scale.xOfRow(row);
                return inside >= left - 3 && inside <= Math.max(left + 6, end >= 0 ? this.scale.xOfRow(end) : left);
            });
            return at.length ? at[at.length - 1] : -1;
        }
        const row = this.rowAtY(y);
        if (!row || row.group) return -1;
        const { lists: marks, key } = this.marksOf(row);
        const index = marks.indexAfter(key, this.scale.rowAt(this.scale.positionAt(inside)) - 1);
        let best = -1, distance = 12;
        for (const place of [index - 1, index]) {
            if (place < marks.starts[key] || place >= marks.starts[key + 1]) continue;
            const away = Math.abs(this.scale.xOfRow(marks.rows[place]) - inside);
            if (away < distance) [best, distance] = [marks.rows[place], away];
        }
        return best;
    }

    select(row) {
        const lane = this.trace.laneOf(row);
        const id = this.trace.id(row);
        this.selection.set({
            trace: this.index, event: id, moment: id, side: "cause",
            lane: lane >= 0 ? this.trace.lanes[lane].full : this.selection.get("lane"),
        }, this);
    }

    hover(x, y) {
        const hit = x > this.gutter ? this.markAt(x, y) : -1;
        const row = this.rowAtY(y);
        this.canvas.style.cursor = hit >= 0 || x < this.gutter ? "pointer" : y < this.top ? "ew-resize" : "grab";
        let text = "";
        if (hit >= 0) {
            const found = (this.trace.findingRows.get(hit) || []).map((finding) => `▲ ${finding.rule}: ${finding.sentence}`);
            text = [
                sentence(this.trace, hit),
                `${this.trace.id(hit)} · ${duration(this.trace.columns.time[hit])} after the start · ${this.trace.threads[this.trace.columns.thread[hit]]}`,
                ...found,
            ].join("\n");
        } else if (row && row.lane !== undefined && x < this.gutter) {
            const lane = this.trace.lanes[row.lane];
            text = [lane.full, `${lane.kind}${lane.type ? ` of ${lane.type}` : ""}`, lane.site || "",
                lane.view ? counted(lane.refreshes, "refresh", "refreshes") : `${counted(lane.emissions, "value")}, ${count(lane.suppressions)} stopped`,
            ].filter(Boolean).join("\n");
        }
        this.tip.hidden = text === "";
        if (text === "") return;
        this.tip.textContent = text.split("\n").map(safe).join("\n");
        const width = Math.min(420, this.width - 20);
        this.tip.style.maxWidth = `${width}px`;
        this.tip.style.left = `${Math.max(4, Math.min(x + 14, this.width - this.tip.offsetWidth - 8))}px`;
        this.tip.style.top = `${Math.min(y + 16, this.height - this.tip.offsetHeight - 8)}px`;
    }

    key(event) {
        const zoomed = { "+": 0.6, "=": 0.6, "-": 1.6, "_": 1.6 }[event.key];
        if (event.key === "ArrowRight" || event.key === "ArrowLeft") this.step(event.key === "ArrowRight" ? 1 : -1);
        else if (event.key === "ArrowDown" || event.key === "ArrowUp") this.stepLane(event.key === "ArrowDown" ? 1 : -1);
        else if (zoomed) this.zoomBy(zoomed);
        else if (event.key === "0") this.fit();
        else if (event.key === "Home" || event.key === "End") this.step(event.key === "End" ? Infinity : -Infinity);
        else if (event.key === " " && this.laneIndex >= 0) this.chooseLane(this.laneIndex);
        else if (event.key === "Enter") this.selection.set({ side: "cause" }, this);
        else return;
        event.preventDefault();
    }

    zoomBy(factor) {
        const x = this.eventRow >= 0 ? this.scale.xOfRow(this.eventRow) : this.scale.width / 2;
        this.scale.zoom(factor, Math.max(0, Math.min(this.scale.width, x)));
        this.draw();
    }

    fit() {
        this.scale.fit();
        this.draw();
    }

    /** To the next event of the selected lane, or of any lane. */
    step(direction) {
        const { marks, laneOfMark, rowCount } = this.trace;
        const lane = this.laneIndex;
        let row = this.eventRow >= 0 ? this.eventRow : this.momentRow;
        if (lane >= 0 && marks.size(lane) > 0) {
            const place = direction > 0 ? marks.indexAfter(lane, row) : marks.indexAfter(lane, row - 1) - 1;
            const bounded = direction === Infinity ? marks.starts[lane + 1] - 1 : direction === -Infinity ? marks.starts[lane] : place;
            if (bounded >= marks.starts[lane] && bounded < marks.starts[lane + 1]) this.select(marks.rows[bounded]);
            return;
        }
        if (!Number.isFinite(direction)) [row, direction] = direction > 0 ? [rowCount, -1] : [-1, 1];
        do row += direction; while (row >= 0 && row < rowCount && laneOfMark[row] < 0);
        if (row >= 0 && row < rowCount) this.select(row);
    }

    stepLane(direction) {
        const lanes = this.rows.filter((row) => row.lane !== undefined && row.node === undefined).map((row) => row.lane);
        const place = lanes.indexOf(this.laneIndex);
        const next = lanes[Math.max(0, Math.min(lanes.length - 1, place < 0 ? 0 : place + direction))];
        if (next !== undefined) this.selection.set({ trace: this.index, lane: this.trace.lanes[next].full }, this);
    }

    /** Shows what was selected somewhere else. */
    update(changed, from) {
        if (changed.has("axis")) this.scale.setAxis(this.selection.get("axis"));
        if (changed.has("moment") && this.isActive) this.lastMoment = this.momentRow;
        if (from !== this) {
            if (changed.has("event") && this.eventRow >= 0) this.scale.reveal(this.eventRow, 90);
            else if (changed.has("moment") && this.isActive && this.momentRow >= 0) this.scale.reveal(this.momentRow);
        } else if (changed.has("event") && this.eventRow >= 0) {
            this.scale.reveal(this.eventRow);
        }
        if (changed.has("lane") || changed.has("event")) this.revealLane();
        this.draw();
    }

    revealLane() {
        const lane = this.laneIndex;
        if (lane < 0 || !this.height) return;
        const y = this.yOfLane.get(lane);
        const room = this.height - this.top;
        if (y < this.scroll + 20) this.scrollBy(y - 60 - this.scroll);
        else if (y > this.scroll + room - 20) this.scrollBy(y - room + 60 - this.scroll);
    }
}
