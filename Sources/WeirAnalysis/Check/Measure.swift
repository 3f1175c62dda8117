import WeirTrace

/// The largest value of a metric for one part of the program.
package struct Measure: Sendable, Equatable {
    /// The part of the program that a metric measures; equal parts of several traces are one.
    package struct Subject: Sendable, Hashable {
        /// The names of its nodes, the most important first.
        package var names: [String] = []
        /// The names and types of its owners.
        package var owners: [String] = []
        /// Its line.
        package var site: TraceSite?

        /// The whole program.
        package init() {}
    }

    /// The metric.
    package let metric: BudgetMetric
    /// The part of the program.
    package let subject: Subject
    /// The largest value, in the unit of the metric.
    package internal(set) var value: Double
    /// The event at which it was reached; nil: none is known.
    package internal(set) var example: EventID?
    /// The index of the trace with that event.
    package internal(set) var trace = 0
}

/// The measures of one or several traces: the largest value of each.
package struct Measures: Sendable {
    private struct Key: Hashable {
        let metric: BudgetMetric
        let subject: Measure.Subject
    }

    private var measures: [Key: Measure] = [:]
    /// Refreshes and redundant refreshes, of all traces together.
    var refreshes: UInt64 = 0, redundantRefreshes: UInt64 = 0

    /// No measures.
    package init() {}

    /// All measures, ordered by metric, value, names and line.
    package var all: [Measure] {
        var all = Array(measures.values)
        if refreshes > 0 {
            let share = 100 * Double(redundantRefreshes) / Double(refreshes)
            all.append(Measure(metric: .redundantPercent, subject: .init(), value: share))
        }
        return all.sorted { $0.isBefore($1) }
    }

    mutating func take(_ measure: Measure) {
        guard measure.value > 0 else { return }
        let key = Key(metric: measure.metric, subject: measure.subject)
        if let known = measures[key], (known.value, measure.trace) >= (measure.value, known.trace) { return }
        measures[key] = measure
    }

    /// Adds those of another trace; the order in which traces are added does not matter.
    mutating func take(_ other: Measures, trace: Int) {
        refreshes &+= other.refreshes
        redundantRefreshes &+= other.redundantRefreshes
        for var measure in other.measures.values {
            measure.trace = trace
            take(measure)
        }
    }
}

extension Measure {
    fileprivate func isBefore(_ other: Measure) -> Bool {
        if metric != other.metric { return metric.place < other.metric.place }
        if value != other.value { return value > other.value }
        return subject.order.lexicographicallyPrecedes(other.subject.order)
    }
}

extension BudgetMetric {
    fileprivate var place: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

extension Measure.Subject {
    fileprivate var order: [String] { names + [site?.description ?? ""] + owners }
}
