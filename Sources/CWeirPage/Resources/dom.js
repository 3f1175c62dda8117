// Elements. Text goes into text nodes only, and `safe` first: nothing of a trace is ever read as HTML.
import { safe } from "./format.js";

/** el("button.primary", { onclick, title }, "Text", child): an element; null children are left out. */
export function el(name, properties, ...children) {
    const [tag, ...classes] = name.split(".");
    const element = document.createElement(tag);
    if (classes.length) element.className = classes.join(" ");
    setProperties(element, properties || {});
    append(element, children);
    return element;
}

/** The same in SVG. */
export function svg(tag, properties, ...children) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    setProperties(element, properties || {});
    append(element, children);
    return element;
}

function setProperties(element, properties) {
    for (const [name, value] of Object.entries(properties)) {
        if (value === null || value === undefined || value === false && !name.startsWith("aria-")) continue;
        if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
        else if (name === "dataset") Object.assign(element.dataset, value);
        else element.setAttribute(name, value === true && !name.startsWith("aria-") ? "" : safe(value));
    }
}

function append(element, children) {
    for (const child of children.flat(Infinity)) {
        if (child === null || child === undefined || child === false) continue;
        element.append(child instanceof Node ? child : document.createTextNode(safe(child)));
    }
}

export function replaceContent(element, ...children) {
    element.textContent = "";
    append(element, children);
}

/** Calls `draw` once before the next frame, however often it is asked for. */
export function oncePerFrame(draw) {
    let isAsked = false;
    return () => {
        if (isAsked) return;
        isAsked = true;
        requestAnimationFrame(() => {
            isAsked = false;
            draw();
        });
    };
}

/** A color of the page's style sheet. */
export function colors(element) {
    const style = getComputedStyle(element);
    return (name) => style.getPropertyValue("--" + name).trim();
}
