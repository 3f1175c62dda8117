import Testing
import Weir
import WeirTesting

/// A test case of an operator as diagrams: its sources, and the events for its subscribers.
///
/// The cases are based on the documentation of RxSwift, ReactiveSwift and Combine, not on their tests; if Weir differs, the
/// table says so.
struct PeerCase: CustomTestStringConvertible, Sendable {
    let sources: [String]
    let result: String
    let again: String?
    let names: [Character: String]
    let spans: [String]?

    /// - Parameters:
    ///   - sources: diagrams; '~' marks a cold source, the others are hot.
    ///   - result: the events that a subscriber hears; digits and letters are their own values.
    ///   - again: the events that another subscriber of the same signal hears.
    ///   - names: the values, as text, that characters represent.
    ///   - spans: the times between which the first source is subscribed to.
    init(
        _ sources: String..., gives result: String, again: String? = nil, names: [Character: String] = [:],
        spans: [String]? = nil
    ) {
        self.sources = sources
        self.result = result
        self.again = again
        self.names = names
        self.spans = spans
    }

    var testDescription: String { "\(sources) gives \(result)" + (again.map { " and \($0)" } ?? "") }

    /// Checks the signal that `make` makes from the sources.
    func check<Value>(_ make: (VirtualScheduler, [Signal<Int>]) -> Signal<Value>) throws {
        try marbles { m in
            let signals = sources.map { $0.hasPrefix("~") ? m.cold(String($0.dropFirst())) : m.hot($0) }
            let signal = make(m.scheduler, signals).map { "\($0)" }
            var values = names
            for character in "0123456789abcdefghijklmnopqrstuvwxyz" where values[character] == nil {
                values[character] = String(character)
            }
            m.expect(signal, result, values)
            if let again { m.expect(signal, again, values) }
            switch spans ?? [] {
            case let one where one.count == 1: m.expect(subscriptionsOf: signals[0], one[0])
            case let two where two.count == 2: m.expect(subscriptionsOf: signals[0], two[0], two[1])
            case let three where three.count == 3:
                m.expect(subscriptionsOf: signals[0], three[0], three[1], three[2])
            default: if spans != nil { m.expect(subscriptionsOf: signals[0]) }
            }
        }
    }
}

/// The error of closures.
struct Refusal: Error, Equatable {}

/// Returns `value`, unless it is 5: then it throws.
@Sendable
func refusingFive(_ value: Int) throws -> Int {
    if value == 5 { throw Refusal() }
    return value
}
