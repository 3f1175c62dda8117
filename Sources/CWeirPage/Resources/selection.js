// What is selected and shown, shared by all panes and kept in the address: a link leads to the same moment.

const fields = {
    /** The trace that the panes on the right are about. */
    trace: { short: "t", read: Number, initial: 0 },
    /** The selected event, "thread:number"; null: none. */
    event: { short: "e", read: String, initial: null },
    /** The selected lane, by its full name; null: none. */
    lane: { short: "n", read: String, initial: null },
    /** The moment of the scrubber: the event up to which everything has happened. */
    moment: { short: "m", read: String, initial: null },
    /** The left pane: timeline or graph. */
    main: { short: "v", read: String, initial: "timeline" },
    /** The right pane: differences, findings, cause or state; null: the first of them. */
    side: { short: "p", read: String, initial: null },
    /** The axis of the timeline: even or time. */
    axis: { short: "a", read: String, initial: "even" },
    /** The level of the graph. */
    level: { short: "g", read: String, initial: null },
    /** The selected finding, by its fingerprint. */
    finding: { short: "f", read: String, initial: null },
};

export class Selection {
    constructor(address) {
        this.listeners = [];
        this.values = {};
        const found = new URLSearchParams(address.replace(/^#/, ""));
        for (const [name, field] of Object.entries(fields)) {
            const text = found.get(field.short);
            this.values[name] = text === null ? field.initial : field.read(text);
        }
    }

    get(name) { return this.values[name]; }

    /** Changes some values and notifies the panes of them; `from` is the pane that did it. */
    set(changes, from) {
        const changed = Object.keys(changes).filter((name) => this.values[name] !== changes[name]);
        if (changed.length === 0) return;
        for (const name of changed) this.values[name] = changes[name];
        for (const listener of this.listeners) listener(new Set(changed), from);
    }

    onChange(listener) { this.listeners.push(listener); }

    /** The address, with what differs from the initial values. */
    get address() {
        const parts = [];
        for (const [name, field] of Object.entries(fields)) {
            const value = this.values[name];
            if (value !== field.initial && value !== null) parts.push(`${field.short}=${encodeURIComponent(value)}`);
        }
        return parts.length ? "#" + parts.join("&") : "#";
    }

    /** Takes the values of an address that the reader went back to, or typed. */
    follow(address) {
        const other = new Selection(address);
        this.set(other.values, "address");
    }
}
