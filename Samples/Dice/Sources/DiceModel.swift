import Weir

/// Rolls a die, and says so when the numbers rolled so far add up to 36 or more.
///
/// Shows the two kinds of hot signals: `num` has a current value, `thirtySix` is an event that leaves none behind.
@MainActor final class DiceModel {
    let num = Observable(1)
    let thirtySix = Emitter<Void>()
    private var sum = 0
    private let die: () -> Int

    /// - Parameter die: gives the number of each roll; one that always gives the same makes every run the same.
    init(die: @escaping () -> Int) { self.die = die }

    func roll() {
        let number = die()
        num.value = number
        sum += number
        if sum >= 36 { thirtySix.emit() }
    }
}
