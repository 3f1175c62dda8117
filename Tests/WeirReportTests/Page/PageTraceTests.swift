import Foundation
import Testing
import WeirAnalysis
import WeirCrafted
import WeirTrace

@testable import WeirReport

@Suite struct PageTraceTests {
    /// The trace of the login sample that the first version of the format wrote.
    static let frozen = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("WeirTraceTests/Frozen/version-1.weir").path

    @Test func `the columns hold what the events say`() throws {
        let reader = try TraceReader(path: Self.frozen)
        let topology = Topology(try reader.definitions())
        let scale = TimeScale(reader.header)
        var columns = EventColumns(topology, scale)
        var events: [TraceEvent] = []
        reader.forEachEvent { event in
            columns.take(event)
            events.append(event)
            return true
        }
        let (parts, bytes) = columns.encoded()
        var found: [String: [UInt64]] = [:]
        var place = 0
        for part in try #require(parts.members) {
            guard case .unsigned(let size) = part.value else { continue }
            let column = Array(bytes[place..<place + Int(size)])
            found[part.name] =
                ["kind", "flags", "reason", "form"].contains(part.name) ? column.map(UInt64.init) : varints(column)
            place += Int(size)
        }
        #expect(place == bytes.count)
        let rows = Dictionary(uniqueKeysWithValues: events.enumerated().map { ($1.id, $0) })
        var time: UInt64 = 0
        for (row, event) in events.enumerated() {
            #expect(found["kind"]?[row] == UInt64(event.kind.rawValue))
            #expect(found["depth"]?[row] == UInt64(event.depth))
            time += found["time"]?[row] ?? 0
            #expect(time == scale.nanosecondsSinceStart(event.ticks))
            let cause = event.cause.flatMap { rows[$0] }
            #expect(found["cause"]?[row] == UInt64(cause.map { row - $0 } ?? 0))
            if case .string(let text) = event.value {
                #expect(columns.values.texts[Int(found["payload"]?[row] ?? 0)] == PrintableText.escaped(text))
            }
            if event.kind == .stimulusBegan {
                #expect(columns.values.texts[Int(found["payload"]?[row] ?? 0)] == event.text)
            }
        }
        #expect(events.count == columns.count && events.count > 100)
    }

    @Test func `every node that did something and every handler has a lane`() throws {
        let page = try PageTrace(try TraceReader(path: Self.frozen), path: "login.weir")
        let lanes = try #require(page.json["lanes"]?.elements)
        let names = lanes.compactMap { $0["full"]?.string }
        #expect(names.contains("LoginViewModel.loginEnabled"))
        #expect(names.contains("view of LoginViewModel.instruction at LoginView.swift:29"))
        #expect(names.filter { $0.hasPrefix("view of") }.count == 6)
    }

    @Test func `a long trace is cut around the moment, and its overview counts all`() throws {
        let whole = try PageTrace(try TraceReader(path: Self.frozen), path: "login.weir")
        let part = try PageTrace(
            try TraceReader(path: Self.frozen), path: "login.weir", around: .event(EventID(thread: 1, sequence: 60)),
            mostEvents: 40)
        #expect(part.json["events"]?.number == 40)
        #expect(part.json["allEvents"]?.number == whole.json["events"]?.number)
        let first = try #require(part.json["first"]?.number)
        #expect(first <= 60 && first + 40 >= 60)
        let totals = try #require(part.json["overview"]?["totals"]?.elements).compactMap(\.number)
        let counts = try #require(part.json["overview"]?["counts"]?.elements).flatMap { $0.elements ?? [] }.compactMap(
            \.number)
        #expect(totals.reduce(0, +) == counts.reduce(0, +))
        #expect(totals.reduce(0, +) > 40)
        #expect(whole.json["overview"] == .null)
    }

    @Test func `a value at the beginning of a part is that of the whole trace at that moment`() throws {
        let reader = try TraceReader(path: Self.frozen)
        let part = try PageTrace(
            reader, path: "login.weir", around: .event(EventID(thread: 1, sequence: 120)), mostEvents: 10)
        let topology = Topology(try reader.definitions())
        var state = TraceState(topology, startTicks: reader.header.startTicks)
        let first = try #require(part.json["first"]?.number)
        reader.forEachEvent { event in
            if state.order < first { state.take(event) }
            return state.order < first
        }
        let initial = try #require(part.json["nodes"]?["initial"]?.elements)
        let texts = try #require(part.json["texts"]?.elements)
        var strings = 0
        for (node, value) in zip(state.nodes, initial) {
            guard case .string(let text) = node.value, let payload = value.elements?[1].number else { continue }
            strings += 1
            #expect(texts[Int(payload)].string == PrintableText.escaped(text))
        }
        #expect(strings > 0)
    }

    @Test func `the page has the rows of all events that a finding counts, of a part only those in it`() throws {
        let whole = try PageTrace(try TraceReader(path: Self.frozen), path: "login.weir")
        let findings = try #require(whole.json["findings"]?["redundancy"]?["findings"]?.elements)
        let counted = findings.filter { $0["normal"] != .bool(true) }
        #expect(!counted.isEmpty)
        for finding in counted {
            let rows = whole.json["occurrences"]?[finding["fingerprint"]?.string ?? ""]?.elements
            #expect(rows.map { UInt64($0.count) } == finding["count"]?.number)
        }
        let part = try PageTrace(
            try TraceReader(path: Self.frozen), path: "login.weir", around: .event(EventID(thread: 1, sequence: 60)),
            mostEvents: 5)
        for finding in counted {
            #expect(part.json["occurrences"]?[finding["fingerprint"]?.string ?? ""]?.elements?.isEmpty == true)
        }
    }

    @Test(arguments: CraftedTrace.all)
    func `a hostile trace gives a page of bounded size`(crafted: CraftedTrace) throws {
        let path = NSTemporaryDirectory() + "weir-page-\(UUID().uuidString).weir"
        let bytes = crafted.bytes(records: 250)
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: path) } }
        // Without the script and the style, which are the same for each trace.
        let page = try PageTrace(try TraceReader(path: path), path: path)
        #expect(page.json.text.utf8.count + page.data.utf8.count < 100_000 + 60 * bytes.count)
    }

    private func varints(_ bytes: [UInt8]) -> [UInt64] {
        var (numbers, current, shift): ([UInt64], UInt64, UInt64) = ([], 0, 0)
        for byte in bytes {
            current |= UInt64(byte & 127) << shift
            shift += 7
            guard byte < 128 else { continue }
            numbers.append(current)
            (current, shift) = (0, 0)
        }
        return numbers
    }
}

extension JSONValue {
    fileprivate var members: [Member]? {
        if case .object(let members) = self { members } else { nil }
    }
    fileprivate var elements: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }
    fileprivate var string: String? {
        if case .string(let string) = self { string } else { nil }
    }
    fileprivate var number: UInt64? {
        if case .unsigned(let number) = self { number } else { nil }
    }
    fileprivate subscript(name: String) -> JSONValue? { members?.first { $0.name == name }?.value }
}
