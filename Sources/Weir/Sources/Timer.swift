import Dispatch
import WeirRecording

extension Signal where Value == Void {
    /// One value after `delay` since the subscription, then the completion.
    ///
    ///     timer(3, on:): ---(x|)
    ///
    /// In a trace its cause is the emission during which the subscription was made, as of a wait inside `flatMap`; made outside of
    /// any, it is a stimulus of its own. If the scheduler refuses, the signal fails with its error.
    public static func timer(
        _ delay: DispatchTimeInterval, on scheduler: some Scheduler, file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<Void> {
        let delay = delay.waitingTime
        return Signal(.source, privacy: .public, file: file, line: line) { _, sink in
            let alarm = Alarm(on: scheduler)
            let links = SourceLinks(feeding: sink) { alarm.cancel() }
            let hop = Hop.ofSubscription()
            return links.token {
                alarm.set(after: delay, links) {
                    hop.run(of: links.downstream) {
                        links.downstream.emit(())
                        links.finish(.completed)
                    }
                }
            }
        }
    }
}

extension Signal where Value == Int {
    /// 0, 1, 2 and so on, one after each `period` since the subscription.
    ///
    ///     interval(3, on:): ---0--1--2--…
    ///
    /// A beat is omitted while the previous one is still being handled. In a trace each beat is a stimulus of its own: only time
    /// causes it. If the scheduler refuses, the signal fails with its error.
    ///
    /// - Precondition: `period` is positive.
    public static func interval(
        _ period: DispatchTimeInterval, on scheduler: some Scheduler, file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<Int> {
        precondition(period.waitingTime > 0, "interval(\(period)): the period has to be positive")
        let period = period.waitingTime
        return Signal(.source, privacy: .public, file: file, line: line) { _, sink in
            let alarm = Alarm(on: scheduler)
            let beats = Beats(period: period, since: alarm.now, alarm)
            let links = SourceLinks(feeding: sink) { alarm.cancel() }
            return links.token { beats.wait(for: 0, after: alarm.now, links) }
        }
    }
}

/// The beats of one subscription to an interval.
private final class Beats: Sendable {
    let period: UInt64
    let begin: UInt64
    let alarm: Alarm

    init(period: UInt64, since begin: UInt64, _ alarm: Alarm) {
        self.period = period
        self.begin = begin
        self.alarm = alarm
    }

    /// - Parameter last: the time at which the last beat was due; a timer may ring a little early.
    func wait(for number: Int, after last: UInt64, _ links: SourceLinks<Int>) {
        let now = alarm.now
        let due = max(now, last + 1).nextBeat(of: period, since: begin)
        alarm.set(after: due == .max ? .max : due - now, links) {
            Hop.uncaused.run(of: links.downstream) { links.downstream.emit(number) }
            self.wait(for: number + 1, after: due, links)
        }
    }
}
