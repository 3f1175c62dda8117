/// The work of handlers: they add. It keeps them from being optimised away, and can be checked.
final class Tally: @unchecked Sendable {  // Each belongs to the one thread that is measured.
    // A handler should cost as little as possible, so that the code around it is measured.
    @exclusivity(unchecked) var calls = 0
    @exclusivity(unchecked) var sum = 0

    func add(_ value: Int) {
        calls &+= 1
        sum &+= value
    }
}
