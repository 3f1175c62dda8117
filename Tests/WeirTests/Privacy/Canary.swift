import Foundation
import Testing
import Weir
import WeirTrace

/// A secret that no trace may contain.
enum Canary {
    static let text = "open-sesame-8211"
    static let number = 5_500_000_000_004_821

    /// The forms in which a trace file could hold it.
    static var forms: [(name: String, bytes: Data)] {
        let plain = Data(text.utf8)
        func littleEndian(_ number: UInt64) -> Data { withUnsafeBytes(of: number.littleEndian) { Data($0) } }
        let value = UInt64(number)
        return [
            ("text", plain), ("base64", Data(plain.base64EncodedString().utf8.prefix(20))),
            ("hex", Data(plain.map { String(format: "%02x", $0) }.joined().utf8)),
            ("digits", Data("\(number)".utf8)), ("hex digits", Data(String(value, radix: 16).utf8)),
            ("integer", littleEndian(value)), ("zigzag", littleEndian(value << 1)),
            ("varint", varint(value)), ("zigzag varint", varint(value << 1)),
        ]
    }

    private static func varint(_ number: UInt64) -> Data {
        var (rest, bytes) = (number, Data())
        while rest > 0x7f {
            bytes.append(UInt8(rest & 0x7f) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
        return bytes
    }

    struct Failure: Error, Hashable { var secret = Canary.text }
}

/// A trace, and the forms of the canary that its file contains.
struct SearchedTrace {
    let recording: Recording
    let found: [String]

    /// Whether every node of a kind is private.
    func hides(_ kind: NodeKind, _ sourceLocation: SourceLocation = #_sourceLocation) -> Bool {
        let nodes = recording.definitions.nodes.values.filter { $0.kind == kind }
        #expect(!nodes.isEmpty, "no node of kind \(kind)", sourceLocation: sourceLocation)
        return nodes.allSatisfy(\.isPrivate)
    }

    func values(_ kind: NodeKind) -> [TraceValue] {
        recording.events.filter {
            $0.kind == .emitted && recording.definitions.nodes[$0.subject]?.kind == kind
        }.map(\.value)
    }
}

/// Records `body`, and searches the file for the canary.
func search(
    values: TraceValues = .described(), snapshots: TraceSnapshots = .none, _ body: () throws -> Void
) throws -> SearchedTrace {
    let file = try TemporaryTrace()
    try Trace.start(writingTo: file.path, values: values, clock: VirtualClock(), snapshots: snapshots)
    do {
        defer { Trace.stop() }
        try body()
    }
    let bytes = try Data(contentsOf: URL(fileURLWithPath: file.path))
    return SearchedTrace(
        recording: try Recording(reading: file.path),
        found: Canary.forms.filter { bytes.range(of: $0.bytes) != nil }.map(\.name))
}
