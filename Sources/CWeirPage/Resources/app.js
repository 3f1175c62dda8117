// Puts the page together: reads the traces, makes the panes, and keeps them and the address in step.
import { counted, duration, safe, shortened } from "./format.js";
import { el, replaceContent } from "./dom.js";
import { readColumns } from "./columns.js";
import { Trace } from "./trace.js";
import { Selection } from "./selection.js";
import { sentence } from "./causes.js";
import { Timeline } from "./timeline.js";
import { Graph } from "./graph.js";
import { CausePane } from "./cause.js";
import { StatePane } from "./state.js";
import { Differences, DifferencesPane } from "./differences.js";
import { Live } from "./live.js";
import { FindingsPane } from "./findings.js";

async function readTraces() {
    const traces = [];
    for (let place = 0; ; place++) {
        const tables = document.getElementById(`trace-${place}`);
        if (!tables) return traces;
        const events = document.getElementById(`events-${place}`);
        const content = JSON.parse(tables.textContent);
        const columns = await readColumns(events.textContent, content.columns, content.bytes, content.events);
        // Their text is needed no more.
        tables.remove();
        events.remove();
        traces.push(new Trace(content, columns));
    }
}

/** Tabs as the ARIA practices describe them: arrow keys move, one tab is in the tab order. */
function tabs(name, label, entries, selection) {
    const buttons = entries.map(({ id, title }) => el("button", {
        role: "tab", id: `tab-${id}`, "aria-controls": `panel-${id}`, onclick: () => selection.set({ [name]: id }, null),
        onkeydown: (event) => {
            const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
            if (!step) return;
            const place = entries.findIndex((entry) => entry.id === chosen());
            const next = entries[(place + step + entries.length) % entries.length].id;
            selection.set({ [name]: next }, null);
            document.getElementById(`tab-${next}`).focus();
        },
    }, title));
    const bar = el("div.tabs", { role: "tablist", "aria-label": label }, buttons);
    const panels = entries.map(({ id, content }) => el("div.panel", { role: "tabpanel", id: `panel-${id}`, "aria-labelledby": `tab-${id}` }, content));
    // Without a choice, and with one that this page has not, the first tab is chosen.
    const chosen = () => (entries.find(({ id }) => id === selection.get(name)) || entries[0]).id;
    const update = () => entries.forEach(({ id }, place) => {
        const isChosen = chosen() === id;
        buttons[place].setAttribute("aria-selected", isChosen);
        buttons[place].tabIndex = isChosen ? 0 : -1;
        panels[place].hidden = !isChosen;
    });
    update();
    return { bar, panels, update };
}

class App {
    constructor(root, traces, differences) {
        Object.assign(this, { root, traces, differences });
        this.live = new Live(Number(root.dataset.reload || 0), root.dataset.ending);
        this.selection = new Selection(location.hash);
        if (!traces[this.selection.get("trace")]) this.selection.values.trace = 0;
        this.timelines = traces.map((_, index) => new Timeline(traces, index, this.selection, differences));
        this.graphs = traces.map((_, index) => new Graph(traces, index, this.selection, differences));
        this.cause = new CausePane(traces, this.selection);
        this.state = new StatePane(traces, this.selection);
        this.findings = new FindingsPane(traces, this.selection, differences);
        this.comparison = new DifferencesPane(traces, this.selection, differences);
        this.build();
        this.selection.onChange((changed, from) => this.update(changed, from));
        window.addEventListener("hashchange", () => this.selection.follow(location.hash));
        document.addEventListener("keydown", (event) => this.key(event));
        this.start();
        this.live.start(this);
    }

    get trace() { return this.traces[this.selection.get("trace")]; }
    get timeline() { return this.timelines[this.selection.get("trace")]; }
    get graph() { return this.graphs[this.selection.get("trace")]; }

    build() {
        const { traces } = this;
        const runs = traces.length === 2 ? ["before: ", "after: "] : [];
        const abreast = (panes) => el("div.stack", null, el("div.abreast", null, panes.map((pane, index) => el("section.one", { dataset: { index } },
            traces.length > 1 ? el("button.trace-name", { onclick: () => this.goTo(index) }, runs[index] || "", traces[index].name) : null,
            pane.element))), panes[panes.length - 1].legend);
        // Values flow from left to right: wide graphs have more room one above the other.
        const graphs = abreast(this.graphs);
        graphs.classList.toggle("wide", this.graphs.some(({ level }) => level.width > 1.3 * level.height));
        this.main = tabs("main", "View", [
            { id: "timeline", title: "Timeline", content: abreast(this.timelines) },
            { id: "graph", title: "Graph", content: graphs },
        ], this.selection);
        this.side = tabs("side", "Details", [
            ...(this.differences.isEmpty ? [] : [{ id: "differences", title: "Differences", content: this.comparison.element }]),
            { id: "findings", title: "Findings", content: this.findings.element },
            { id: "cause", title: "Cause", content: this.cause.element },
            { id: "state", title: "State", content: this.state.element },
        ], this.selection);
        this.tools = el("div.tools", null);
        this.status = el("p.status", { role: "status", "aria-live": "polite" });
        replaceContent(this.root, this.header(), this.banners(),
            el("main", null,
                el("div.main", null, el("div.bar", null, this.main.bar, this.tools), this.main.panels, this.scrubber()),
                el("div.side", null, el("div.bar", null, this.side.bar), this.side.panels)));
        this.root.removeAttribute("aria-busy");
        this.drawTools();
        this.showActive();
    }

    header() {
        const { traces } = this;
        const options = [...new Set(traces.flatMap((trace) => trace.lanes.map((lane) => lane.full)))].slice(0, 2000);
        this.searchBox = el("input", {
            type: "search", list: "names", placeholder: "Find a node or view  /", "aria-label": "Find a node or view",
            oninput: (event) => this.graph.search(event.target.value), onchange: (event) => this.find(event.target.value),
        });
        const [first] = traces;
        const facts = traces.length === 1
            ? `${first.program.split("/").pop() || first.name} · ${counted(first.allEvents, "event")} in ${duration(first.duration)}${first.started ? ` · ${first.started.slice(0, 16).replace("T", " ")} UTC` : ""}`
            : traces.map((trace) => `${trace.name}: ${counted(trace.allEvents, "event")}`).join(" · ");
        return el("header", null, el("h1", null, el("span.brand", null, "weir"), " ", traces.map((trace) => trace.name).join(" · ")),
            el("p.facts", null, facts), el("div.find", null, this.searchBox, el("datalist", { id: "names" }, options.map((name) => el("option", { value: name })))),
            this.live.sign, el("button", { onclick: () => this.toggleTheme(), "aria-label": "Switch between light and dark", title: "Light or dark" }, "◐"),
            el("button", { onclick: () => this.help.showModal(), "aria-haspopup": "dialog" }, "Help"), this.helpDialog());
    }

    helpDialog() {
        const keys = [["/", "find a node or view"], ["← →", "previous or next event, of the selected lane if there is one"], ["↑ ↓", "previous or next lane"], ["Space", "show or hide the instances of the lane"],
            ["+ − 0", "zoom in, zoom out, show all"], ["Enter", "cause of the selected event"], ["Esc", "select nothing"], ["1 2", "timeline, graph"],
            ["f c s", "findings, cause, state"], ["n p", "next or previous occurrence of the selected finding, or of any"], ...(this.differences.isEmpty ? [] : [["d", "differences of both runs"]]), ["t", "even spacing, or time"]];
        const marks = [["node", "●", "a node got a new value"], ["node hollow", "○", "a new subscriber got the current value"], ["stopped", "×", "a value stopped: equal, filtered, waiting …"],
            ["view", "■", "a view was called (a refresh)"], ["warning", "▼", "an event of a finding, or one that made what leaks; larger: of the selected one"], ["stimulus", "▬", "a stimulus: all that it caused at once"], ["checkpoint", "⚑", "a checkpoint"]];
        this.help = el("dialog", { "aria-label": "Help" }, el("h2", null, "What the marks mean"),
            el("dl.marks", null, marks.map(([name, sign, words]) => [el("dt", { class: `mark ${name}`, "aria-hidden": "true" }, sign), el("dd", null, words)])),
            el("p", null, "Click a mark to see its causes and effects: arrows in the timeline, a tree under Cause. Drag the timeline to move, scroll with Ctrl to zoom. ",
                "Drag on the ruler, or the slider below, to go to a moment: the graph and State show the values then. A dashed arrow is a hop to another thread."),
            el("h2", null, "Keys"), el("dl", null, keys.map(([key, words]) => [el("dt", null, el("kbd", null, key)), el("dd", null, words)])),
            el("p", null, "The address keeps the selection: copy it to lead somebody to the same moment."),
            el("form", { method: "dialog" }, el("button.primary", { onclick: (event) => { event.preventDefault(); this.help.close(); } }, "Close")));
        return this.help;
    }

    banners() {
        const items = this.traces.filter((trace) => trace.findings.losses.length > 0).map((trace) =>
            el("p", null, el("b", null, this.traces.length > 1 ? `${trace.name} is incomplete. ` : this.live.seconds ? "" : "This trace is incomplete. "), trace.findings.losses.join(" ")));
        const empty = this.traces.filter((trace) => trace.allEvents === 0).map((trace) => el("p", null, `${trace.name} holds no events.`));
        return items.length + empty.length ? el("div.banner", { role: "alert" }, items, empty) : null;
    }

    scrubber() {
        this.slider = el("input.slider", {
            type: "range", min: 0, max: 1, value: 1, step: 1, "aria-label": "Moment",
            oninput: (event) => this.selection.set({ moment: this.trace.id(Number(event.target.value)) }, null),
        });
        const button = (text, label, step) => el("button", { onclick: () => this.timeline.step(step), "aria-label": label, title: label }, text);
        return el("div.scrubber", null, button("|◀", "First event", -Infinity), button("◀", "Previous event", -1), button("▶", "Next event", 1),
            button("▶|", "Last event", Infinity), this.slider, this.status);
    }

    drawTools() {
        const isTimeline = this.selection.get("main") === "timeline";
        const pane = () => (this.selection.get("main") === "timeline" ? this.timelines : this.graphs);
        const button = (text, label, action) => el("button", { onclick: action, "aria-label": label, title: label }, text);
        const zoom = [button("−", "Zoom out", () => pane().forEach((one) => one.zoomBy(1.5))),
            button("+", "Zoom in", () => pane().forEach((one) => one.zoomBy(0.66))), button("Fit", "Show all", () => pane().forEach((one) => one.fit()))];
        const choice = (name, label, entries) => el("div.choice", { role: "group", "aria-label": label }, entries.map(([id, title, hint]) => el("button", {
            "aria-pressed": this.selection.get(name) === id || name === "level" && this.graph.level.id === id, title: hint,
            onclick: () => this.selection.set({ [name]: id }, null),
        }, title)));
        replaceContent(this.tools, isTimeline
            ? [choice("axis", "Axis", [["even", "Evenly", "Each event takes the same room"], ["time", "By time", "Each event at its time"]]), zoom]
            : [this.levelChoice(choice), zoom]);
    }

    /** The levels of the graph; inside a box of the overview, the way back. */
    levelChoice(choice) {
        const levels = this.trace.graph.filter((level) => !level.parent);
        const entry = (level) => [level.id, level.parent ? `› ${shortened(level.title, 28)}` : level.title, `${level.title}: ${counted(level.boxes.length, "box", "boxes")}`];
        const entries = [...levels, ...this.graph.path].map(entry);
        return entries.length > 1 ? choice("level", "What is drawn as one", entries) : null;
    }

    showActive() {
        const index = this.selection.get("trace");
        for (const one of this.root.querySelectorAll(".one")) one.classList.toggle("active", Number(one.dataset.index) === index && this.traces.length > 1);
        this.slider.max = Math.max(0, this.trace.rowCount - 1);
        this.slider.disabled = this.trace.rowCount === 0;
        const row = this.timeline.momentRow;
        this.slider.value = Math.max(0, row);
        if (row < 0) return;
        const text = sentence(this.trace, row);
        this.slider.setAttribute("aria-valuetext", safe(text));
        replaceContent(this.status, el("b", null, duration(this.trace.columns.time[row])), ` ${text}`);
        this.status.title = safe(text);
    }

    update(changed, from) {
        if (changed.has("main")) this.main.update();
        if (changed.has("side")) this.side.update();
        if (changed.has("lane") || changed.has("trace")) this.followInOthers(from);
        for (const pane of this.timelines) pane.update(changed, from);
        const isGraph = this.selection.get("main") === "graph";
        if (isGraph || changed.has("level")) for (const pane of this.graphs) pane.update(changed, from);
        const side = this.selection.get("side");
        if (changed.has("event") || changed.has("trace") || side === "cause" && changed.has("side")) this.cause.update();
        this.state.update(changed);
        this.findings.update(changed, from);
        this.comparison.update();
        if (changed.has("main") || changed.has("axis") || changed.has("level")) this.drawTools();
        this.showActive();
        if (from !== "address") this.keepAddress();
    }

    /** Shows another trace at the right, with the node that matches the selected one. */
    goTo(index) {
        const lane = this.traces[index].lanesNamed(this.selection.get("lane"), this.trace)[0];
        this.selection.set({ trace: index, lane: lane === undefined ? null : this.traces[index].lanes[lane].full }, null);
    }

    /** The lane that matches is shown in the other traces, too. */
    followInOthers() {
        for (const timeline of this.timelines) timeline.revealLane();
    }

    keepAddress() {
        clearTimeout(this.addressTimer);
        this.addressTimer = setTimeout(() => history.replaceState(null, "", this.selection.address), 120);
    }

    find(text) {
        const wanted = text.toLowerCase();
        if (wanted === "") return;
        const lanes = this.trace.lanes;
        const lane = lanes.find(({ full }) => full.toLowerCase() === wanted) || lanes.find(({ full }) => full.toLowerCase().includes(wanted));
        if (lane) {
            // In the graph, the box that holds it opens.
            const level = this.selection.get("main") === "graph" ? this.graph.levelShowing(lane.index) : this.selection.get("level");
            this.selection.set({ lane: lane.full, level }, this);
        }
        else replaceContent(this.status, `no node or view is named “${text}”`);
    }

    key(event) {
        const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) && event.target.type !== "range";
        if (event.key === "Escape" && !this.help.open) {
            if (isTyping) event.target.blur();
            else this.selection.set({ event: null, lane: null, finding: null }, null);
            return;
        }
        if (isTyping || event.ctrlKey || event.metaKey || event.altKey || this.help.open) return;
        const changes = { 1: { main: "timeline" }, 2: { main: "graph" }, f: { side: "findings" }, c: { side: "cause" }, s: { side: "state" }, ...(this.differences.isEmpty ? {} : { d: { side: "differences" } }),
            t: { axis: this.selection.get("axis") === "even" ? "time" : "even" } }[event.key];
        if (changes) this.selection.set(changes, null);
        else if (event.key === "n" || event.key === "p") this.findings.step(event.key === "n" ? 1 : -1);
        else if (event.key === "/") this.searchBox.focus();
        else if (event.key === "?") this.help.showModal();
        else if (["+", "=", "-", "0"].includes(event.key) && event.target.tagName !== "CANVAS" && this.selection.get("main") === "timeline") this.timeline.key(event);
        else return;
        event.preventDefault();
    }

    toggleTheme() {
        const isDark = document.documentElement.dataset.theme
            ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
        document.documentElement.dataset.theme = isDark ? "light" : "dark";
        for (const pane of this.timelines) pane.draw();
    }

    start() {
        matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.timelines.forEach((pane) => pane.draw()));
        if (this.selection.get("event") || this.selection.get("moment")) {
            this.selection.listeners[0](new Set(["event", "moment", "lane"]), null);
        } else if (this.trace.at !== null && this.trace.rowCount > 0) {
            const row = Math.max(0, Math.min(this.trace.rowCount - 1, this.trace.at - this.trace.first - 1));
            this.selection.set({ moment: this.trace.id(row), side: "state" }, null);
        }
    }
}

const root = document.getElementById("app");
readTraces().then((traces) => {
    const comparison = document.getElementById("comparison");
    window.weir = new App(root, traces, new Differences(comparison && JSON.parse(comparison.textContent)));
    root.dataset.ready = "true";
}).catch((error) => {
    root.removeAttribute("aria-busy");
    replaceContent(root, el("p.fatal", { role: "alert" }, `This page cannot be shown: ${error.message}`));
    throw error;
});
