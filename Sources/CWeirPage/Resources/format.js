// Words and numbers: how the page writes what a trace holds.

export const Kind = {
    emitted: 1, suppressed: 2, deliveryBegan: 3, deliveryNext: 4, deliveryEnded: 5, subscriptionStarted: 6,
    subscriptionEnded: 7, nodeCreated: 8, nodeReleased: 9, completed: 10, failed: 11, written: 12, context: 16,
    eventsLost: 17, stimulusBegan: 18, stimulusEnded: 19, frame: 20, checkpoint: 21, objectTracked: 22, objectReleased: 23,
    hopBegan: 24, hopEnded: 25, batchBegan: 26, batchEnded: 27, objectExpected: 28, snapshotTaken: 29,
    hopScheduled: 30,
};

const suppressionReasons = [
    "", "equal to the current value", "it did not let the value pass", "waits for other inputs, or for the turn to settle",
    "disabled", "nobody subscribes", "batched, only the last value goes on", "superseded by a newer value of the same node",
    "after completion", "already disposed", "left unsettled, because a feedback loop kept changing it", "still executing",
    "this side of the channel sent the value, and does not get it back",
];

const endReasons = [
    "", "disposed", "its bag was emptied or released", "its source was released", "its source completed",
    "its source failed", "its source failed, and no handler received the failure",
];

export const suppressionPhrase = (reason) => suppressionReasons[reason] || `reason ${reason}`;
export const endPhrase = (reason) => endReasons[reason] || `reason ${reason}`;

// Characters that reorder a line, control something or stay invisible; a joiner inside an emoji is left alone.
const risky = new RegExp(
    "[\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b\\u200c\\u200e\\u200f"
        + "\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff0-\\ufffb]|[\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}]", "gu");

const shortEscapes = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Text from a trace, safe to show: what could control or reorder the line is written as an escape. */
export function safe(text) {
    return String(text).replace(risky, (found) =>
        shortEscapes[found] || `\\u{${found.codePointAt(0).toString(16).toUpperCase()}}`);
}

/** 1204311 → "1,204,311". */
export const count = (number) => Math.round(number).toLocaleString("en-US");

export const counted = (number, singular, plural) =>
    `${count(number)} ${number === 1 ? singular : plural || singular + "s"}`;

/** Nanoseconds in a suitable unit: "870 ns", "12.3 µs", "1.5 s". */
export function duration(nanoseconds) {
    const tenths = (value, unit) => `${(Math.round(value * 10) / 10).toLocaleString("en-US")} ${unit}`;
    if (nanoseconds < 1) return "0";
    if (nanoseconds < 1e3) return `${Math.round(nanoseconds)} ns`;
    if (nanoseconds < 999950) return tenths(nanoseconds / 1e3, "µs");
    if (nanoseconds < 999950000) return tenths(nanoseconds / 1e6, "ms");
    if (nanoseconds < 59950000000) return tenths(nanoseconds / 1e9, "s");
    const seconds = Math.floor(nanoseconds / 1e9);
    const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
    return hours > 0 ? `${count(hours)} h ${minutes} min` : `${minutes} min ${seconds % 60} s`;
}

/** A moment on a ruler whose marks are `step` nanoseconds apart, with as many digits as that needs. */
export function momentText(nanoseconds, step) {
    const [unit, size] = nanoseconds < 1e3 ? ["ns", 1] : nanoseconds < 1e6 ? ["µs", 1e3] : nanoseconds < 1e9 ? ["ms", 1e6] : ["s", 1e9];
    const digits = Math.max(0, Math.min(6, Math.ceil(Math.log10(size / Math.max(step, 1e-3)))));
    return `${(nanoseconds / size).toLocaleString("en-US", { maximumFractionDigits: digits })} ${unit}`;
}

/** The text, cut to some characters. */
export const shortened = (text, length) => (text.length > length ? text.slice(0, Math.max(1, length - 1)) + "…" : text);
