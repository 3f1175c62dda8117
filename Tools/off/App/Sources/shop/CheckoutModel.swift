import Observation
import Weir

/// A form with Weir's observables, combiners and a command.
final class CheckoutModel {
    let name = Observable("")
    let card = Observable("", privacy: .private)
    let coupon = Observable<String?>(nil)
    let lines = ObservableArray<String>()
    let isValid: Combiner<Bool>
    let summary: Combiner<String>
    private(set) lazy var pay = Command<Int, String>(enabledIf: isValid) { @MainActor [weak self] amount in
        .just("\(self?.name.value ?? "nobody") paid \(amount)")
    }

    init() {
        isValid = .combine(name, card, privacy: .public) { !$0.isEmpty && $1.count >= 4 }
        summary = .combine(name, coupon, strategy: .settled) { "\($0), coupon \($1 ?? "none")" }
    }
}

/// A plain class with traced properties.
final class CartModel {
    @Traced var count = 0
    @Traced(privacy: .private) var address = ""
    @Traced var tags: [String] = []
    var onChange: () -> Void = {}

    func changed() {
        withTracing("cart changed", count) { onChange() }
    }
}

/// An observable class that knows nothing of Weir.
@Observable
final class ProfileModel {
    var nickname = ""
    var age = 0
    var title: String { "\(nickname) (\(age))" }
}

/// A source of another library.
final class Feed {
    private var listeners: [(Int) -> Void] = []
    private let probe = TraceProbe("Feed", of: Int.self)

    func listen(_ listener: @escaping (Int) -> Void) {
        let subscription = probe.subscribed(owner: self)
        listeners.append { value in subscription.emitted(value) { listener(value) } }
    }

    func send(_ value: Int) { for listener in listeners { listener(value) } }
}

/// A size that a trace shows in a form of its own.
struct Size: TraceValueConvertible {
    var width = 0
    nonisolated var traceDescription: String { "a size" }
}
