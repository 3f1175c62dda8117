// The findings pane: redundant work and leaks, each with its evidence and remedy; then what was lost, hidden or not judged.
import { count, counted, duration, shortened } from "./format.js";
import { el, replaceContent } from "./dom.js";
import { describe } from "./causes.js";
import { indexFrom, neighbor } from "./trace.js";

const severities = { error: 0, warning: 1, note: 2 };

export class FindingsPane {
    constructor(traces, selection, differences) {
        Object.assign(this, { traces, selection, differences });
        this.element = el("div.findings", null);
        this.draw();
    }

    update(changed, from) {
        if (changed.has("trace")) this.draw();
        if (changed.has("event") || changed.has("finding") || changed.has("trace")) this.showPositions();
        if (!changed.has("finding")) return;
        for (const card of this.element.querySelectorAll("details.finding")) {
            const isChosen = card.dataset.fingerprint === this.selection.get("finding");
            card.classList.toggle("selected", isChosen);
            if (isChosen && !card.open) card.open = true;
            if (isChosen && from !== this) card.scrollIntoView({ block: "nearest" });
        }
    }

    draw() {
        const index = this.selection.get("trace");
        const trace = this.traces[index];
        const { redundancy, leaks } = trace.findings;
        const all = [
            ...redundancy.findings.filter((finding) => !finding.normal && !finding.primary).map((finding) => ({ finding, isLeak: false })),
            ...leaks.findings.map((finding) => ({ finding, isLeak: true })),
        ].sort((left, right) => severities[left.finding.severity] - severities[right.finding.severity]);
        this.others = this.fingerprintsOfOthers(index);
        const followers = redundancy.findings.filter((finding) => finding.primary);
        this.positions = [];
        replaceContent(this.element,
            el("h2", null, all.length ? counted(all.length, "finding") : "Nothing to fix was found"),
            el("p", null, `${count(redundancy.redundantRefreshes)} of ${counted(redundancy.refreshes, "refresh", "refreshes")} redundant`
                + `${redundancy.handlerNanoseconds > 0 ? `, ${duration(redundancy.wastedNanoseconds)} of ${duration(redundancy.handlerNanoseconds)} handler time` : ""}.`
                + (redundancy.evaluations > 0 ? ` ${count(redundancy.noopEvaluations)} of ${counted(redundancy.evaluations, "evaluation")} gave an equal value.` : "")),
            el("p", null, trace.findings.leakSummary),
            this.comparison(index, all),
            all.map(({ finding, isLeak }, place) => this.card(trace, finding, isLeak, place, followers)),
            this.omitted(redundancy.omittedFindings + leaks.omittedFindings),
            this.intended(redundancy.intended), this.normal(redundancy.findings.filter((finding) => finding.normal)),
            this.hidden(trace));
        this.showPositions();
    }

    fingerprintsOfOthers(index) {
        const found = new Map();
        this.traces.forEach((trace, place) => {
            if (place === index) return;
            for (const { fingerprint } of [...trace.findings.redundancy.findings, ...trace.findings.leaks.findings]) {
                found.set(fingerprint, [...(found.get(fingerprint) || []), place]);
            }
        });
        return found;
    }

    comparison(index, all) {
        if (this.traces.length < 2) return null;
        const only = all.filter(({ finding }) => this.isOnlyHere(finding)).length;
        const where = ["cured in the second run", "only in the second run"][this.differences.isEmpty ? -1 : index] || "in no other run";
        return el("p.note", null, `${counted(only, "finding")} ${where}.`);
    }

    get badge() { return this.differences.isEmpty ? "only here" : ["cured", "new"][this.selection.get("trace")]; }

    /** Whether no other run has the finding: as `weir diff` matches them, or of more than two runs, by fingerprints. */
    isOnlyHere({ fingerprint }) {
        if (this.differences.isEmpty) return this.traces.length > 1 && !this.others.has(fingerprint);
        return this.differences.findingsOnlyIn(this.selection.get("trace")).has(fingerprint);
    }

    card(trace, finding, isLeak, place, followers) {
        const isSelected = finding.fingerprint === this.selection.get("finding");
        const card = el(`details.finding.${finding.severity}`, {
            open: isSelected || place === 0, dataset: { fingerprint: finding.fingerprint },
            ontoggle: () => { if (card.open) this.selection.set({ finding: finding.fingerprint }, this); },
        },
        el("summary", null, el("span.severity", null, finding.severity), " ", el("span.rule", null, finding.rule),
            this.isOnlyHere(finding) ? el("span.only", null, this.badge) : null,
            el("span.sentence", null, finding.sentence)),
        isLeak ? this.leak(trace, finding) : this.redundancy(trace, finding, followers),
        el("p.faint", null, `fingerprint ${finding.fingerprint}`));
        if (isSelected) card.classList.add("selected");
        return card;
    }

    redundancy(trace, finding, followers) {
        const row = trace.rowOf(finding.instances[0].example);
        const remedy = finding.remedy && el("p.remedy", null, el("b", null, "Remedy: "), `${finding.remedy.sentence}.`);
        const others = followers.filter((other) => other.primary === finding.fingerprint);
        return [
            remedy, finding.site ? el("p", null, el("b", null, "Line: "), el("code", null, finding.site)) : null,
            el("p.actions", null, el("button.primary", {
                disabled: row < 0, onclick: () => this.jump(trace, finding, finding.instances[0].example),
            }, row < 0 ? "Its example is not in the detailed part" : "Show it in the timeline"),
            finding.instances[0].counterpart && trace.rowOf(finding.instances[0].counterpart) >= 0 ? el("button", {
                onclick: () => this.jump(trace, finding, finding.instances[0].counterpart),
            }, "Show the event it repeats") : null),
            this.occurrences(trace, finding),
            finding.evidence ? this.evidence(trace, finding) : null,
            finding.instances.length > 1 ? this.instances(trace, finding) : null,
            others.length ? el("details", null, el("summary", null, `${counted(others.length, "finding")} with the same cause`),
                el("ul", null, others.map((other) => el("li", null, other.sentence)))) : null,
        ];
    }

    /** Steps through the events that a finding counts; they are marked in the timeline. */
    occurrences(trace, finding) {
        if (finding.rows.length < 2) return null;
        const position = el("span.position", { role: "status" });
        this.positions.push({ trace, finding, position });
        const button = (direction, sign, words) => el("button", {
            onclick: () => this.step(direction, finding), "aria-label": words, title: `${words} (${direction > 0 ? "n" : "p"})`,
        }, sign);
        return el("p.occurrences", null, button(-1, "‹", "Previous occurrence"), position, button(1, "›", "Next occurrence"));
    }

    showPositions() {
        for (const { trace, finding, position } of this.positions) {
            const { rows } = finding;
            const row = trace.rowOf(this.selection.get("event"));
            const index = indexFrom(rows, row);
            // A page keeps only so many of the occurrences, and of a long trace only a part.
            const rest = finding.count > rows.length ? ` (of ${count(finding.count)})` : "";
            position.textContent = row >= 0 && rows[index] === row
                ? `${count(index + 1)} of ${count(rows.length)} in the timeline${rest}` : `${counted(rows.length, "occurrence")} in the timeline${rest}`;
        }
    }

    /** Goes to the next or previous occurrence of a finding; without one, of the selected one, or of any. */
    step(direction, finding = null) {
        const trace = this.traces[this.selection.get("trace")];
        const chosen = finding ?? trace.findingWith(this.selection.get("finding"));
        const rows = chosen?.rows ?? trace.findingOrder;
        if (rows.length === 0) return;
        const from = trace.rowOf(this.selection.get("event"));
        const row = from >= 0 ? neighbor(rows, from, direction) : rows[direction > 0 ? 0 : rows.length - 1];
        this.jump(trace, chosen ?? trace.findingRows.get(row)[0], trace.id(row));
    }

    evidence(trace, finding) {
        const { steps } = finding.evidence;
        return el("ol.chain", { "aria-label": "How it came about" }, steps.map((step) => {
            const id = step.id ?? step.event;
            const row = id ? trace.rowOf(id) : -1;
            const { title, verb, value } = row >= 0 ? describe(trace, row) : { title: step.name ?? step.kind, verb: step.kind, value: "" };
            return el("li", null, el("button.step", { disabled: row < 0, onclick: () => this.jump(trace, finding, id) },
                el("bdi.title", null, title), ` ${verb} `, value ? el("code", null, shortened(value, 60)) : null, el("span.id", null, id ?? "")));
        }));
    }

    instances(trace, finding) {
        const shown = finding.instances.slice(0, 50);
        return el("details", null, el("summary", null, `${counted(finding.instances.length, "instance")}`),
            el("ul", null, shown.map((tally) => el("li", null, el("button.link", {
                disabled: trace.rowOf(tally.example) < 0, onclick: () => this.jump(trace, finding, tally.example),
            }, tally.name), ` ${count(tally.count)} ×`))));
    }

    leak(trace, finding) {
        // The first line repeats the headline, and the remedy stands above.
        const below = finding.drawing.filter((line, place) => !line.startsWith("Remedy:") && (place > 0 || line.startsWith("┬")));
        const isDrawn = (line) => /^[┬├│╰~ ]/u.test(line);
        const remedy = finding.remedy.sentence;
        return [
            remedy ? el("p.remedy", null, el("b", null, "Remedy: "), `${remedy}.`) : null,
            finding.remedy.site ? el("p", null, el("b", null, "Line: "), el("code", null, finding.remedy.site)) : null,
            this.beginning(trace, finding),
            el("pre.drawing", { tabindex: 0, role: "group", "aria-label": "What holds it" }, this.drawing(below.filter(isDrawn))),
            below.filter((line) => !isDrawn(line)).map((line) => el("p", null, line)),
        ];
    }

    /** Leads to the event that made what leaks, on a lane if one of them has a lane. */
    beginning(trace, finding) {
        const row = finding.rows.find((one) => trace.laneOf(one) >= 0) ?? finding.rows[0];
        if (row === undefined) return null;
        return el("p.actions", null, el("button.primary", { onclick: () => this.jump(trace, finding, trace.id(row)) }, "Show where it was made"));
    }

    /**
     * Lines of a drawing: call sites, which stand at the right in a terminal, and what a cycle keeps alive move to lines of their own.
     * A line that is too long goes on below its text.
     */
    drawing(lines) {
        return lines.flatMap((line) => {
            const found = /^(([│├╰┬]?).*?\S) {2,}(\S+:\d+)$/u.exec(line);
            const heading = line.startsWith("┬ ") ? line.split(/, (?=keeps )| · (?!\d)/u) : [];
            const parts = heading.length > 1 ? heading.map((part, index) => (index ? `│ ${part}` : part)) : found ? [found[1], `${found[2] === "╰" ? " " : "│"}      at ${found[3]}`] : [line];
            return parts.map((part) => {
                const row = el(/^[┬├│]/u.test(part) ? "span.row.joined" : "span.row", null, part);
                row.style.setProperty("--margin", `${/^[┬├│╰~→─↓ ]*/u.exec(part)[0].length}ch`);
                return row;
            });
        });
    }

    omitted(number) { return number > 0 ? el("p.faint", null, `and ${counted(number, "more finding")}: see weir redundant and weir leaks`) : null; }

    intended(findings) {
        if (findings.length === 0) return null;
        return el("section", null, el("h3", null, "Declared as intended"),
            el("ul", null, findings.map((finding) => el("li", null, `${finding.sentence}: ${finding.intention}`))));
    }

    normal(findings) {
        if (findings.length === 0) return null;
        return el("details", null, el("summary", null, `${counted(findings.length, "condition")} whose inputs changed and whose value did not`),
            el("p.faint", null, "Nothing needs to change."),
            el("ul", null, findings.slice(0, 60).map((finding) => el("li", null, `${finding.name} (${count(finding.count)})`))));
    }

    /** What this page cannot show: lost, private, or beyond the analyses. */
    hidden(trace) {
        const { losses, damage, unjudged, leaks, earlierAbortedWalks } = trace.findings;
        const secret = trace.lanes.filter((lane) => lane.private);
        const limitations = (leaks.snapshot ? leaks.snapshot.limitations.map((limitation) => limitation.sentence) : [])
            .concat(earlierAbortedWalks);
        const list = (items) => el("ul", null, items.map((item) => el("li", null, item)));
        const parts = [
            losses.length || damage.length ? [el("h4", null, "Lost"), list([...losses, ...damage])] : null,
            secret.length ? [el("h4", null, "Private"), el("p", null, `${counted(secret.length, "node")} without values: `,
                secret.slice(0, 12).map((lane) => lane.full).join(", "), secret.length > 12 ? ` and ${secret.length - 12} more` : "")] : null,
            unjudged.length ? [el("h4", null, "Not judged"), list(unjudged.map((group) =>
                `${group.rule}: ${group.counted} of ${group.names.join(", ")}${group.more ? ` and ${group.more} more` : ""}: ${group.phrase}; ${group.help}`))] : null,
            limitations.length || !leaks.snapshot ? [el("h4", null, "Not analysed"),
                leaks.snapshot ? null : el("p", null, "The trace has no heap snapshot, so cycles cannot be seen."),
                limitations.length ? list(limitations) : null] : null,
            trace.isPart ? [el("h4", null, "Not in this page"), el("p", null,
                `The page holds ${count(trace.events)} of ${count(trace.allEvents)} events in detail, the rest as an overview. `,
                "weir view --at MOMENT chooses another part.")] : null,
        ].filter(Boolean);
        return parts.length ? el("section.hidden-parts", null, el("h3", null, "Limits of this page"), parts) : null;
    }

    jump(trace, finding, id) {
        const row = trace.rowOf(id);
        const lane = row >= 0 ? trace.laneOf(row) : -1;
        this.selection.set({
            event: id, moment: id, finding: finding.fingerprint, main: "timeline",
            lane: lane >= 0 ? trace.lanes[lane].full : this.selection.get("lane"),
        }, this);
    }
}
