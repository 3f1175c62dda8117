import WeirTrace

/// The findings of many traces, each once.
///
/// The traces may be added in any order: the result is the same. `Story` is what a report says about a finding.
package struct CheckTable<Story: Sendable>: Sendable {
    /// A finding, with the traces that have it.
    package struct Entry: Sendable {
        /// The facts, from the first trace that has it; the severity is the highest of all traces.
        package internal(set) var finding: CheckedFinding
        /// The text of a report about it, from the same trace.
        package internal(set) var story: Story
        /// The index of that trace.
        package internal(set) var trace: Int
        /// The indexes of the traces that have it; one may have it several times.
        var indexes: Set<Int> = []

        /// How many traces have it.
        package var traces: Int { max(indexes.count, 1) }
    }

    private struct Key: Hashable {
        let rule: CheckRule
        let key: FindingKey
        let isIntended: Bool

        init(_ finding: CheckedFinding) {
            rule = finding.rule
            key = finding.key
            isIntended = finding.intention != nil
        }
    }

    private var found: [Key: Entry] = [:]
    /// The largest values of the metrics.
    package private(set) var measures = Measures()
    /// The faults of traces, by the index of the trace: sentences about each.
    package private(set) var faults: [Int: [TraceFault: [String]]] = [:]
    /// The names of the files that the traces mention.
    package private(set) var mentionedFiles: Set<String> = []
    /// How many traces were judged.
    package private(set) var judged = 0
    /// The findings beyond the limit of a trace, over all traces.
    package private(set) var omitted: UInt64 = 0

    /// No findings.
    package init() {}

    /// Whether a trace was not read in full, so that findings may be missing.
    package var isPartial: Bool { !faults.isEmpty || omitted > 0 }

    /// The faults of the traces that could not be read, in the order of the traces.
    package var unreadable: [String] {
        faults.sorted { $0.key < $1.key }.compactMap { $0.value[.unreadable]?.joined(separator: " ") }
    }

    /// The findings, by severity, file, line, rule and identity.
    package var entries: [Entry] { found.values.sorted { $0.finding.isBefore($1.finding) } }

    /// Whether a finding of the trace at an index would be shown instead of the one of an earlier index.
    package func needsStory(of finding: CheckedFinding, trace: Int) -> Bool {
        found[Key(finding)].map { trace < $0.trace } ?? true
    }

    /// Adds the findings of a trace, each with its story; nil: `needsStory` is false.
    package mutating func take(_ trace: TraceFindings, stories: [Story?], at index: Int) {
        judged += 1
        omitted &+= trace.omitted
        mentionedFiles.formUnion(trace.mentionedFiles)
        measures.take(trace.measures, trace: index)
        for (fault, sentences) in trace.faults { add(fault, sentences, trace: index) }
        for (finding, story) in zip(trace.found, stories) { take(finding, story, index) }
    }

    /// Adds a fault of the trace at an index.
    package mutating func add(_ fault: TraceFault, _ sentences: [String], trace: Int) {
        faults[trace, default: [:]][fault] = sentences
    }

    private mutating func take(_ finding: CheckedFinding, _ story: Story?, _ index: Int) {
        let key = Key(finding)
        guard var entry = found[key] else {
            if let story { found[key] = Entry(finding: finding, story: story, trace: index, indexes: [index]) }
            return
        }
        let severity = max(entry.finding.severity, finding.severity)
        entry.indexes.insert(index)
        if index < entry.trace, let story {
            entry.finding = finding
            entry.story = story
            entry.trace = index
        }
        entry.finding.severity = severity
        found[key] = entry
    }
}

extension CheckedFinding {
    /// Orders findings: the most severe first, then by line.
    func isBefore(_ other: CheckedFinding) -> Bool {
        if severity != other.severity { return severity > other.severity }
        let (left, right) = (sites.first, other.sites.first)
        if left?.file != right?.file { return left?.file ?? "" < right?.file ?? "" }
        if left?.line != right?.line { return left?.line ?? 0 < right?.line ?? 0 }
        return order.lexicographicallyPrecedes(other.order)
    }

    private var order: [String] { [rule.name, key.identity] + key.lines + [intention ?? ""] }
}
