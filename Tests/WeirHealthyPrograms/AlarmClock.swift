import Weir

// The settings of an alarm clock: a plain class with traced properties, which screens observe through property wrappers' nodes.
// Alarms repeat on weekdays, a new time suggests a bedtime, and one switch turns everything off.

private struct Alarm: Equatable, Sendable {
    enum Weekday: Int, CaseIterable, Sendable { case monday, tuesday, wednesday, thursday, friday, saturday, sunday }

    var hour: Int
    var minute: Int
    var days: Set<Weekday> = []

    var time: String { "\(hour):\(minute < 10 ? "0" : "")\(minute)" }

    /// The time to go to bed, which may be on the day before.
    func bedtime(sleeping hours: Int) -> String { Alarm(hour: (hour - hours + 24) % 24, minute: minute).time }

    var repetition: String {
        switch days.count {
        case 0: "once"
        case 7: "every day"
        default:
            days == [.saturday, .sunday]
                ? "at weekends"
                : days.sorted { $0.rawValue < $1.rawValue }.map { "\($0)".prefix(3) }.joined(separator: " ")
        }
    }
}

@MainActor private final class AlarmClock {
    @Traced var alarm = Alarm(hour: 7, minute: 0)
    @Traced var isOn = true
    @Traced var snoozeMinutes = 5
    @Traced var volume = 60
    @Traced var sleepHours = 8
    @Traced var isRinging = false
    @Traced var snoozes = 0
    /// The sounds played so far, for the test of the speaker.
    private(set) var played: [String] = []

    func set(hour: Int, minute: Int) {
        batch {
            alarm = Alarm(hour: hour, minute: minute, days: alarm.days)
            isOn = true
        }
    }

    func toggle(_ day: Alarm.Weekday) { alarm.days.formSymmetricDifference([day]) }

    func ring() {
        guard isOn else { return }
        isRinging = true
        if volume > 0 { played.append("ring at \(volume) %") }
    }

    func snooze() {
        guard isRinging else { return }
        batch {
            isRinging = false
            snoozes += 1
        }
    }

    func stop() {
        batch {
            isRinging = false
            snoozes = 0
            // An alarm without weekdays rings once.
            if alarm.days.isEmpty { isOn = false }
        }
    }

    func previewVolume(_ volume: Int) {
        self.volume = volume
        played.append("beep at \(volume) %")
    }
}

@MainActor private final class AlarmScreen {
    let time = Label()
    let repetition = Label()
    let bedtime = Label()
    let snoozeHint = Label()
    let speaker = Label()
    let banner = Label()
    let snooze = Button("Snooze")
    let stop = Button("Stop")
    let power = Button("On")
    private let bag = DisposeBag()

    init(_ clock: AlarmClock) {
        let alarm = clock.$alarm.current
        alarm.map(\.time).removeDuplicates().bind(to: time, \.text).disposed(by: bag)
        alarm.map(\.repetition).removeDuplicates().bind(to: repetition, \.text).disposed(by: bag)
        let night: Combiner<String> = .combine(clock.$alarm, clock.$sleepHours, strategy: .settled) { alarm, hours in
            "in bed by \(alarm.bedtime(sleeping: hours))"
        }
        night.bind(to: bedtime, \.text).disposed(by: bag)
        clock.$snoozeMinutes.current.map { "\($0) more minutes" }.bind(to: snoozeHint, \.text).disposed(by: bag)
        clock.$volume.current.map { $0 == 0 ? "silent" : "\($0) %" }.bind(to: speaker, \.text).disposed(by: bag)
        clock.$isRinging.subscribe(initial: true) { [weak self] isRinging in
            self?.banner.isHidden = !isRinging
            self?.snooze.isEnabled = isRinging
            self?.stop.isEnabled = isRinging
        }.disposed(by: bag)
        clock.$snoozes.filter { $0 > 0 }.map { "snoozed \($0)×" }.bind(to: banner, \.text).disposed(by: bag)
        clock.$isOn.current.map { $0 ? "Turn off" : "Turn on" }.bind(to: power, \.title).disposed(by: bag)
        snooze.onTap = { [weak clock] in clock?.snooze() }
        stop.onTap = { [weak clock] in clock?.stop() }
        power.onTap = { [weak clock] in clock?.isOn.toggle() }
    }
}

@MainActor func settings() async {
    let clock = AlarmClock()
    Trace.adopt(clock)
    var screen: AlarmScreen? = AlarmScreen(clock)
    if let screen { Trace.track(screen) }

    func act(_ name: String, _ action: () -> Void) async {
        Trace.stimulus(name) { action() }
        await wait(milliseconds: 20)
    }
    await act("spin the hour") { clock.alarm.hour = 6 }
    await act("spin the minute") { clock.alarm.minute = 30 }
    for day in [Alarm.Weekday.saturday, .sunday] { await act("choose a day") { clock.toggle(day) } }
    for volume in [45, 20, 0, 35] { await act("slide the volume") { clock.previewVolume(volume) } }
    await act("sleep longer") { clock.sleepHours = 9 }
    await act("snooze longer") { clock.snoozeMinutes = 10 }
    screen?.power.tap()
    await wait(milliseconds: 20)
    await act("the time comes") { clock.ring() }
    await act("choose a time") { clock.set(hour: 6, minute: 45) }
    for _ in 1...2 {
        await act("the time comes") { clock.ring() }
        screen?.snooze.tap()
        await wait(milliseconds: 20)
    }
    await act("the time comes") { clock.ring() }
    screen?.stop.tap()
    await wait(milliseconds: 20)
    await reach(screen?.repetition.text == "at weekends" && screen?.bedtime.text == "in bed by 21:45")
    await reach(clock.isOn && clock.played.count == 7 && screen?.banner.text == "snoozed 2×")

    Trace.stimulus("close") {
        if let screen { Trace.expectReleased(screen) }
        screen = nil
    }
    Trace.checkpoint("closed")
}
