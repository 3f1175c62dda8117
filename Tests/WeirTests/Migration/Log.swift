import Weir

/// The events that signals have delivered, as text: "1 2 |".
@MainActor
final class Log {
    private var words: [String] = []
    private let bag = DisposeBag()

    var text: String { words.joined(separator: " ") }

    func note(_ word: some Any) { words.append("\(word)") }

    /// Logs the events of `signal` from now on; '|' is a completion, '#' a failure.
    @discardableResult
    func hear<Value>(_ signal: Signal<Value>, _ prefix: String = "") -> Disposable {
        let subscription = signal.subscribeEvents { event in
            switch event {
            case .next(let value): self.note("\(prefix)\(value)")
            case .completed: self.note("\(prefix)|")
            case .failed: self.note("\(prefix)#")
            }
        }
        subscription.disposed(by: bag)
        return subscription
    }

    /// The events that a signal delivers during the subscription.
    static func of<Value>(_ signal: Signal<Value>) -> String {
        let log = Log()
        log.hear(signal)
        return log.text
    }
}

/// The error of the sources.
struct NoNetwork: Error, Equatable {}
