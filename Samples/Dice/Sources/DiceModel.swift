import Weir

/// Rolls a die and emits an event when the sum of the rolls reaches 36.
///
/// Shows the two kinds of hot signals: `num` has a current value, `thirtySix` is an event without one.
@MainActor final class DiceModel {
    let num = Observable(1)
    let thirtySix = Emitter<Void>()
    private var sum = 0
    private let die: () -> Int

    /// - Parameter die: returns the number of each roll; a fixed sequence makes every run the same.
    init(die: @escaping () -> Int) { self.die = die }

    func roll() {
        let number = die()
        num.value = number
        sum += number
        if sum >= 36 { thirtySix.emit() }
    }
}
