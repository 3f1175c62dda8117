import WeirAnalysis
import WeirTrace

/// Applies all rules to one trace, and says what they found.
///
/// Cost: one pass over the trace, another one for budgets, and one to compare runs.
package struct TraceCheck {
    /// The findings, measures and faults.
    package let findings: TraceFindings
    /// The figures by which runs are compared; nil unless they were asked for.
    package let figures: TraceFigures?
    let reader: TraceReader
    let topology: Topology
    let redundancy: RedundancyPass
    let lives: LeakPass
    let losses: TraceLosses
    /// The time of the last event.
    var lastTicks: UInt64 { redundancy.lastTicks }
    private let snapshot: (LeakFinding) -> TraceSnapshot?

    /// Judges the trace of a reader; `isMeasured` also takes the measures that budgets need, `isCompared` the figures that
    /// comparisons need.
    package init(_ reader: TraceReader, isMeasured: Bool = false, isCompared: Bool = false) throws(TraceError) {
        self.init(reader, Topology(try reader.definitions()), isMeasured: isMeasured, isCompared: isCompared)
    }

    /// Judges the trace with these definitions; `counts` also counts its refreshes by stimulus.
    init(
        _ reader: TraceReader, _ topology: Topology, isMeasured: Bool = false, isCompared: Bool = false,
        counting counts: RefreshCounts? = nil
    ) {
        self.reader = reader
        self.topology = topology
        let collector = LifeCollector(topology)
        let redundancy = RedundancyPass(
            reader, topology, keeping: 0, reporting: nil, counting: counts, lives: collector)
        self.redundancy = redundancy
        figures = isCompared ? TraceFigures(reader, topology, redundancy) : nil
        let lives = LeakPass(reader, topology, collector)
        self.lives = lives
        let judged = lives.snapshot.flatMap(reader.snapshot)
        let snapshotOf: (UInt32) -> TraceSnapshot? = { $0 == lives.snapshot ? judged : reader.snapshot($0) }
        let leaks = LeakFindings(lives, reader, snapshot: snapshotOf)
        snapshot = { finding in finding.snapshot == lives.snapshot ? judged : finding.snapshot.flatMap(snapshotOf) }
        let measures = isMeasured ? Measures(of: reader, topology) : Measures()
        var findings = TraceFindings(
            redundancy, Findings(redundancy, topology.definitions), leaks, snapshot: snapshot, topology,
            measures: measures)
        let losses = TraceLosses(reader, lives)
        self.losses = losses
        if !losses.isEmpty { findings.faults[.incomplete] = Losses.sentences(of: losses) }
        let aborted = LeakReport(lives, leaks, snapshot: snapshotOf).abortedWalks
        if !aborted.isEmpty { findings.faults[.abortedWalk] = aborted }
        self.findings = findings
    }

    /// The stories of the findings at these indexes of `findings.found`.
    package func stories(of places: [Int]) -> [Int: FindingStory] { stories(of: places, withEvidence: true) }

    /// The stories of findings; without evidence, the trace is not read again.
    func stories(of places: [Int], withEvidence: Bool) -> [Int: FindingStory] {
        let (redundancy, leaks) = (findings.redundancy, findings.leaks)
        let reported = places.filter { $0 < redundancy.count }.map { redundancy[$0] }
        let examples = reported.flatMap(\.shownEvents)
        let evidence = withEvidence ? Evidence.all(of: examples, in: reader) : [:]
        let wording = FindingLines(
            definitions: topology.definitions, timeScale: TimeScale(reader.header), style: .plain,
            frame: RedundancyOptions().frame
        ) { evidence[$0] }
        return places.reduce(into: [:]) { stories, place in
            if place < redundancy.count {
                stories[place] = FindingStory(redundancy[place], wording, evidence[redundancy[place].example])
            } else {
                let finding = leaks[place - redundancy.count]
                stories[place] = FindingStory(finding, in: snapshot(finding) ?? TraceSnapshot(), topology.definitions)
            }
        }
    }
}
