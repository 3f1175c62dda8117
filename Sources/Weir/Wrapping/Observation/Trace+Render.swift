import CWeir
import Observation
import WeirTrace

extension Trace {
    /// Runs `body` now, and again whenever an observable model that it reads has changed, as SwiftUI runs the body of a view.
    ///
    /// ```swift
    /// let rendering = Trace.render("LoginView.body") { [weak model] in
    ///     label.text = model?.name ?? ""
    ///     return label.text
    /// }
    /// ```
    /// Changes of one turn of `scheduler` make one run, in a later turn; with `.immediate`, a write through `Trace.wrap` runs it as soon
    /// as the value is stored. A trace shows a node of that name, fed by each property that the last run has read; each run is a
    /// refresh, as long as it took, whose value is what `body` returns, and whose cause is the first write that made it necessary.
    /// So let `body` return what it shows: a run that shows what was shown before is a redundant refresh, told as `repeated-value`, and
    /// its evidence names the property that the body should not depend on. What is shown is private where the body reads a private property
    /// that Weir knows of, unless it is a Bool. A write of what the body has read before, in the body itself, is not shown: as in SwiftUI, nothing runs it
    /// again; it is told as `feedback`.
    ///
    /// Properties are named, and their writes recorded, of models that are wrapped, observed or adopted; of others only reads are
    /// known, by the type's name. Where the system's library does not tell what was read (see the guide), only reads through `Trace.wrap`
    /// are.
    ///
    /// Releasing the result ends nothing. What the body holds is held by the models that it reads, until it is disposed or has nothing
    /// to read any more: as with any subscription, let it hold them weakly. Cost of a run, recorded or not: two allocations, and a
    /// tracking of the Observation module.
    ///
    /// - Parameters:
    ///   - scheduler: where the body may run, mostly `.main`; it first runs here. It is to be serial. A body that is made in an
    ///     actor's isolation runs there, a moment later if the scheduler's thread is not in it.
    ///   - privacy: `.private` keeps what is shown out of every trace, `.public` never does; nil: as the body's reads say.
    /// - Returns: what ends it.
    @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *) @discardableResult
    public static func render<Shown>(
        _ name: String, on scheduler: any Scheduler = .main, privacy: TracePrivacy? = nil,
        file: StaticString = #fileID, line: UInt = #line,
        @_inheritActorContext _ body: @escaping @Sendable @isolated(any) () -> Shown
    ) -> Disposable {
        let render = Render(
            name, on: scheduler, home: body.isolation.map(Home.init), privacy: privacy, file: file, line: line,
            Isolation.body(body))
        render.run(at: .first)
        return Disposable { render.dispose() }
    }
}
