// The page of a program that runs: it loads itself again, and then shows what it showed before.
import { el } from "./dom.js";

const key = "weir-live";

/** What has the keyboard: elements of each page have no identity of their own. */
const focusable = ["canvas", ".slider", ".state input", ".find input", "button.live"];
function focused() {
    const element = document.activeElement;
    if (element?.id) return `#${element.id}`;
    return focusable.find((one) => element?.matches(one)) || null;
}

/** What the address does not keep: what part of each pane is in sight, and whether the page stands still. */
function remember(app) {
    return {
        isPaused: app.live.isPaused,
        timelines: app.timelines.map((pane) => ({
            scroll: pane.scroll, window: pane.scale.isFitted ? null : [pane.scale.start, pane.scale.end], last: pane.scale.lastPosition,
            folded: [...pane.collapsed].map(({ name }) => name), unfolded: [...pane.expanded].map((lane) => pane.trace.lanes[lane].full),
        })),
        graphs: app.graphs.map(({ view, level }) => ({ view, size: [level.width, level.height] })),
        panels: [...document.querySelectorAll(".side > .panel")].map((panel) => panel.scrollTop),
        theme: document.documentElement.dataset.theme || null,
        before: app.state.stops.map(({ before }, index) => (before < 0 ? null : app.traces[index].id(before))),
        filter: app.state.filter.value,
        focus: focused(),
    };
}

function restore(app, kept) {
    app.live.isPaused = kept.isPaused;
    if (kept.theme) document.documentElement.dataset.theme = kept.theme;
    // A reader who looks at a moment or an event keeps it in sight; otherwise the end of a growing trace stays in sight.
    const isReading = app.selection.get("event") !== null || app.selection.get("moment") !== null;
    kept.timelines.forEach(({ scroll, window, last, folded, unfolded }, index) => {
        const pane = app.timelines[index];
        pane.collapsed = new Set(pane.trace.laneGroups.filter(({ name }) => folded.includes(name)));
        pane.expanded = new Set(pane.trace.lanes.filter(({ full }) => unfolded.includes(full)).map((lane) => lane.index));
        pane.arrangeRows();
        if (window) pane.scale.show(window[0], window[1], isReading || window[1] < last ? 0 : pane.scale.lastPosition - last);
        else pane.scale.fit();
        pane.scrollBy(scroll - pane.scroll);
        pane.draw();
    });
    kept.graphs.forEach(({ view, size }, index) => {
        const { level } = app.graphs[index];
        if (size[0] !== level.width || size[1] !== level.height || app.selection.get("main") !== "graph") return;
        Object.assign(app.graphs[index], { view, isFitted: true });
        app.graphs[index].apply();
    });
    kept.before.forEach((id, index) => { if (id !== null) app.state.stops[index].before = app.traces[index].rowOf(id); });
    app.state.filter.value = kept.filter;
    app.state.draw();
    document.querySelectorAll(".side > .panel").forEach((panel, index) => { panel.scrollTop = kept.panels[index] || 0; });
    if (kept.focus) document.querySelector(kept.focus)?.focus({ preventScroll: true });
}

/** Why a page does not load itself any more, by the word that the program which wrote it left. */
const endings = {
    closed: ["■ Ended", "The recording has ended; this page is complete."],
    killed: ["■ Killed", "The program ended without closing its recording; this page holds what was written."],
    stopped: ["■ Stopped", "weir view --follow was stopped; the program may go on without this page."],
};

export class Live {
    /** `seconds`: until the page loads itself again; 0: it is not live. `ending`: why not; undefined: it never was. */
    constructor(seconds, ending) {
        [this.seconds, this.isPaused, this.isPressed] = [seconds, false, false];
        this.button = seconds ? el("button.live", { onclick: () => this.toggle(), title: "Stop or go on loading new events" }) : null;
        const words = endings[ending];
        this.sign = words ? el("span.live", { role: "status", title: words[1] }, words[0]) : this.button;
        this.label();
    }

    toggle() {
        this.isPaused = !this.isPaused;
        this.label();
    }

    label() {
        if (!this.button) return;
        this.button.textContent = this.isPaused ? "▶ Paused" : "● Live";
        this.button.setAttribute("aria-pressed", !this.isPaused);
    }

    /** Takes up what an earlier page left, and begins to count. */
    start(app) {
        let kept = null;
        // Without storage, a page that loads itself again shows everything in sight.
        try { kept = JSON.parse(sessionStorage.getItem(key)); sessionStorage.removeItem(key); } catch { kept = null; }
        if (kept) requestAnimationFrame(() => { restore(app, kept); this.label(); });
        if (!this.seconds) return;
        document.addEventListener("pointerdown", () => { this.isPressed = true; });
        document.addEventListener("pointerup", () => { this.isPressed = false; });
        setInterval(() => this.reload(app), this.seconds * 1000);
    }

    /** Never while somebody types, drags, or reads the help. */
    reload(app) {
        const isTyping = document.activeElement?.type === "search" && document.activeElement.value !== "";
        if (this.isPaused || this.isPressed || isTyping || app.help.open || document.hidden) return;
        try { sessionStorage.setItem(key, JSON.stringify(remember(app))); } catch { /* as above */ }
        history.replaceState(null, "", app.selection.address);
        location.reload();
    }
}
