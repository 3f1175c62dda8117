import Weir

// A table is booked in four steps, each with a screen and a model of its own: guests, day, table, and the summary. A flow keeps what
// was chosen, screens come and go in both directions, and the restaurant may be full.

private struct Booking: Equatable, Sendable {
    var guests = 2
    var day = ""
    var table: Int?
    var note = ""
}

private struct Restaurant: Sendable {
    /// The free tables and their numbers of seats.
    func tables(on day: String) async -> [Int: Int] {
        try? await Task.sleep(for: .milliseconds(6))
        return day == "Saturday" ? [3: 2] : [1: 2, 2: 4, 3: 6]
    }

    func book(_ booking: Booking) async throws -> String {
        try await Task.sleep(for: .milliseconds(8))
        return "Table \(booking.table ?? 0), \(booking.day)"
    }
}

@MainActor private final class BookingFlow {
    enum Step: Int, CaseIterable, Sendable { case guests, day, table, summary }

    let booking = Observable(Booking())
    let step = Observable(Step.guests)
    let confirmation = Observable("")
    let restaurant = Restaurant()
    let canContinue: Combiner<Bool>

    init() {
        canContinue = .combine(booking, step, strategy: .settled) { booking, step in
            switch step {
            case .guests: (1...8).contains(booking.guests)
            case .day: !booking.day.isEmpty
            case .table: booking.table != nil
            case .summary: false
            }
        }
    }

    func goOn() {
        guard canContinue.value, let next = Step(rawValue: step.value.rawValue + 1) else { return }
        step.value = next
    }

    func goBack() {
        guard let previous = Step(rawValue: step.value.rawValue - 1) else { return }
        step.value = previous
    }
}

/// A screen of the flow; the navigation below shows one at a time.
@MainActor private class StepScreen {
    let title = Label()
    let bag = DisposeBag()

    init(_ title: String) { self.title.text = title }
}

@MainActor private final class GuestsScreen: StepScreen {
    let count = Label()
    let more = Button("+")
    let fewer = Button("−")

    init(_ flow: BookingFlow) {
        super.init("How many guests?")
        let guests = flow.booking.current.map(\.guests).removeDuplicates().share()
        guests.map { $0 == 1 ? "1 guest" : "\($0) guests" }.bind(to: count, \.text).disposed(by: bag)
        guests.subscribe { [weak self] guests in
            self?.more.isEnabled = guests < 8
            self?.fewer.isEnabled = guests > 1
        }.disposed(by: bag)
        more.onTap = { [weak flow] in flow?.booking.modify { $0.guests += 1 } }
        fewer.onTap = { [weak flow] in flow?.booking.modify { $0.guests -= 1 } }
    }
}

@MainActor private final class DayScreen: StepScreen {
    let chosen = Label()

    init(_ flow: BookingFlow) {
        super.init("Which day?")
        flow.booking.current.map(\.day).removeDuplicates().bind(to: chosen, \.text).disposed(by: bag)
    }
}

/// Its own model loads the tables that have seats enough.
@MainActor private final class TableScreen: StepScreen {
    let tables = Observable<[Int]>([])
    let isLoading = Observable(true)
    let spinner = Label()
    let hint = Label()
    private(set) var rows: [Int] = []
    private var loading: Task<Void, Never>?

    init(_ flow: BookingFlow) {
        super.init("Which table?")
        tables.subscribe { [weak self] in self?.rows = $0 }.disposed(by: bag)
        let empty: Combiner<Bool> = .combine(tables, isLoading, strategy: .settled) { $0.isEmpty && !$1 }
        empty.current.map { $0 ? "No table is free" : "" }.bind(to: hint, \.text).disposed(by: bag)
        isLoading.current.map { !$0 }.bind(to: spinner, \.isHidden).disposed(by: bag)
        let (booking, restaurant) = (flow.booking.value, flow.restaurant)
        loading = Trace.task { [weak self] in
            let free = await restaurant.tables(on: booking.day)
            guard !Task.isCancelled, let self else { return }
            batch {
                self.tables.value = free.filter { $0.value >= booking.guests }.map(\.key).sorted()
                self.isLoading.value = false
            }
        }
    }

    deinit { loading?.cancel() }
}

@MainActor private final class SummaryScreen: StepScreen {
    let text = Label()
    let done = Label()
    let book = Button("Book")
    private let order: Command<Booking, String>

    init(_ flow: BookingFlow) {
        order = Command { [restaurant = flow.restaurant] in try await restaurant.book($0) }
        super.init("Is this right?")
        flow.booking.current.map { "\($0.guests) guests on \($0.day), table \($0.table ?? 0)" }
            .bind(to: text, \.text).disposed(by: bag)
        order.values.bind(to: flow.confirmation).disposed(by: bag)
        order.isEnabled.bind(to: book, \.isEnabled).disposed(by: bag)
        flow.confirmation.bind(to: done, \.text).disposed(by: bag)
        book.onTap = { [weak self, weak flow] in
            guard let self, let flow else { return }
            order.execute(flow.booking.value)
        }
    }
}

@MainActor private final class Navigation {
    private(set) var screen: StepScreen?
    let next = Button("Next")
    let back = Button("Back")
    private let bag = DisposeBag()

    init(_ flow: BookingFlow) {
        flow.step.subscribe(initial: true) { [weak self, weak flow] step in
            guard let self, let flow else { return }
            if let former = screen { Trace.expectReleased(former) }
            screen = Self.screen(step, flow)
            back.isEnabled = step != .guests
        }.disposed(by: bag)
        flow.canContinue.bind(to: next, \.isEnabled).disposed(by: bag)
        next.onTap = { [weak flow] in flow?.goOn() }
        back.onTap = { [weak flow] in flow?.goBack() }
    }

    private static func screen(_ step: BookingFlow.Step, _ flow: BookingFlow) -> StepScreen {
        switch step {
        case .guests: GuestsScreen(flow)
        case .day: DayScreen(flow)
        case .table: TableScreen(flow)
        case .summary: SummaryScreen(flow)
        }
    }
}

@MainActor func wizard() async {
    let flow = BookingFlow()
    Trace.adopt(flow)
    let navigation = Navigation(flow)
    Window.screens = [navigation]

    func act(_ name: String, _ action: () -> Void) async {
        Trace.stimulus(name) { action() }
        await wait(milliseconds: 30)
        Trace.checkpoint(name)
    }
    func tap(_ button: Button?) async {
        button?.tap()
        await wait(milliseconds: 40)
        Trace.checkpoint("tap")
    }
    for _ in 1...2 { await tap((navigation.screen as? GuestsScreen)?.more) }
    await tap((navigation.screen as? GuestsScreen)?.fewer)
    await tap(navigation.next)
    await act("choose the day") { flow.booking.modify { $0.day = "Saturday" } }
    await tap(navigation.next)
    await reach((navigation.screen as? TableScreen)?.hint.text == "No table is free")
    await tap(navigation.back)
    await act("choose the day") { flow.booking.modify { $0.day = "Sunday" } }
    await tap(navigation.next)
    await reach((navigation.screen as? TableScreen)?.rows == [2, 3])
    await act("choose the table") { flow.booking.modify { $0.table = 2 } }
    await tap(navigation.next)
    await tap((navigation.screen as? SummaryScreen)?.book)
    await reach((navigation.screen as? SummaryScreen)?.done.text == "Table 2, Sunday")
}
