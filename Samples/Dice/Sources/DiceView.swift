import Weir

/// The screen of the dice without a screen: it can be tapped, and it says what it shows.
@MainActor final class DiceView {
    private(set) var label = ""
    /// The last number rolled, shouted; nothing before the first roll.
    private(set) var shout = ""
    private(set) var alert: String?
    let rollButtonTouched = Emitter<Void>()
    private let bag = DisposeBag()

    init() {}

    /// Shows the model's values on `scheduler`, and forwards the user's actions to the model.
    func bind(to model: DiceModel, on scheduler: some Scheduler = .main) {
        model.num.current.map(String.init).deliver(on: scheduler).bind(to: self, \.label).disposed(by: bag)
        // Without `current`, it receives only later rolls.
        model.num.map { "\($0)!!!" }.deliver(on: scheduler).bind(to: self, \.shout).disposed(by: bag)
        model.thirtySix.deliver(on: scheduler).subscribe { [weak self] in
            self?.alert = "36!"
        }.disposed(by: bag)
        rollButtonTouched.subscribe { model.roll() }.disposed(by: bag)
    }

    // MARK: The user

    /// Nothing happens while an alert is in the way.
    func tapRoll() {
        Trace.stimulus("tap Roll") { if alert == nil { rollButtonTouched.emit() } }
        Trace.frame()
    }

    func closeAlert() {
        Trace.stimulus("close alert") { alert = nil }
        Trace.frame()
    }

    /// The visible state, in one line.
    var shown: String { "[\(label)] \(shout)\(alert.map { " <\($0)>" } ?? "")" }
}
