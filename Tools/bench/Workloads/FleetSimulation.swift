import Foundation
import WeirTrace

/// Makes many small traces of several apps with a known truth, to check the answers about a fleet.
///
/// Each app has screens with a view each. A tap writes a value, which is sometimes the former one. Between the two builds, one
/// screen of each app is made to repeat values more often, and one handler of the first app to take longer. One app leaks a
/// controller in 3 % of its runs. A fifth of the devices are slow.
struct FleetSimulation {
    static let builds = ["411", "412"]
    private static let screens = 4
    private static let taps = 24
    private static let days = 14
    /// The first day: 2026-11-01.
    private static let start: Int64 = 1_793_491_200_000_000_000

    let folder: String
    let traces: Int
    let apps: Int
    let seed: UInt64

    private struct Random {
        var state: UInt64

        mutating func next() -> Double {
            state &+= 0x9E37_79B9_7F4A_7C15
            var bits = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
            bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
            return Double((bits ^ bits >> 31) >> 11) * 0x1p-53
        }
    }

    private func app(_ index: Int) -> String { "App\(index + 1)" }
    private func node(_ app: Int, _ screen: Int) -> String { "\(self.app(app)).Screen\(screen + 1)Model.title" }
    private func regressedScreen(_ app: Int) -> Int { app % Self.screens }
    private func leaks(_ app: Int) -> Bool { app == apps - 1 }

    func make() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        var leaking: [String] = []
        var ofLeakyApp = 0
        for number in 0..<traces {
            let app = number % apps
            var random = Random(state: seed &* 0x1_0000_0001 &+ UInt64(number))
            // Every 33rd run of that app: the share is exact, so that small fleets have leaks, too.
            let leaks = leaks(app) && number / apps % 33 == 5
            let name = String(format: "run-%06d.weir", number)
            if self.leaks(app) { ofLeakyApp += 1 }
            if leaks { leaking.append(name) }
            try record(name, number, app, leaks: leaks, &random)
        }
        let truth: [String: Any] = [
            "seed": seed, "traces": traces, "apps": apps, "builds": Self.builds, "slow_device": "iPhone8,1",
            "redundancy_regressions": (0..<apps).map {
                ["app": self.app($0), "name": node($0, regressedScreen($0))]
            },
            "time_regressions": [["app": app(0), "name": node(0, (regressedScreen(0) + 1) % Self.screens)]],
            "leaks": ["app": app(apps - 1), "runs": leaking, "runs_of_app": ofLeakyApp],
        ]
        try JSONSerialization.data(withJSONObject: truth, options: [.prettyPrinted, .sortedKeys]).write(
            to: URL(fileURLWithPath: folder + "/truth.json"))
    }

    private func record(_ name: String, _ number: Int, _ app: Int, leaks: Bool, _ random: inout Random) throws {
        let build = number / apps % 2
        let isSlow = random.next() < 0.2
        let path = folder + "/" + name
        let descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC, 0o600)
        guard descriptor >= 0 else { throw BenchmarkError("cannot write \(path)") }
        defer { close(descriptor) }
        var trace = TraceAssembler(descriptor: descriptor)
        for screen in 0..<Self.screens {
            let file = "\(self.app(app))/Screen\(screen + 1)View.swift"
            let id = UInt32(screen + 1)
            try trace.add(
                TraceNode(
                    id: id, rawKind: NodeKind.observable.rawValue, isPrivate: false, technique: .weir,
                    label: node(app, screen), valueType: "Int", site: TraceSite(file: file, line: 10 + build),
                    owner: nil, value: .notRecorded))
            try trace.add(
                TraceSubscription(
                    id: id, source: id, target: nil, isInternal: false, isTiming: false,
                    site: TraceSite(file: file, line: 20 + build), owner: nil))
        }
        try trace.add(TraceObject(id: 1, type: "Screen1Controller", label: nil))
        var now: UInt64 = 1000
        func event(
            _ kind: EventKind, _ subject: UInt32 = 0, delivers: Bool = false, text: String = "",
            value: TraceValue = .notRecorded
        ) -> TraceEvent {
            TraceEvent(
                id: EventID(thread: 1, sequence: 0), kind: kind, ticks: now, isStamped: true, subject: subject,
                delivers: delivers, text: text, value: value)
        }
        for screen in 0..<Self.screens {
            try trace.add(event(.nodeCreated, UInt32(screen + 1)))
            try trace.add(event(.subscriptionStarted, UInt32(screen + 1)))
        }
        try trace.add(event(.objectTracked, 1))
        var values = [Int64](repeating: 0, count: Self.screens)
        for tap in 0..<Self.taps {
            let screen = tap % Self.screens
            let isRegressed = build == 1 && screen == regressedScreen(app)
            if tap < Self.screens || random.next() >= (isRegressed ? 0.5 : 0.1) { values[screen] += 1 }
            let isLonger = build == 1 && app == 0 && screen == (regressedScreen(0) + 1) % Self.screens
            // Between 0.1 and 0.4 ms; a slow device takes three times as long.
            let time = 100_000 * (1 + 3 * random.next()) * (isSlow ? 3 : 1) * (isLonger ? 3 : 1)
            let id = UInt32(screen + 1)
            now += 1_000_000_000
            try trace.add(event(.stimulusBegan, text: "tap screen \(screen + 1)"))
            try trace.add(event(.emitted, id, delivers: true, value: .signed(values[screen])))
            try trace.add(event(.deliveryBegan, id))
            now += UInt64(time)
            try trace.add(event(.deliveryEnded))
            try trace.add(event(.stimulusEnded))
            try trace.add(event(.frame))
        }
        now += 1_000_000
        try trace.add(event(.objectExpected, 1))
        if !leaks { try trace.add(event(.objectReleased, 1)) }
        try trace.add(event(.checkpoint, text: "screen closed"))
        for screen in 0..<Self.screens {
            try trace.add(event(.subscriptionEnded, UInt32(screen + 1)))
            try trace.add(event(.nodeReleased, UInt32(screen + 1)))
        }
        var header = TraceAssembler.Header()
        header.processID = UInt32(number + 1)
        header.program = self.app(app)
        header.startWallClock =
            Self.start + Int64(number * Self.days / max(1, traces)) * 86_400_000_000_000 + Int64(number)
        header.labels = [
            "app": self.app(app), "build": Self.builds[build], "device": isSlow ? "iPhone8,1" : "iPhone15,2",
            "test": "TapTests/all",
        ]
        try trace.finish(header)
    }
}
