import Weir

/// The number of scenic spots and their lowest price: two values that come from one load.
///
/// Shows a pitfall of cold signals. Each of the two values is a chain of its own, with its own subscription to the load. A
/// cold load therefore runs twice:
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
