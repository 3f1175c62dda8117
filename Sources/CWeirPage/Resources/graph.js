// The graph: what feeds what, laid out when the page was made. At the scrubber's moment, with counts, heat and values.
import { count, counted, shortened, safe } from "./format.js";
import { el, svg, replaceContent, oncePerFrame } from "./dom.js";

/** Below it, no letter of a box can be read. */
const leastScale = 0.6;

const valueLetters = (width) => Math.floor((width - 18) / 7);

export class Graph {
    constructor(traces, index, selection, differences) {
        const trace = traces[index];
        Object.assign(this, { traces, trace, index, selection, differences });
        this.levels = new Map(trace.graph.map((level) => [level.id, level]));
        this.stage = svg("g", {});
        this.svg = svg("svg", { role: "group", "aria-label": `Graph of ${trace.name}: arrow keys follow its edges` },
            svg("rect", { class: "sheet", width: "100%", height: "100%" }), this.stage);
        this.hint = el("p.part", { hidden: true }, "A part of the graph: drag to move; Fit shows all.");
        this.element = el("div.graph", null, this.svg,
            this.hint, el("p.excuse", null, "This graph is too large to be drawn. weir graph --node NAME draws a part of it."));
        this.legend = this.colorsInWords();
        this.view = { x: 0, y: 0, scale: 1 };
        this.draw = oncePerFrame(() => this.refresh());
        this.listen();
        new ResizeObserver(() => {
            if (this.element.clientWidth > 0 && !this.isFitted) this.begin();
        }).observe(this.element);
        this.show(this.initialLevel);
    }

    get initialLevel() {
        const wanted = this.selection.get("level");
        if (this.levels.has(wanted)) return wanted;
        // The first level whose letters can be read when all of it is in sight.
        const lists = this.levels.get("lists");
        return lists && lists.width < 2400 && lists.height < 1500 ? "lists" : this.levels.has("overview") ? "overview" : "owners";
    }

    /** The levels above the shown one, the outermost first, and itself; empty unless it shows what one box of the overview holds. */
    get path() {
        const path = [];
        for (let level = this.level; level && level.parent; level = this.levels.get(level.parent)) path.unshift(level);
        return path;
    }

    /** The first level from the shown one on that draws a lane by itself; the shown one if there is none. */
    levelShowing(lane) {
        const shows = (level) => level.boxes.some((box) => !box.opens && !box.context && box.lanes.includes(lane));
        if (this.level.boxes.some((box) => !box.opens && box.lanes.includes(lane))) return this.level.id;
        // From box to box, inwards; an overview holds every lane.
        let level = this.levels.get("overview");
        while (level && !shows(level)) level = this.levels.get(level.boxes.find((box) => box.opens && !box.context && box.lanes.includes(lane))?.opens);
        return (level || this.level).id;
    }

    colorsInWords() {
        const item = (mark, text) => el("span", null, el(`i.${mark}`, { "aria-hidden": "true" }), text);
        return el("p.legend", null, item("key-node", "node"), item("key-view", "view"), item("key-data", "carries values"),
            item("key-timing", "triggers only"), item("key-handler", "code writes"), item("key-feedback", "closes a cycle"),
            item("key-heat", "quiet to busy"),
            this.levels.has("overview") ? item("key-folded", "several nodes: click to open") : null, this.differences.isEmpty ? null : [item("key-only", "only in this run"), el("span", null, "↻ refreshes before→after")]);
    }

    show(id) {
        this.level = this.levels.get(id) || this.trace.graph[0]
            || { id: "none", title: "", width: 0, height: 0, boxes: [], links: [], frames: [] };
        this.element.classList.toggle("too-large", this.trace.graph.length === 0);
        this.svg.setAttribute("aria-label", safe(`Graph of ${this.trace.name}, ${this.level.title}: arrow keys follow its edges, Enter opens${this.level.parent ? ", Backspace goes back" : ""}`));
        this.isFitted = false;
        const { level } = this;
        this.busiest = Math.max(1, ...level.boxes.map((box) => this.activity(box)));
        this.paths = level.links.map((link) => {
            const names = `${level.boxes[link.from].name} → ${level.boxes[link.to].name}`;
            const words = { data: counted(link.deliveries, "delivery", "deliveries"), timing: "triggers", handler: `written ${counted(link.deliveries, "time")}` };
            const weight = Math.min(3.2, 1 + Math.log10(1 + link.deliveries) * 0.55).toFixed(1);
            return svg("g", { class: `link ${link.kind}${link.feedback ? " feedback" : ""}` },
                svg("title", {}, `${names}: ${words[link.kind]}${link.feedback ? "; closes a cycle" : ""}`),
                svg("path", { class: "wide", d: link.path }), svg("path", { class: "line", d: link.path, "stroke-width": weight }),
                svg("path", { class: "tip", d: link.tip }));
        });
        this.boxes = level.boxes.map((box, place) => this.box(box, place));
        this.focused = 0;
        replaceContent(this.stage,
            level.frames.map(({ name, at: [x, y, width, height] }) => svg("g", { class: "frame" },
                svg("rect", { x, y, width, height, rx: 8 }), svg("text", { x: x + 12, y: y + 16 }, name))),
            this.paths, this.boxes.map((box) => box.element));
        this.refresh();
        if (this.element.clientWidth > 0) this.begin();
    }

    /** Shows everything; a drawing whose letters could not be read then begins at the selected box, or at its busiest one. */
    begin() {
        this.fit();
        if (this.view.scale >= leastScale || this.level.boxes.length === 0) return;
        this.view.scale = 0.8;
        const selected = this.selectedLanes;
        const { boxes } = this.level;
        const weights = boxes.map((box) => (box.context ? -1 : this.activity(box)));
        const chosen = boxes.findIndex((box) => box.lanes.some((lane) => selected.has(lane)));
        this.center(chosen >= 0 ? chosen : weights.indexOf(Math.max(...weights)));
    }

    activity(box) {
        return box.lanes.reduce((sum, lane) => {
            const { emissions, refreshes, suppressions, view } = this.trace.lanes[lane];
            return sum + (view ? refreshes : emissions + suppressions);
        }, 0);
    }

    box(box, place) {
        const [x, y, width, height] = box.at;
        const value = svg("text", { class: "value", x: x + 11, y: y + 36 });
        const heat = Math.log(1 + this.activity(box)) / Math.log(1 + this.busiest);
        const element = svg("g", {
            class: `box${box.view ? " view" : ""}${box.opens ? " folded" : ""}${box.context ? " context" : ""}${this.isOnlyHere(box) ? " only-here" : ""}`, tabindex: place === 0 ? 0 : -1, role: "button", "data-place": place,
        }, svg("title", {}), box.opens ? svg("path", { class: "behind", d: `M${x + 10} ${y + height + 4}H${x + width - 6}a10 10 0 0 0 10-10V${y + 10}` }) : null,
        svg("rect", { x, y, width, height, rx: box.view ? 4 : 10 }),
        svg("rect", { class: "heat", x, y, width, height, rx: box.view ? 4 : 10, opacity: (heat * 0.3).toFixed(3) }),
        svg("text", { class: "name", x: x + 11, y: y + 18 }, box.name), value);
        return { box, element, value };
    }

    get selectedLanes() {
        return new Set(this.trace.lanesNamed(this.selection.get("lane"), this.traces[this.selection.get("trace")]));
    }

    /** Values, counts and marks at the scrubber's moment. */
    refresh() {
        const { trace } = this;
        const isActive = this.selection.get("trace") === this.index;
        const found = isActive ? trace.rowOf(this.selection.get("moment")) : -1;
        if (found >= 0) this.moment = found;
        const moment = this.moment ?? trace.rowCount - 1;
        const selected = this.selectedLanes;
        const places = this.level.boxes.map((box) => box.lanes.some((lane) => selected.has(lane)));
        const near = this.connected(places);
        this.boxes.forEach((drawn, place) => {
            const { box, element } = drawn;
            this.write(drawn, this.detail(box, moment));
            element.classList.toggle("selected", places[place]);
            element.classList.toggle("dim", near !== null && !near.boxes.has(place));
            element.classList.toggle("match", this.isMatch(box));
        });
        this.paths.forEach((path, place) => path.classList.toggle("dim", near !== null && !near.links.has(place)));
    }

    isOnlyHere(box) {
        return box.lanes.length > 0 && box.lanes.every((lane) => this.differences.isOnlyIn(this.trace.lanes[lane], this.index));
    }

    /** Writes what a box shows, where that has changed: of hundreds of boxes few change at a time. */
    write(drawn, text) {
        if (drawn.text === text) return;
        drawn.text = text;
        const { box, element, value } = drawn;
        const change = box.lanes.length === 1 ? this.differences.signOf(this.trace.lanes[box.lanes[0]], this.index) : "";
        const letters = valueLetters(box.at[2]) - (change ? change.length + 3 : 0);
        value.textContent = safe(shortened(text, letters)) + (change ? ` · ${change}` : "");
        const all = `${counted(this.activity(box), "event")} in all${change ? `, ${this.differences.wordsOf(this.trace.lanes[box.lanes[0]], this.index)}` : ""}`;
        element.setAttribute("aria-label", safe(`${box.name}. ${text}. ${all}.`));
        const name = box.lanes.length === 1 ? this.trace.lanes[box.lanes[0]].full : box.name;
        element.firstChild.textContent = safe(`${name}\n${text}\n${all}`);
    }

    detail(box, moment) {
        const { trace } = this;
        if (box.opens) return `${box.detail} ▸`;
        if (this.level.id === "owners" || box.lanes.length > 1) return box.detail;
        const lane = trace.lanes[box.lanes[0]];
        if (box.view && lane) {
            const calls = trace.isPart ? lane.refreshes : trace.marks.countUpTo(lane.index, moment);
            return `refreshed ${count(calls)} ×`;
        }
        const nodes = box.node !== null ? [box.node] : lane ? lane.nodes : [];
        const emitted = nodes.reduce((sum, node) => sum + trace.emissions.countUpTo(node, moment), 0);
        const { text } = nodes.length === 1 ? trace.valueAt(nodes[0], moment) : { text: "" };
        return text && text !== "()" ? `= ${text}` : `${count(emitted)} ×`;
    }

    /** The boxes and links up and down from the selected boxes; null: none is selected. */
    connected(places) {
        if (!places.includes(true)) return null;
        const boxes = new Set(), links = new Set();
        const follow = (start, from, to) => {
            const open = [start], seen = new Set(open);
            while (open.length) {
                const place = open.pop();
                boxes.add(place);
                for (const link of (this.linksBy(from).get(place) || [])) {
                    links.add(link);
                    const next = this.level.links[link][to];
                    if (!seen.has(next)) open.push(next);
                    seen.add(next);
                }
            }
        };
        places.forEach((isSelected, place) => {
            if (!isSelected) return;
            follow(place, "from", "to");
            follow(place, "to", "from");
        });
        return { boxes, links };
    }

    linksBy(end) {
        const key = `by-${end}`;
        if (this.level[key]) return this.level[key];
        const map = new Map();
        this.level.links.forEach((link, place) => {
            if (!map.has(link[end])) map.set(link[end], []);
            map.get(link[end]).push(place);
        });
        this.level[key] = map;
        return map;
    }

    isMatch(box) {
        return Boolean(this.query) && (box.name.toLowerCase().includes(this.query)
            || box.lanes.some((lane) => this.trace.lanes[lane].full.toLowerCase().includes(this.query)));
    }

    search(query) {
        this.query = query.toLowerCase();
        this.draw();
        const place = this.level.boxes.findIndex((box) => this.isMatch(box));
        if (place >= 0) this.center(place);
    }

    // Pan, zoom, keys

    apply() {
        const { x, y, scale } = this.view;
        this.hint.hidden = x >= 0 && y >= 0 && x + this.level.width * scale <= this.element.clientWidth && y + this.level.height * scale <= this.element.clientHeight;
        this.stage.setAttribute("transform", `translate(${x} ${y}) scale(${scale})`);
    }

    fit() {
        const [width, height] = [this.element.clientWidth, this.element.clientHeight];
        const { level } = this;
        const scale = Math.min(1.2, (width - 32) / Math.max(1, level.width), (height - 28) / Math.max(1, level.height));
        this.view = { scale, x: Math.max(16, (width - level.width * scale) / 2), y: Math.max(14, (height - level.height * scale) / 2) };
        this.isFitted = true;
        this.apply();
    }

    zoomBy(factor, x = this.element.clientWidth / 2, y = this.element.clientHeight / 2) {
        const scale = Math.max(0.04, Math.min(4, this.view.scale / factor));
        const ratio = scale / this.view.scale;
        this.view = { scale, x: x - (x - this.view.x) * ratio, y: y - (y - this.view.y) * ratio };
        this.apply();
    }

    center(place) {
        const [x, y, width, height] = this.level.boxes[place].at;
        const scale = Math.max(this.view.scale, 0.8);
        this.view = {
            scale, x: this.element.clientWidth / 2 - (x + width / 2) * scale,
            y: this.element.clientHeight / 2 - (y + height / 2) * scale,
        };
        this.apply();
    }

    listen() {
        this.svg.addEventListener("wheel", (event) => {
            event.preventDefault();
            const box = this.svg.getBoundingClientRect();
            this.zoomBy(Math.exp(event.deltaY * 0.0018), event.clientX - box.left, event.clientY - box.top);
        }, { passive: false });
        this.svg.addEventListener("pointerdown", (event) => { this.pressed = { x: event.clientX, y: event.clientY, moved: false }; });
        this.svg.addEventListener("pointermove", (event) => {
            if (!this.pressed || event.buttons === 0) return;
            const [dx, dy] = [event.clientX - this.pressed.x, event.clientY - this.pressed.y];
            if (!this.pressed.moved && Math.abs(dx) + Math.abs(dy) < 4) return;
            Object.assign(this.pressed, { x: event.clientX, y: event.clientY, moved: true });
            this.view.x += dx;
            this.view.y += dy;
            this.apply();
        });
        this.svg.addEventListener("click", (event) => {
            if (this.pressed && this.pressed.moved) return;
            const box = event.target.closest(".box");
            this.choose(box ? Number(box.dataset.place) : -1);
        });
        this.svg.addEventListener("keydown", (event) => this.key(event));
    }

    choose(place) {
        if (place < 0) return this.selection.set({ trace: this.index, lane: null }, this);
        const { lanes } = this.level.boxes[place];
        if (this.level.boxes[place].opens) {
            this.selection.set({ trace: this.index, level: this.level.boxes[place].opens }, null);
        } else if (this.level.id === "owners" && this.levels.has("lists")) {
            this.selection.set({ trace: this.index, level: "lists", lane: this.trace.lanes[lanes[0]].full }, null);
        } else if (lanes.length) {
            this.selection.set({ trace: this.index, lane: this.trace.lanes[lanes[0]].full, side: "state" }, this);
        }
    }

    key(event) {
        const place = Number(event.target.closest(".box")?.dataset.place ?? this.focused);
        const follow = (from, to) => (this.linksBy(from).get(place) || []).map((link) => this.level.links[link][to])[0];
        const byHeight = () => this.level.boxes.map((_, index) => index).sort((left, right) =>
            this.level.boxes[left].at[1] - this.level.boxes[right].at[1] || this.level.boxes[left].at[0] - this.level.boxes[right].at[0]);
        let next;
        if (event.key === "ArrowRight") next = follow("from", "to");
        else if (event.key === "ArrowLeft") next = follow("to", "from");
        else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
            const order = byHeight();
            next = order[order.indexOf(place) + (event.key === "ArrowDown" ? 1 : -1)];
        } else if (event.key === "Enter" || event.key === " ") this.choose(place);
        else if (event.key === "+" || event.key === "=") this.zoomBy(0.8);
        else if (event.key === "-") this.zoomBy(1.25);
        else if (event.key === "0") this.fit();
        else if (event.key === "Backspace" && this.level.parent) {
            this.selection.set({ level: this.level.parent }, null);
            this.boxes[0]?.element.focus({ preventScroll: true });
        } else return;
        event.preventDefault();
        if (next === undefined) return;
        this.boxes[place].element.setAttribute("tabindex", -1);
        this.boxes[next].element.setAttribute("tabindex", 0);
        this.boxes[next].element.focus({ preventScroll: true });
        this.focused = next;
        this.center(next);
    }

    update(changed, from) {
        if (changed.has("level")) this.show(this.initialLevel);
        this.draw();
        if (changed.has("lane") && from !== this && this.element.clientWidth > 0) {
            const selected = this.selectedLanes;
            const place = this.level.boxes.findIndex((box) => box.lanes.some((lane) => selected.has(lane)));
            if (place >= 0 && !this.isInSight(place)) this.center(place);
        }
    }

    isInSight(place) {
        const [x, y, width, height] = this.level.boxes[place].at;
        const { scale } = this.view;
        const [left, top] = [this.view.x + x * scale, this.view.y + y * scale];
        return scale > 0.45 && left > 0 && top > 0 && left + width * scale < this.element.clientWidth
            && top + height * scale < this.element.clientHeight;
    }
}
