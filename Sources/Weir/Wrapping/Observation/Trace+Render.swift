import CWeirCore
import Observation
import WeirRecording

extension Trace {
    /// Runs `body` now, and again whenever an observable model that it reads changes, as SwiftUI runs the body of a view.
    ///
    /// ```swift
    /// let rendering = Trace.render("LoginView.body") { [weak model] in
    ///     label.text = model?.name ?? ""
    ///     return label.text
    /// }
    /// ```
    /// Changes in one turn of `scheduler` cause one run, in a later turn; with `.immediate`, a write through `Trace.wrap` runs it
    /// as soon as the value is stored. A trace shows a node of that name, fed by each property that the last run has read. Each
    /// run is a refresh with its duration; its value is the result of `body`, and its cause is the first write that made it
    /// necessary. So let `body` return what it shows: a run with an unchanged result is a redundant refresh, reported as
    /// `repeated-value`, and its evidence names the property on which the body should not depend. The result is private if the
    /// body reads a private property that Weir knows, unless it is a Bool. If the body writes a property that it has read, the
    /// change is not shown: as in SwiftUI, nothing runs it again; it is reported as `feedback`.
    ///
    /// For models that are wrapped, observed or adopted, Weir names properties and records their writes; for others it knows only
    /// reads, by the type's name. If the system's library does not reveal reads (see the guide), Weir knows only reads through
    /// `Trace.wrap`.
    ///
    /// Releasing the result ends nothing. The models that the body reads hold the body's captures until the render is disposed or
    /// reads nothing any more: as with any subscription, capture models weakly. Cost of a run, recorded or not: two allocations,
    /// and a tracking of the Observation module.
    ///
    /// - Parameters:
    ///   - scheduler: where the body may run, usually `.main`; its first run is here. It must be serial. A body that is made in
    ///     an actor's isolation runs there, a moment later if the scheduler's thread is not in it.
    ///   - privacy: `.private` keeps the result out of every trace, `.public` never does; nil: depends on the body's reads.
    /// - Returns: a disposable that ends it.
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
