import Weir

/// Rolls the dice in one fixed way.
@MainActor public enum DiceDemo {
    /// Makes the screen, rolls until the alert appears and once more, and releases the screen.
    ///
    /// - Parameters:
    ///   - seed: the same seed rolls the same numbers.
    ///   - scheduler: where the screen is updated.
    ///   - show: receives what the screen shows at first and after each action.
    public static func use(
        seed: UInt32 = 123_456, on scheduler: some Scheduler = .main, show: (String) -> Void = { _ in }
    ) {
        do {
            let model = DiceModel(die: seededDie(seed))
            let view = DiceView()
            Trace.adopt(model)
            Trace.adopt(view)
            view.bind(to: model, on: scheduler)
            show(view.shown)
            while view.alert == nil {
                view.tapRoll()
                show(view.shown)
            }
            view.closeAlert()
            show(view.shown)
            view.tapRoll()
            show(view.shown)
        }
        Trace.checkpoint("dice closed")
    }

    /// A die that rolls the same numbers for the same seed: the 'minimal standard' generator of Park and Miller.
    nonisolated static func seededDie(_ seed: UInt32) -> () -> Int {
        var state = UInt64(max(seed, 1))
        return {
            state = state * 48271 % 0x7FFF_FFFF
            return Int(state * 6 / 0x7FFF_FFFF) + 1
        }
    }
}
