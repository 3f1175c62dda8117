import Weir

// A weather station of the observer pattern, as apps have it that are older than Combine: a model announces each change to a
// list of observers. Two lines are changed for Weir.

/// A list of closures that hear each change; the shape of `objectWillChange`.
final class WeatherChanges<Value> {
    /// Ends when it is cancelled or released.
    final class Token {
        private var onCancel: (() -> Void)?

        fileprivate init(_ onCancel: @escaping () -> Void) { self.onCancel = onCancel }

        deinit { onCancel?() }

        func cancel() {
            onCancel?()
            onCancel = nil
        }
    }

    private var observers: [(key: Int, call: (Value) -> Void)] = []
    private var lastKey = 0

    var count: Int { observers.count }

    func observe(_ call: @escaping (Value) -> Void) -> Token {
        lastKey += 1
        let key = lastKey
        observers.append((key, call))
        return Token { [weak self] in self?.observers.removeAll { $0.key == key } }
    }

    func send(_ value: Value) {
        withTracing("changed", "\(value)") { for observer in observers { observer.call(value) } }  // changed line
    }
}

/// What the instruments say.
struct WeatherReading: Equatable, CustomStringConvertible {
    var celsius = 15.0
    var humidity = 50
    var hectopascals = 1013

    var description: String { "\(celsius)° \(humidity) % \(hectopascals) hPa" }
}

/// The station: it announces each write of a property.
final class WeatherStation {
    let changes = WeatherChanges<WeatherReading>()
    private(set) var reading = WeatherReading()

    // A fault: an instrument that repeats its last value makes everybody look again.
    var celsius: Double {
        get { reading.celsius }
        set {
            reading.celsius = newValue
            changes.send(reading)
        }
    }

    var humidity: Int {
        get { reading.humidity }
        set {
            guard newValue != reading.humidity else { return }
            reading.humidity = newValue
            changes.send(reading)
        }
    }

    var hectopascals: Int {
        get { reading.hectopascals }
        set {
            guard newValue != reading.hectopascals else { return }
            reading.hectopascals = newValue
            changes.send(reading)
        }
    }

    /// A front arrives. A fault: three announcements where one would do.
    func frontArrives(_ new: WeatherReading) {
        celsius = new.celsius
        humidity = new.humidity
        hectopascals = new.hectopascals
    }
}

/// The highest and the lowest temperature.
final class WeatherStatistics {
    private(set) var highest = -Double.infinity
    private(set) var lowest = Double.infinity
    private(set) var readings = 0
    private var token: WeatherChanges<WeatherReading>.Token?

    init(_ station: WeatherStation) {
        token = station.changes.observe { [weak self] in self?.note($0) }
    }

    var text: String {
        readings == 0 ? "no readings" : "from \(lowest)° to \(highest)°"
    }

    private func note(_ reading: WeatherReading) {
        readings += 1
        highest = max(highest, reading.celsius)
        lowest = min(lowest, reading.celsius)
    }
}

/// Warns of frost and storm.
final class WeatherAlarm {
    enum Warning: String { case frost, storm }

    private(set) var warnings: Set<Warning> = []
    private(set) var rings = 0
    private var token: WeatherChanges<WeatherReading>.Token?
    private var last: WeatherReading?

    init(_ station: WeatherStation) {
        token = station.changes.observe { [weak self] in self?.judge($0) }
    }

    func mute() {
        token?.cancel()
        token = nil
    }

    private func judge(_ reading: WeatherReading) {
        var now: Set<Warning> = []
        if reading.celsius <= 0 { now.insert(.frost) }
        if let last, last.hectopascals - reading.hectopascals >= 10 { now.insert(.storm) }
        if !now.subtracting(warnings).isEmpty { rings += 1 }
        warnings = now
        last = reading
    }
}

/// The last readings, for a small chart.
final class WeatherHistory {
    private var readings: [WeatherReading] = []
    private let most: Int

    init(most: Int) { self.most = most }

    func note(_ reading: WeatherReading) {
        if readings.count == most { readings.removeFirst() }
        readings.append(reading)
    }

    /// Whether it gets warmer or colder.
    var trend: String {
        guard let first = readings.first, let last = readings.last, first.celsius != last.celsius else { return "→" }
        return first.celsius < last.celsius ? "↑" : "↓"
    }
}

/// The units that a user prefers.
enum WeatherUnit {
    case celsius, fahrenheit

    func text(_ celsius: Double) -> String {
        switch self {
        case .celsius: "\(Int(celsius.rounded()))°"
        case .fahrenheit: "\(Int((celsius * 9 / 5 + 32).rounded())) F"
        }
    }
}

/// The screen with the headline.
final class WeatherScreen {
    @Traced private(set) var headline = "–"  // changed line
    private(set) var detail = ""
    let station: WeatherStation
    private let statistics: WeatherStatistics
    private let history = WeatherHistory(most: 24)
    private var token: WeatherChanges<WeatherReading>.Token?
    private(set) var isPaused = false

    var unit = WeatherUnit.celsius {
        didSet { if unit != oldValue { show(station.reading) } }
    }

    init(_ station: WeatherStation, statistics: WeatherStatistics) {
        (self.station, self.statistics) = (station, statistics)
        resume()
    }

    func resume() {
        isPaused = false
        // A fault: the station holds this closure, and the screen holds the station.
        token = station.changes.observe { reading in self.show(reading) }
    }

    /// Nothing is shown while the screen is in the background.
    func pause() {
        isPaused = true
        token?.cancel()
        token = nil
    }

    private func show(_ reading: WeatherReading) {
        headline = unit.text(reading.celsius) + sky(reading)
        history.note(reading)
        detail = "\(history.trend) \(statistics.text), \(reading.humidity) % humidity"
    }

    private func sky(_ reading: WeatherReading) -> String {
        switch (reading.hectopascals, reading.humidity) {
        case (..<1000, _): " stormy"
        case (_, 85...): " wet"
        case (1020..., _): " sunny"
        default: ""
        }
    }
}
