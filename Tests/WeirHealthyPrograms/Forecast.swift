import Dispatch
import Weir

// A weather forecast made of signals: the place of the device, two requests for each place, polling with retries and a growing
// wait, a shared result for several views, a unit that the user chooses, and a chart that is scrolled.

private struct Forecast: Hashable, Sendable {
    let place: String
    let degrees: Int
    let rain: Int
}

private enum ForecastError: Error { case busy }

/// A server whose every third answer is an error.
private actor ForecastServer {
    private var requests = 0

    func degrees(in place: String) async throws -> Int {
        requests += 1
        let number = requests
        try await Task.sleep(for: .milliseconds(6))
        if number.isMultiple(of: 3) { throw ForecastError.busy }
        return place.count + number
    }

    func rain(in place: String) async throws -> Int {
        try await Task.sleep(for: .milliseconds(9))
        return place.count * 7 % 100
    }
}

@MainActor private final class ForecastModel {
    enum Unit: Equatable, Sendable { case celsius, fahrenheit }

    /// The device reports its place more often than it changes.
    let located = Emitter<String>()
    let refreshed = Emitter<Void>()
    let unit = Observable(Unit.celsius)
    let message = Observable("")
    let forecast: Signal<Forecast>
    let temperature: Signal<String>

    init(_ server: ForecastServer, pollingEvery interval: DispatchTimeInterval) {
        let place = located.removeDuplicates().replay(1)
        let polls = Signal.interval(interval, on: .main).map { _ in }
        let again = polls.merge(refreshed).withLatest(from: place) { $1 }
        forecast = place.merge(again).flatMap(.latest) { [message] place in
            Signal { try await server.degrees(in: place) }
                .zip(Signal { try await server.rain(in: place) }) {
                    Forecast(place: place, degrees: $0, rain: $1)
                }
                .retry(2, after: .exponential(from: .milliseconds(10), upTo: .milliseconds(40)), on: .main)
                .timeout(.milliseconds(500), on: .main)
                .catch { error in
                    message.value = "\(error)"
                    return .empty()
                }
        }.deliver(on: .main).replay(1)
        temperature = forecast.map(\.degrees).combineLatest(unit.current) { degrees, unit in
            unit == .celsius ? "\(degrees) °C" : "\(degrees * 9 / 5 + 32) °F"
        }.removeDuplicates()
    }
}

@MainActor private final class ForecastScreen {
    let place = Label()
    let temperature = Label()
    let rain = Label()
    let toast = Label()
    let chart = Label()
    let scrolled = Emitter<Int>()
    private(set) var history: [Int] = []
    private let bag = DisposeBag()

    init(_ model: ForecastModel) {
        model.forecast.map(\.place).removeDuplicates().bind(to: place, \.text).disposed(by: bag)
        model.forecast.map { "\($0.rain) %" }.removeDuplicates().bind(to: rain, \.text).disposed(by: bag)
        model.temperature.bind(to: temperature, \.text).disposed(by: bag)
        model.message.bind(to: toast, \.text).disposed(by: bag)
        model.forecast.scan([]) { Array(($0 + [$1.degrees]).suffix(8)) }.subscribe { [weak self] in
            self?.history = $0
        }.disposed(by: bag)
        scrolled.throttle(.milliseconds(20), on: .main).map { "from hour \($0 / 40)" }.removeDuplicates()
            .bind(to: chart, \.text).disposed(by: bag)
    }
}

@MainActor func forecast() async {
    let model = ForecastModel(ForecastServer(), pollingEvery: .milliseconds(90))
    Trace.adopt(model)
    var screen: ForecastScreen? = ForecastScreen(model)
    if let screen { Trace.adopt(screen) }

    for place in ["Shizuoka", "Shizuoka", "Shizuoka", "Tokyo", "Tokyo"] {
        withTracing("location") { model.located.emit(place) }
        await wait(milliseconds: 50)
    }
    Trace.stimulus("choose Fahrenheit") { model.unit.value = .fahrenheit }
    await wait(milliseconds: 30)
    for offset in stride(from: 0, through: 400, by: 16) {
        Trace.stimulus("scroll") { screen?.scrolled.emit(offset) }
        await wait(milliseconds: 8)
    }
    await wait(milliseconds: 30)
    Trace.stimulus("pull to refresh") { model.refreshed.emit() }
    await wait(milliseconds: 80)
    await reach(screen?.place.text == "Tokyo" && screen?.temperature.text.hasSuffix("°F") == true)
    await reach(screen?.chart.text == "from hour 10")

    Trace.stimulus("close") {
        if let screen { Trace.expectReleased(screen) }
        screen = nil
    }
    Trace.checkpoint("closed")
    await wait(milliseconds: 120)
}
