import Weir
import WeirTrace

@testable import WeirAnalysis

/// Random programs that ask for the answers to values.
enum RandomRequests {
    private final class Model: Sendable {
        let source = Emitter<Int>()

        init() { Trace.adopt(self) }
    }

    static func run(seed: UInt64, latest: Bool = false, _ isCured: Bool, _ screen: Screen) {
        var random = SeededGenerator(seed: seed)
        func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
        let strategy: FlattenStrategy = [.latest, .merge, .first, .concat][below(4)]
        let kind = below(3)
        let (model, answers) = (Model(), Emitter<Int>())
        let queries: Signal<Int> = isCured && !latest ? model.source.removeDuplicates() : model.source
        let results = queries.flatMap(latest ? isCured ? .latest : .merge : strategy) { query -> Signal<Int> in
            switch kind {
            case 0: .just(query).map { $0 + 1 }
            case 1: answers.map { $0 * 10 + query }.take(1)
            default: answers.map { $0 * 10 + query }.startWith(query)
            }
        }
        let subscription = results.map { $0 % 7 }.subscribe { _ in screen.show() }
        for _ in 0..<(4 + below(12)) {
            if below(3) == 0 {
                Trace.stimulus("answer") { answers.emit(below(5)) }
            } else {
                Trace.stimulus("ask") { model.source.emit(below(2)) }
            }
        }
        subscription.dispose()
    }
}
