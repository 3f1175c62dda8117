import WeirDice

/// `weir-dice`: rolls until the sum is 36 and prints what it shows. With `WEIR_TRACE=dice.weir` in the environment, it
/// leaves a trace.
@main
enum DiceApp {
    @MainActor static func main() {
        DiceDemo.use { print($0) }
    }
}
