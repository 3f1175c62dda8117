import Foundation
import Testing
import WeirAnalysis
import WeirCrafted
import WeirTestSupport

@testable import WeirReport
@testable import WeirTrace

/// The bytes of exported rows against texts that are put together from strings.
struct RowBytesTests {
    private func text(_ body: (ByteSink) -> Void) -> String { String(decoding: ByteSink.bytes(body), as: UTF8.self) }

    @Test func `numbers of every length have the digits of their descriptions`() {
        var numbers: [UInt64] = [0, .max]
        var power: UInt64 = 1
        for length in 1...19 {
            power *= 10
            numbers += [power - 1, power, power + 1]
            var generator = SeededGenerator(seed: UInt64(length))
            numbers += (0..<50).map { _ in generator.next() % power }
        }
        for number in numbers { #expect(text { $0.append(decimal: number) } == String(number)) }
        for number in [Int64.min, -100, -1, 0, 1, .max] {
            #expect(text { $0.append(decimal: number) } == String(number))
        }
    }

    /// Texts of these pieces, which need escapes in JSON, in CSV, on a terminal, or nowhere.
    private static let pieces = [
        "a", "plain text", "=", "+1", "-2", "@", "%", "|", " ", "\"", "\\", "\n", "\r", "\t", "\u{0}", "\u{1B}[31m",
        "\u{7F}", "\u{85}", "\u{AD}", "é", "ま", "る子", "＝", "🧮", "👩‍👩‍👧", "\u{202E}", "\u{2028}", "\u{FEFF}",
        "\u{E0041}", "\u{10FFFF}", "1e5", ",", "",
    ]

    private static func texts(_ seed: UInt64) -> [String] {
        var generator = SeededGenerator(seed: seed)
        return (0..<200).map { _ in
            (0..<Int.random(in: 0...4, using: &generator))
                .map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
        }
    }

    @Test(arguments: Repeats.seeds(5))
    func `texts are escaped as by the JSON writer and for spreadsheets`(seed: UInt64) {
        for wanted in Self.texts(seed) + Self.pieces {
            #expect(text { $0.append(json: wanted) } == JSONValue.string(wanted).text)
            let apostrophe = CSVRows.isFormula(wanted) ? "'" : ""
            let cell = "\"" + apostrophe + TerminalText.escaped(wanted).replacing("\"", with: "\"\"") + "\""
            #expect(text { sink in sink.end(at: sink.append(csv: wanted, at: sink.place)) } == cell)
        }
    }

    @Test func `a text longer than the buffer leaves the row around it whole`() throws {
        let long = String(repeating: "ab\"c", count: 200_000)
        var bytes: [UInt8] = []
        let sink = ByteSink { bytes.append(contentsOf: $0) }
        var rows = NDJSONRows(sink: sink)
        rows.begin(.labels)
        rows.integer("trace", 12)
        rows.text("name", long)
        rows.text("value", "end")
        try rows.end()
        try sink.flush()
        let escaped = long.replacing("\"", with: "\\\"")
        let row = #"{"table":"labels","trace":12,"name":""# + escaped + #"","value":"end"}"# + "\n"
        #expect(String(decoding: bytes, as: UTF8.self) == row)
    }

    // MARK: Whole rows

    @Test(arguments: [
        "names", "one huge name", "one node, many subscriptions", "graph that changes", "one turn on all threads",
        "waiting for the turn", "checkpoints", "feedback of handlers",
    ])
    func `events are exported as the reader passes them`(name: String) throws {
        let crafted = try #require(CraftedTrace.all.first { $0.name == name })
        let file = try TemporaryTrace(isQuick: true)
        try Data(crafted.bytes(records: 3000)).write(to: URL(fileURLWithPath: file.path))
        let reader = try TraceReader(path: file.path)
        var bytes: [UInt8] = []
        var export = TraceExport(.ndjson, tables: [.events]) { bytes.append(contentsOf: $0) }
        try export.add(reader, path: file.path)
        try export.finish()
        let rows = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        let expected = try Self.rows(reader)
        #expect(rows.count == expected.count && rows.count > 500)
        for (row, expected) in zip(rows, expected) where row != expected { #expect(row == expected) }
    }

    private static func rows(_ reader: TraceReader) throws -> [String] {
        let definitions = try reader.definitions()
        let timeScale = TimeScale(reader.header)
        let tracker = CascadeTracker()
        var rows: [String] = []
        reader.forEachEvent { event in
            var members: [JSONValue.Member] = []
            func add(_ name: String, _ value: JSONValue?) {
                if let value { members.append(.init(name: name, value: value)) }
            }
            func id(_ id: EventID) -> JSONValue { .string("\(id.thread):\(id.sequence)") }
            func number(_ number: UInt64) -> JSONValue? { number == 0 ? nil : .unsigned(number) }
            let isDelivery = event.kind == .deliveryBegan || event.kind == .deliveryNext
            let delivered = isDelivery ? definitions.subscriptions[event.subject] : nil
            let isRefresh = !event.deliversEnd && delivered?.isInternal == false
            let turn = tracker.take(event, isRefresh: isDelivery && isRefresh)
            let (node, subscription) = subjects(event, definitions)
            let object = [.objectTracked, .objectReleased, .objectExpected].contains(event.kind) ? event.subject : 0
            let isEmission = [.emitted, .completed, .failed].contains(event.kind)
            add("table", .string("events"))
            add("trace", .unsigned(1))
            add("id", id(event.id))
            add("thread", .unsigned(UInt64(event.id.thread)))
            add("kind", .string(event.kind.name))
            add("nanoseconds", .unsigned(timeScale.nanosecondsSinceStart(event.ticks)))
            add("stamped", .bool(event.isStamped))
            add("depth", .unsigned(UInt64(event.depth)))
            add("cause", event.cause.map(id))
            add("turn", number(turn))
            add("node", number(UInt64(node)))
            add("name", node == 0 ? nil : .string(definitions.name(ofNode: node)))
            add("subscription", number(UInt64(subscription)))
            add("refresh", isDelivery ? .bool(isRefresh) : nil)
            add("object", number(UInt64(object)))
            add("snapshot", event.kind == .snapshotTaken ? .unsigned(UInt64(event.subject)) : nil)
            add("delivers", isEmission ? .bool(event.delivers) : nil)
            add("replayed", isEmission ? .bool(event.isReplayed) : nil)
            switch event.kind {
            case .suppressed: add("reason", .string(SuppressionReason.jsonName(event.reason)))
            case .subscriptionEnded: add("reason", .string(SubscriptionEndReason.jsonName(event.reason)))
            default: break
            }
            add("count", number(event.count))
            add("text", event.text.isEmpty ? nil : .string(event.text))
            if event.kind == .emitted || event.kind == .failed {
                let value = ExportedValue(event.value)
                add("value", value.text.map { .string($0) })
                add("form", .string(value.form))
                add("fingerprint", value.fingerprint.map { .string(TraceValue.fingerprint($0).description) })
            }
            rows.append(JSONValue.object(members).text)
            return true
        }
        return rows
    }

    private static func subjects(
        _ event: TraceEvent, _ definitions: TraceDefinitions
    ) -> (node: UInt32, subscription: UInt32) {
        func observed(_ id: UInt32) -> (UInt32, UInt32) { (definitions.subscriptions[id]?.source ?? 0, id) }
        return switch event.kind {
        case .emitted, .suppressed, .completed, .failed, .nodeCreated, .nodeReleased, .written: (event.subject, 0)
        case .hopBegan: (event.subject, event.scheduledBy)
        case .deliveryBegan, .deliveryNext, .subscriptionStarted, .subscriptionEnded, .hopScheduled:
            observed(event.subject)
        case .deliveryEnded: observed(event.endedSubscription)
        default: (0, 0)
        }
    }
}
