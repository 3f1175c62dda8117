// One trace: its tables, its events, and indexes that answer the panes' questions without a walk over all events.
import { Kind } from "./format.js";

/** Lists of rows by key, in two arrays: the rows of `key` are rows[starts[key]] up to rows[starts[key + 1]]. */
export class RowLists {
    /** `keys` holds the key of each row; a negative one leaves it out. */
    constructor(keyCount, keys) {
        const starts = new Int32Array(keyCount + 1);
        for (let row = 0; row < keys.length; row++) if (keys[row] >= 0) starts[keys[row] + 1]++;
        for (let key = 0; key < keyCount; key++) starts[key + 1] += starts[key];
        const rows = new Int32Array(starts[keyCount]);
        const next = starts.slice();
        for (let row = 0; row < keys.length; row++) if (keys[row] >= 0) rows[next[keys[row]]++] = row;
        [this.starts, this.rows] = [starts, rows];
    }

    /** How many rows of the key are up to `row`, that one included. */
    countUpTo(key, row) { return this.indexAfter(key, row) - this.starts[key]; }

    /** The index in `rows` of the first row of the key after `row`. */
    indexAfter(key, row) {
        let [low, high] = [this.starts[key], this.starts[key + 1]];
        while (low < high) {
            const middle = (low + high) >> 1;
            if (this.rows[middle] <= row) low = middle + 1;
            else high = middle;
        }
        return low;
    }

    /** The last row of the key up to `row`; -1: none. */
    lastUpTo(key, row) {
        const index = this.indexAfter(key, row);
        return index > this.starts[key] ? this.rows[index - 1] : -1;
    }

    size(key) { return this.starts[key + 1] - this.starts[key]; }
}

/** The index of the first of some ascending rows that is not before `row`. */
export function indexFrom(rows, row) {
    let [low, high] = [0, rows.length];
    while (low < high) {
        const middle = (low + high) >> 1;
        if (rows[middle] < row) low = middle + 1;
        else high = middle;
    }
    return low;
}

/** The next of some ascending rows after `row`, or with −1 the one before it; past an end, the one at the other end. */
export function neighbor(rows, row, direction) {
    const index = direction > 0 ? indexFrom(rows, row + 1) : indexFrom(rows, row) - 1;
    return rows[(index + rows.length) % rows.length];
}

const flagReplayed = 1, flagEnding = 4, flagStamped = 8;

/** What lanes of two runs that belong together have in common: nodes by the name of `weir diff`, views by the node they observe. */
const matchKey = (lane) => `${lane.view ? "view" : "node"} ${lane.match}`;

export class Trace {
    constructor(tables, columns) {
        Object.assign(this, tables);
        this.columns = columns;
        this.rowCount = tables.events;
        this.isPart = tables.events < tables.allEvents;
        this.placeInGroup();
        this.indexRows();
        this.spreadTimes();
        this.findEnds();
        this.markFindings();
    }

    /** The lanes in the order of their groups; a group begins where its first lane does. */
    placeInGroup() {
        const groups = this.groups.map((name, index) => ({ name, index, lanes: [] }));
        const others = { name: "Others", index: this.groups.length, lanes: [] };
        this.lanes.forEach((lane, index) => {
            lane.index = index;
            (lane.group === null ? others : groups[lane.group]).lanes.push(index);
        });
        this.lanesByMatch = new Map();
        for (const lane of this.lanes) {
            const key = matchKey(lane);
            this.lanesByMatch.set(key, [...(this.lanesByMatch.get(key) || []), lane.index]);
        }
        this.laneGroups = [...groups, others].filter((group) => group.lanes.length > 0);
    }

    indexRows() {
        const { kind, subject, cause, flags, thread } = this.columns;
        const rows = this.rowCount;
        const laneOfNode = Int32Array.from(this.nodes.lanes);
        const laneOfSubscription = Int32Array.from(this.subscriptions.lanes);
        const laneOfMark = new Int32Array(rows), nodeOfMark = new Int32Array(rows), nodeOfEmission = new Int32Array(rows), causeOfEffect = new Int32Array(rows);
        const bands = [];
        for (let row = 0; row < rows; row++) {
            const about = subject[row] - 1;
            let [lane, node, emitter, reason] = [-1, -1, -1, cause[row]];
            switch (kind[row]) {
                case Kind.emitted:
                    emitter = node = about;
                    if (about >= 0) lane = laneOfNode[about];
                    break;
                case Kind.suppressed: case Kind.completed: case Kind.failed:
                    node = about;
                    if (about >= 0) lane = laneOfNode[about];
                    break;
                case Kind.deliveryBegan: case Kind.deliveryNext:
                    if (about >= 0 && !(flags[row] & flagEnding)) lane = laneOfSubscription[about];
                    break;
                case Kind.deliveryEnded: case Kind.stimulusEnded: case Kind.hopEnded: case Kind.batchEnded: case Kind.context:
                case Kind.written:
                    reason = -1;
                    break;
                case Kind.stimulusBegan: case Kind.frame: case Kind.checkpoint:
                    bands.push(row);
                    break;
            }
            laneOfMark[row] = lane;
            nodeOfMark[row] = node;
            nodeOfEmission[row] = emitter;
            causeOfEffect[row] = reason;
        }
        this.laneOfMark = laneOfMark;
        this.bands = bands;
        this.marks = new RowLists(this.lanes.length, laneOfMark);
        this.nodeMarks = new RowLists(this.nodes.ids.length, nodeOfMark);
        this.emissions = new RowLists(this.nodes.ids.length, nodeOfEmission);
        this.effects = new RowLists(rows, causeOfEffect);
        this.byThread = new RowLists(this.threads.length, thread);
    }

    /** Events without a stamp of their own have the time of the last one: on the axis of time they stand a little apart. */
    spreadTimes() {
        const { time } = this.columns;
        const spread = new Float64Array(this.rowCount);
        for (let row = 0; row < this.rowCount;) {
            let end = row + 1;
            while (end < this.rowCount && time[end] === time[row]) end++;
            const room = end < this.rowCount ? time[end] - time[row] : 1000 * (end - row);
            const step = Math.min(room / (end - row), 1000);
            for (let place = row; place < end; place++) spread[place] = time[row] + step * (place - row);
            row = end;
        }
        this.spreadTime = spread;
    }

    /** For each delivery the row that ends it, and for each stimulus, hop and batch its end; -1: not in the trace. */
    findEnds() {
        const { kind, cause, depth, thread } = this.columns;
        const open = this.threads.map(() => []);
        this.ends = new Int32Array(this.rowCount).fill(-1);
        for (let row = 0; row < this.rowCount; row++) {
            const now = kind[row];
            if (now === Kind.deliveryBegan || now === Kind.deliveryNext || now === Kind.deliveryEnded) {
                const frames = open[thread[row]];
                const before = frames[depth[row]];
                if (now !== Kind.deliveryBegan && before !== undefined && cause[before] === cause[row]) this.ends[before] = row;
                frames[depth[row]] = now === Kind.deliveryEnded ? undefined : row;
            } else if ((now === Kind.stimulusEnded || now === Kind.hopEnded || now === Kind.batchEnded) && cause[row] >= 0) {
                this.ends[cause[row]] = row;
            }
        }
    }

    /** Where the findings are: rows, with what was found there; each finding gets the rows that it counts. */
    markFindings() {
        this.findingRows = new Map();
        const note = (row, finding) => {
            if (row < 0) return;
            if (!this.findingRows.has(row)) this.findingRows.set(row, []);
            if (!this.findingRows.get(row).includes(finding)) this.findingRows.get(row).push(finding);
        };
        for (const finding of this.findings.redundancy.findings) {
            let row = 0;
            finding.rows = (this.occurrences[finding.fingerprint] || []).map((distance) => (row += distance));
            if (finding.normal) continue;
            for (const occurrence of finding.rows) note(occurrence, finding);
            for (const { example, counterpart } of finding.instances.slice(0, 200)) {
                for (const id of [example, counterpart]) if (id) note(this.rowOf(id), finding);
            }
        }
        for (const [row, finding] of this.rowsOfLeaks()) {
            finding.rows.push(row);
            note(row, finding);
        }
        this.findingOrder = [...this.findingRows.keys()].sort((left, right) => left - right);
        this.findingsOfLane = new Map();
        for (const row of this.findingOrder) {
            const lane = this.laneOf(row);
            if (!this.findingsOfLane.has(lane)) this.findingsOfLane.set(lane, []);
            this.findingsOfLane.get(lane).push(row);
        }
    }

    /** For each leak the rows of the events that made what it consists of, in order. */
    rowsOfLeaks() {
        const { kind, subject } = this.columns;
        const wanted = new Map(), found = [];
        for (const finding of this.findings.leaks.findings) {
            finding.rows = [];
            for (const [kindOfOrigin, about] of this.findings.origins[finding.fingerprint] || []) {
                const key = about * 256 + kindOfOrigin;
                if (about > 0) wanted.set(key, [...(wanted.get(key) || []), finding]);
            }
        }
        for (let row = 0; wanted.size > 0 && row < this.rowCount; row++) {
            if (kind[row] !== Kind.nodeCreated && kind[row] !== Kind.subscriptionStarted && kind[row] !== Kind.objectTracked) continue;
            for (const finding of new Set(wanted.get(subject[row] * 256 + kind[row]))) found.push([row, finding]);
        }
        return found;
    }

    /** The finding with a fingerprint, if it has events in this page. */
    findingWith(fingerprint) {
        const { redundancy, leaks } = this.findings;
        return [...redundancy.findings, ...leaks.findings].find((one) => one.fingerprint === fingerprint && one.rows.length);
    }

    // Events

    id(row) {
        return `${this.threadNumbers[this.columns.thread[row]]}:${this.columns.sequence[row]}`;
    }

    /** The row of the event "thread:number"; -1: it is not among those in the page. */
    rowOf(id) {
        const [thread, sequence] = String(id).split(":").map(Number);
        const index = this.threadNumbers.indexOf(thread);
        if (index < 0 || !(sequence > 0)) return -1;
        let [low, high] = [this.byThread.starts[index], this.byThread.starts[index + 1]];
        while (low < high) {
            const middle = (low + high) >> 1;
            if (this.columns.sequence[this.byThread.rows[middle]] < sequence) low = middle + 1;
            else high = middle;
        }
        const row = low < this.byThread.starts[index + 1] ? this.byThread.rows[low] : -1;
        return row >= 0 && this.columns.sequence[row] === sequence ? row : -1;
    }

    /** The line and function that made the write of which an event came: "in signIn(), Login.swift:31"; empty: not recorded. */
    writeSiteOf(row) {
        const { kind, subject, sequence, count, thread } = this.columns;
        if (kind[row] === Kind.written) return this.writeSites[count[row]] || "";
        if (kind[row] !== Kind.suppressed && (kind[row] !== Kind.emitted || this.isReplayed(row))) return "";
        const write = this.rowOf(`${this.threadNumbers[thread[row]]}:${sequence[row] - 1}`);
        return write >= 0 && kind[write] === Kind.written && subject[write] === subject[row] ? this.writeSiteOf(write) : "";
    }

    isReplayed(row) { return (this.columns.flags[row] & flagReplayed) !== 0; }
    isStamped(row) { return (this.columns.flags[row] & flagStamped) !== 0; }
    isDelivery(row) { return this.columns.kind[row] === Kind.deliveryBegan || this.columns.kind[row] === Kind.deliveryNext; }

    /** The lane of a view that a delivery calls; -1: it feeds a node. */
    viewOf(row) {
        const subject = this.columns.subject[row];
        return this.isDelivery(row) && subject > 0 ? this.subscriptions.lanes[subject - 1] : -1;
    }

    /** The index of the node that an event is about; -1: none. */
    nodeOf(row) {
        const { kind, subject } = this.columns;
        switch (kind[row]) {
            case Kind.emitted: case Kind.suppressed: case Kind.completed: case Kind.failed: case Kind.nodeCreated:
            case Kind.nodeReleased: case Kind.hopBegan: case Kind.hopEnded: case Kind.hopScheduled: case Kind.written:
                return subject[row] - 1;
            case Kind.deliveryBegan: case Kind.deliveryNext: case Kind.deliveryEnded: case Kind.subscriptionStarted:
            case Kind.subscriptionEnded:
                return subject[row] > 0 ? this.subscriptions.sources[subject[row] - 1] : -1;
            default: return -1;
        }
    }

    laneOf(row) {
        if (this.laneOfMark[row] >= 0) return this.laneOfMark[row];
        const node = this.nodeOf(row);
        return node >= 0 ? this.nodes.lanes[node] : -1;
    }

    /** The lanes that a name selects: those with the name, or, if it is a name of `other`, those that match. */
    lanesNamed(full, other = this) {
        if (full === null) return [];
        const own = this.lanes.filter((lane) => lane.full === full).map((lane) => lane.index);
        if (other === this || own.length) return own;
        const lane = other.lanes.find((lane) => lane.full === full);
        return lane ? this.lanesByMatch.get(matchKey(lane)) || [] : [];
    }

    laneName(lane) { return lane >= 0 ? this.lanes[lane].full : "something undefined"; }

    nodeName(node) {
        if (node < 0) return "an undefined node";
        const lane = this.nodes.lanes[node];
        if (lane < 0) return `node ${this.nodes.ids[node]}`;
        return this.lanes[lane].instances > 1 ? `${this.lanes[lane].full} #${this.nodes.ids[node]}` : this.lanes[lane].full;
    }

    // Values

    valueText(form, payload) {
        switch (form) {
            case 0: return "";
            case 1: return "‹private›";
            case 2: return "()";
            case 3: return "nil";
            case 4: return "false";
            case 5: return "true";
            case 6: return String(payload % 2 === 0 ? payload / 2 : -(payload + 1) / 2);
            case 8: return `"${this.texts[payload] ?? "…"}"`;
            default: return this.texts[payload] ?? "…";
        }
    }

    /** The value that an event carries; a delivery carries that of its emission. */
    value(row) {
        const source = this.isDelivery(row) ? this.columns.cause[row] : row;
        return source < 0 ? "" : this.valueText(this.columns.form[source], this.columns.payload[source]);
    }

    /** The value of a node after the event of `row`: its text, and the row that set it (-1: before). */
    valueAt(node, row) {
        const setBy = this.emissions.lastUpTo(node, row);
        if (setBy >= 0) return { text: this.value(setBy), setBy };
        const [form, payload] = this.nodes.initial[node];
        return { text: this.valueText(form, payload), setBy: -1 };
    }
}
