import Foundation
import WeirAnalysis
import WeirReport
import WeirTrace

/// A finished recording, to be judged in a test; see `Trace.withRecording`.
///
/// Nodes are named as `weir info` names them, or by the end of the name; of several instances all count.
public final class RecordedTrace: Sendable {
    /// The file; removed with this object.
    public let path: String

    init(at path: String) { self.path = path }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// How often the handlers of a node ran, or a named observer, render or body.
    ///
    /// - Throws: `TraceError` if the file cannot be read, ``RecordedTraceError`` if no node has that name, or different ones do.
    public func refreshes(of name: String) throws -> Int {
        let reader = try TraceReader(path: path)
        let ids = try nodes(named: name, in: reader)
        let summary = try TraceSummary(of: reader)
        let found = summary.nodes.filter { ids.contains($0.id) }
        let definitions = try reader.definitions()
        return found.reduce(0) { sum, node in
            // A node that only receives, such as an observer, refreshes when it does.
            let isObserver = definitions.nodes[node.id]?.kind == .observer
            return sum + Int(clamping: isObserver ? node.received : node.refreshes)
        }
    }

    /// How often a node emitted a value.
    public func emissions(of name: String) throws -> Int {
        let reader = try TraceReader(path: path)
        let ids = try nodes(named: name, in: reader)
        return try TraceSummary(of: reader).nodes.filter { ids.contains($0.id) }.reduce(0) {
            $0 + Int(clamping: $1.emissions)
        }
    }

    /// The names of the stimuli and nodes that led to the last change of a node: the direct chain, the first cause first.
    public func causes(of name: String) throws -> [String] {
        let timeline = try WeirAnalysis.Timeline(TraceReader(path: path))
        let ids = try nodes(named: name, in: timeline.reader)
        try timeline.move(to: .end)
        let states = ids.compactMap { timeline.topology.place(ofNode: $0) }.map { timeline.state.nodes[$0] }
        guard let last = states.max(by: { $0.changeOrder < $1.changeOrder })?.lastChange,
            let chain = timeline.explanation(of: last)?.chains.first
        else { return [] }
        return chain.steps.map(\.event).filter { $0.kind != .hopBegan }.map { event in
            event.kind == .stimulusBegan ? event.text : timeline.definitions.name(ofNode: event.subject)
        }
    }

    /// The report of `weir redundant`; nil: nothing above a note was found.
    func redundancy() throws -> String? {
        let reader = try TraceReader(path: path)
        let topology = Topology(try reader.definitions())
        let options = RedundancyOptions()
        let pass = RedundancyPass(reader, topology, options: options)
        let findings = Findings(pass, topology.definitions)
        guard findings.hasFaults else { return nil }
        let reported = findings.primaries
        let evidence = Evidence.all(of: reported.flatMap(\.shownEvents), in: reader)
        let report = RedundancyReport(
            pass, findings, topology.definitions, timeScale: TimeScale(reader.header), options: options
        ) { evidence[$0] }
        return report.text()
    }

    private func nodes(named name: String, in reader: TraceReader) throws -> Set<UInt32> {
        let directory = NodeDirectory(try reader.definitions())
        switch directory.find(name) {
        case .found(let ids): return Set(ids)
        case .ambiguous(let ids):
            let names = Set(ids.map(directory.definitions.name(ofNode:))).sorted()
            throw RecordedTraceError(name: name, names: names, isAmbiguous: true)
        case .unknown(let nearest): throw RecordedTraceError(name: name, names: nearest, isAmbiguous: false)
        }
    }
}

/// A name of no node of a recording, or for several.
public struct RecordedTraceError: Error, CustomStringConvertible, Equatable {
    /// The name.
    public let name: String
    /// The nodes that it may mean, or the most similar names.
    public let names: [String]
    let isAmbiguous: Bool

    /// A sentence that names the nodes that it may mean.
    public var description: String {
        let list = names.prefix(5).joined(separator: ", ")
        if isAmbiguous { return "'\(name)' is the end of several names: \(list)" }
        return "no node is called '\(name)'" + (names.isEmpty ? "" : "; similar names: \(list)")
    }
}
