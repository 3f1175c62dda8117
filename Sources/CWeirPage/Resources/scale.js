// The horizontal axis of the timeline: which part of the trace is shown, and where each event stands.

/** Round steps for a ruler: 1, 2 or 5 times a power of ten, at least `least`. */
export function roundStep(least) {
    const power = Math.pow(10, Math.floor(Math.log10(Math.max(least, 1e-9))));
    for (const factor of [1, 2, 5, 10]) if (power * factor >= least * 0.999999) return power * factor;
    return power * 10;
}

export class Scale {
    /**
     * On the even axis each event takes the same room; on the axis of time its position is its time.
     * Positions count from the beginning of the trace, also where the page holds only a part of it.
     */
    constructor(trace, axis, width) {
        this.trace = trace;
        this.width = width;
        this.setAxis(axis);
    }

    setAxis(axis) {
        const trace = this.trace;
        this.axis = axis;
        this.first = axis === "even" ? 0 : 0;
        this.last = axis === "even" ? Math.max(1, trace.allEvents) : Math.max(1, trace.duration);
        this.fit();
    }

    /** Shows everything that the page has in detail. */
    fit() {
        const rows = this.trace.rowCount;
        if (rows === 0) {
            [this.start, this.end] = [this.first, this.last];
            return;
        }
        const [low, high] = [this.position(0), this.position(rows - 1)];
        const margin = Math.max((high - low) * 0.015, this.axis === "even" ? 1 : 1000);
        [this.start, this.end] = [low - margin, high + margin];
    }

    /** Whether everything is shown. */
    get isFitted() {
        const [start, end] = [this.start, this.end];
        this.fit();
        const isFitted = Math.abs(this.start - start) < 1e-6 && Math.abs(this.end - end) < 1e-6;
        [this.start, this.end] = [start, end];
        return isFitted;
    }

    /** The position of the last event in the page. */
    get lastPosition() { return this.trace.rowCount ? this.position(this.trace.rowCount - 1) : this.first; }

    /** Shows from `start` to `end`, both moved by `distance`. */
    show(start, end, distance) { [this.start, this.end] = [start + distance, end + distance]; }

    /** The position of an event. */
    position(row) { return this.axis === "even" ? this.trace.first + row : this.trace.spreadTime[row]; }

    x(position) { return ((position - this.start) / (this.end - this.start)) * this.width; }
    xOfRow(row) { return this.x(this.position(row)); }
    positionAt(x) { return this.start + (x / this.width) * (this.end - this.start); }

    /** The first event at a position or after it; the number of events if there is none. */
    rowAt(position) {
        const rows = this.trace.rowCount;
        if (this.axis === "even") return Math.max(0, Math.min(rows, Math.ceil(position - this.trace.first)));
        let [low, high] = [0, rows];
        while (low < high) {
            const middle = (low + high) >> 1;
            if (this.trace.spreadTime[middle] < position) low = middle + 1;
            else high = middle;
        }
        return low;
    }

    /** The event nearest to an x; -1: there is none. */
    rowNear(x) {
        const row = this.rowAt(this.positionAt(x));
        if (this.trace.rowCount === 0) return -1;
        if (row >= this.trace.rowCount) return this.trace.rowCount - 1;
        return row > 0 && Math.abs(this.xOfRow(row - 1) - x) < Math.abs(this.xOfRow(row) - x) ? row - 1 : row;
    }

    /** The time in nanoseconds at a position. */
    timeAt(position) {
        if (this.axis === "time") return position;
        const trace = this.trace;
        const row = Math.floor(position - trace.first);
        if (row >= 0 && row < trace.rowCount) return trace.columns.time[row];
        if (!trace.overview) return row < 0 ? 0 : trace.duration;
        const bin = Math.max(0, Math.min(trace.overview.bins, Math.round(position / trace.allEvents * trace.overview.bins)));
        return trace.overview.times[bin];
    }

    zoom(factor, x) {
        const fixed = this.positionAt(x);
        const least = this.axis === "even" ? 4 : 20;
        const most = (this.last - this.first) * 1.1 + 4;
        const span = Math.max(least, Math.min(most, (this.end - this.start) * factor));
        const share = x / this.width;
        this.place(fixed - share * span, span);
    }

    pan(pixels) { this.place(this.start + (pixels / this.width) * (this.end - this.start), this.end - this.start); }

    /** Moves so that an event is well inside, and zooms in where it would be one of too many. */
    reveal(row, mostEvents) {
        const position = this.position(row);
        if (mostEvents && this.axis === "even" && this.end - this.start > mostEvents) {
            this.place(position - mostEvents / 2, mostEvents);
        } else if (this.x(position) < this.width * 0.04 || this.x(position) > this.width * 0.96) {
            this.place(position - (this.end - this.start) / 2, this.end - this.start);
        }
    }

    place(start, span) {
        const margin = span * 0.5;
        const low = this.first - margin;
        const high = this.last + margin - span;
        this.start = Math.max(low, Math.min(Math.max(low, high), start));
        this.end = this.start + span;
    }

    /** The marks of the ruler: positions with their texts. */
    ticks(least = 110) {
        const step = roundStep(((this.end - this.start) / this.width) * least);
        const marks = [];
        for (let at = Math.ceil(this.start / step) * step; at <= this.end; at += step) {
            if (at >= this.first && at <= this.last) marks.push(at);
        }
        return { step, marks };
    }
}
