// What caused an event, and what came of it: the questions of the cause pane and of the timeline's arrows.
import { Kind, suppressionPhrase, endPhrase, counted, duration } from "./format.js";

/**
 * What an event brought about, in order: rows, each with `inner`, the effects that a view's own code had while it was called.
 * A delivery to a node is not listed: what that node then did is.
 */
export function effectsOf(trace, row) {
    const { rows, starts } = trace.effects;
    const result = [];
    let view = null, fed = null;
    const closeFed = () => {
        if (fed) result.push(fed);
        fed = null;
    };
    for (let index = starts[row]; index < starts[row + 1]; index++) {
        const effect = rows[index];
        if (trace.isDelivery(effect)) {
            closeFed();
            view = null;
            if (trace.columns.subject[effect] === 0) continue;
            if (trace.viewOf(effect) >= 0) {
                view = { row: effect, inner: [] };
                result.push(view);
            } else {
                // Stays only if nothing follows: the node that was fed emitted nothing.
                fed = { row: effect, inner: [], isSilent: true };
            }
        } else {
            fed = null;
            (view ? view.inner : result).push({ row: effect, inner: [] });
        }
    }
    closeFed();
    return result;
}

/** The cause of an event as a person sees it: for what a view's code did, the view's call. */
export function visibleCause(trace, row) {
    const cause = trace.columns.cause[row];
    if (cause < 0 || trace.isDelivery(row)) return cause;
    let view = -1;
    const { rows, starts } = trace.effects;
    let [low, high] = [starts[cause], starts[cause + 1]];
    while (low < high) {
        const middle = (low + high) >> 1;
        if (rows[middle] < row) low = middle + 1;
        else high = middle;
    }
    for (let index = low - 1; index >= starts[cause]; index--) {
        if (!trace.isDelivery(rows[index])) continue;
        if (trace.viewOf(rows[index]) >= 0) view = rows[index];
        break;
    }
    return view >= 0 ? view : cause;
}

/** The rows that a selection lights up: its causes and effects, with the steps between them; at most `limit` steps. */
export function relatedSteps(trace, row, limit = 400) {
    const steps = [];
    for (let effect = row, cause; (cause = visibleCause(trace, effect)) >= 0 && steps.length < limit; effect = cause) {
        steps.push({ from: cause, to: effect });
    }
    const open = [row];
    for (let place = 0; place < open.length && steps.length < limit; place++) {
        const add = (from, effect) => {
            steps.push({ from, to: effect.row });
            if (effect.inner.length === 0) open.push(effect.row);
            for (const inner of effect.inner) add(effect.row, inner);
        };
        for (const effect of effectsOf(trace, open[place])) if (steps.length < limit) add(open[place], effect);
    }
    return steps;
}

/** Where the program wrote what an event reports; empty: not recorded. */
function written(trace, row) {
    const writeSite = trace.writeSiteOf(row);
    return writeSite && `written ${writeSite}`;
}

/** An event in words: what it is, on what, with which value, why it stopped, and a fact about it. */
export function describe(trace, row) {
    const { kind, reason, subject, count, thread } = trace.columns;
    const node = () => trace.nodeName(trace.nodeOf(row));
    const value = trace.value(row);
    const object = () => trace.objects[subject[row]] || `object ${subject[row]}`;
    switch (kind[row]) {
        case Kind.emitted:
            return { title: node(), value, verb: trace.isReplayed(row) ? "gave its current value" : "became", fact: written(trace, row), symbol: "●" };
        case Kind.suppressed:
            return { title: node(), value, verb: "stopped", why: suppressionPhrase(reason[row]), fact: written(trace, row), symbol: "✗" };
        case Kind.written: return { title: node(), value: "", verb: "was written", fact: trace.writeSiteOf(row), symbol: "✎" };
        case Kind.completed: return { title: node(), value: "", verb: "completed", symbol: "|" };
        case Kind.failed: return { title: node(), value, verb: "failed", symbol: "!" };
        case Kind.deliveryBegan: case Kind.deliveryNext: {
            if (subject[row] === 0) return { title: "nodes that waited", value: "", verb: "settle", symbol: "…" };
            const view = trace.viewOf(row);
            if (view >= 0) {
                const end = trace.ends[row];
                const took = end >= 0 ? trace.columns.time[end] - trace.columns.time[row] : 0;
                return {
                    title: trace.laneName(view), value, verb: "was called with", symbol: "■",
                    fact: took > 0 ? `took ${duration(took)}` : "",
                };
            }
            const target = trace.subscriptions.targets[subject[row] - 1];
            return { title: target >= 0 ? trace.nodeName(target) : "an input", value, verb: "received", symbol: "→" };
        }
        case Kind.deliveryEnded: return { title: node(), value: "", verb: "was delivered to all", symbol: "·" };
        case Kind.subscriptionStarted: return { title: node(), value: "", verb: "got a subscriber", symbol: "+" };
        case Kind.subscriptionEnded:
            return { title: node(), value: "", verb: "lost a subscriber", why: endPhrase(reason[row]), symbol: "−" };
        case Kind.nodeCreated: return { title: node(), value: "", verb: "was made", symbol: "+" };
        case Kind.nodeReleased: return { title: node(), value: "", verb: "was released", symbol: "−" };
        case Kind.eventsLost: return { title: counted(count[row], "event"), value: "", verb: count[row] === 1 ? "was lost" : "were lost", symbol: "!" };
        case Kind.stimulusBegan: return { title: `“${value}”`, value: "", verb: "began", symbol: "▶" };
        case Kind.stimulusEnded: return { title: "stimulus", value: "", verb: "ended", symbol: "·" };
        case Kind.frame: return { title: "frame", value: "", verb: "was shown", symbol: "▭" };
        case Kind.checkpoint: return { title: `checkpoint “${value}”`, value: "", verb: "", symbol: "⚑" };
        case Kind.objectTracked: return { title: object(), value: "", verb: "is tracked", symbol: "+" };
        case Kind.objectReleased: return { title: object(), value: "", verb: "was released", symbol: "−" };
        case Kind.objectExpected: return { title: object(), value: "", verb: "should be released by the next checkpoint", symbol: "⚑" };
        case Kind.hopBegan: return { title: node(), value: "", verb: `continues on ${trace.threads[thread[row]]}`, symbol: "⤳" };
        case Kind.hopEnded: return { title: "hop", value: "", verb: "ended", symbol: "·" };
        case Kind.hopScheduled: return { title: node(), value: "", verb: "waits for the actor of a handler", symbol: "⤳" };
        case Kind.batchBegan: return { title: "batch", value: "", verb: "began", symbol: "▶" };
        case Kind.batchEnded: return { title: "batch", value: "", verb: "ended", symbol: "·" };
        case Kind.snapshotTaken: return { title: "heap", value: "", verb: "was walked", symbol: "⚑" };
        default: return { title: "event", value: "", verb: `of kind ${kind[row]}`, symbol: "·" };
    }
}

/** One line about an event, for tooltips and screen readers. */
export function sentence(trace, row) {
    const { title, verb, value, why, fact } = describe(trace, row);
    const text = [title, verb, value].filter((part) => part !== "").join(" ");
    const more = [why, fact].filter(Boolean).join("; ");
    return more ? `${text}: ${more}` : text;
}
