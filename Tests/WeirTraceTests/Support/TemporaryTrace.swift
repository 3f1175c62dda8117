import Foundation
import Testing
import WeirTestSupport
import WeirTrace

/// A trace file in the temporary directory, which is removed with this object.
final class TemporaryTrace {
    let path: String

    init(_ bytes: [UInt8]) throws {
        path = quickFolder + "weir-\(UUID().uuidString).weir"
        try write(bytes)
    }

    convenience init(_ builder: TraceBuilder) throws { try self.init(builder.bytes) }

    deinit { unlink(path) }

    func write(_ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(fileURLWithPath: path)) }

    /// Changes bytes in place, like a writer whose file a reader has already opened.
    func overwrite(_ bytes: [UInt8], at offset: Int) throws {
        let file = try #require(fopen(path, "r+"))
        defer { fclose(file) }
        fseek(file, offset, SEEK_SET)
        guard fwrite(bytes, 1, bytes.count, file) == bytes.count else { throw CocoaError(.fileWriteUnknown) }
    }

    func truncate(to length: Int) throws {
        guard Foundation.truncate(path, off_t(length)) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }
}

extension TraceReader {
    var allEvents: [TraceEvent] {
        var events: [TraceEvent] = []
        forEachEvent {
            events.append($0)
            return true
        }
        return events
    }

    var newEvents: [TraceEvent] {
        var events: [TraceEvent] = []
        forEachNewEvent {
            events.append($0)
            return true
        }
        return events
    }
}

/// The events of a trace that must be undamaged.
func events(of builder: TraceBuilder) throws -> [TraceEvent] {
    let trace = try TemporaryTrace(builder)
    let reader = try TraceReader(path: trace.path)
    let events = reader.allEvents
    guard reader.damageCount == 0 else { throw UnexpectedDamage(damage: reader.damage) }
    return events
}

struct UnexpectedDamage: Error { var damage: [TraceDamage] }

/// A random number generator that returns the same numbers for the same seed.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
