/// The values in a random program.
package protocol SoakValue: Equatable, Sendable {
    init(_ number: Int)
    var number: Int { get }
}

/// Compared in place, inside the gate of an observable.
extension Int: SoakValue {
    package var number: Int { self }
}

/// Compared by a user's `==`, and on the heap: reading a value while it is replaced would crash.
package struct SoakText: SoakValue, Hashable {
    private let text: String

    package init(_ number: Int) { text = "number \(number)" }
    package var number: Int { Int(text.dropFirst(7)) ?? -1 }
}
