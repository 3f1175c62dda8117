import Testing
import Weir

extension Everything.AskingOtherProcesses.StandInTests {
    /// Written down first, from reading the model and what its user does.
    private enum Weather {
        static let why = ["night", "changed = -1.0° 90 % 995 hPa", "WeatherScreen.headline = -1° stormy"]
        /// The last of three announcements.
        static let whyAfterFront = ["front", "changed = 9.0° 90 % 995 hPa", "WeatherScreen.headline = 9° stormy"]
        /// 8.9° is shown as 9°.
        static let whyNotAfterSlightDrop = ["equal WeatherScreen.headline"]
        /// The screen has cancelled its observation: the list is notified, and nobody in it writes the headline.
        static let whyNotInBackground = ["handlerDidNotWrite WeatherScreen.headline"]
        static let redundant: Set<String> = [
            // The thermometer repeats 18°.
            "warning repeated-value changed ×1",
            // The front writes three properties.
            "note burst changed ×2",
        ]
        static let leaks: Set<String> = ["retain-cycle WeatherChanges<WeatherReading>, WeatherScreen, WeatherStation"]
        static let graph: Set<String> = ["changed ⇢ headline"]
    }

    private func watchWeather() {
        let station = WeatherStation()
        let statistics = WeatherStatistics(station)
        let alarm = WeatherAlarm(station)
        let screen = WeatherScreen(station, statistics: statistics)
        Trace.adopt(screen)
        act("morning") { station.celsius = 18 }
        act("noon") { station.celsius = 18 }
        act("front") { station.frontArrives(WeatherReading(celsius: 9, humidity: 90, hectopascals: 995)) }
        act("slight drop") { station.celsius = 8.9 }
        act("to the background") { screen.pause() }
        act("evening") { station.celsius = 4 }
        act("back again") { screen.resume() }
        act("night") { station.celsius = -1 }
        #expect(alarm.warnings == [.frost] && alarm.rings == 2 && station.changes.count == 3)
        #expect(screen.detail == "↓ from -1.0° to 18.0°, 90 % humidity")
    }

    @Test func `A weather station with a list of observers`() async throws {
        let answers = try await StandInAnswers { watchWeather() }
        try expect(answers.why("WeatherScreen.headline"), Weather.why)
        try expect(answers.why("WeatherScreen.headline", at: "front"), Weather.whyAfterFront)
        try expect(answers.whyNot("WeatherScreen.headline", after: "slight drop"), Weather.whyNotAfterSlightDrop)
        try expect(answers.whyNot("WeatherScreen.headline", after: "evening"), Weather.whyNotInBackground)
        try expect(answers.redundant(), Weather.redundant)
        try expect(answers.leaks(), Weather.leaks)
        try expect(answers.linesOfLeaks(), ["WeirTests/Weather.swift"])
        try expect(answers.graph(), Weather.graph)
    }
}
