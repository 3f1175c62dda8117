import Weir

/// How many scenic spots there are, and from which price on: two things to show that come from one load.
///
/// Shows the trap of cold signals. Each of the two is a chain of its own, and ends in a subscription of its own to what is
/// loaded. So a cold load runs twice:
/// ```swift
/// HeadlineModel(server.scenics())          // two requests
/// HeadlineModel(server.scenics().share())  // one
/// ```
final class HeadlineModel: Sendable {
    let count: Signal<String>
    let lowestPrice: Signal<String>

    init(_ scenics: Signal<[Scenic]>) {
        count = scenics.map { "\($0.count) spots" }
        lowestPrice = scenics.map { "from ¥\(amount: $0.map(\.lowestPrice).min() ?? 0)" }
    }
}
