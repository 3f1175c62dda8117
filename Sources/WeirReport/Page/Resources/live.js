// The page of a program that runs: it loads itself again, and then shows what it showed before.
import { el } from "./dom.js";

const key = "weir-live";

/** What the address does not keep: what part of each pane is in sight, and whether the page stands still. */
function remember(app) {
    return {
        isPaused: app.live.isPaused,
        timelines: app.timelines.map((pane) => ({ scroll: pane.scroll, window: pane.scale.isFitted ? null : [pane.scale.start, pane.scale.end] })),
        graphs: app.graphs.map(({ view, level }) => ({ view, size: [level.width, level.height] })),
        panels: [...document.querySelectorAll(".side > .panel")].map((panel) => panel.scrollTop),
        theme: document.documentElement.dataset.theme || null,
    };
}

function restore(app, kept) {
    app.live.isPaused = kept.isPaused;
    if (kept.theme) document.documentElement.dataset.theme = kept.theme;
    kept.timelines.forEach(({ scroll, window }, index) => {
        const pane = app.timelines[index];
        if (window) [pane.scale.start, pane.scale.end] = window;
        pane.scrollBy(scroll - pane.scroll);
        pane.draw();
    });
    kept.graphs.forEach(({ view, size }, index) => {
        const { level } = app.graphs[index];
        if (size[0] !== level.width || size[1] !== level.height || app.selection.get("main") !== "graph") return;
        Object.assign(app.graphs[index], { view, isFitted: true });
        app.graphs[index].apply();
    });
    document.querySelectorAll(".side > .panel").forEach((panel, index) => { panel.scrollTop = kept.panels[index] || 0; });
}

export class Live {
    /** `seconds`: until the page loads itself again; 0: it is not live. */
    constructor(seconds) {
        [this.seconds, this.isPaused, this.isPressed] = [seconds, false, false];
        this.button = seconds ? el("button.live", { onclick: () => this.toggle(), title: "Stop or go on loading new events" }) : null;
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
