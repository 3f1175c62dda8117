import CWeirCore
import Observation
import WeirRecording

extension Trace {
    /// Records one run of the body of a view, which something else runs: SwiftUI, or a list that renders its rows.
    ///
    /// ```swift
    /// var body: some View {
    ///     Trace.body("LoginView") {
    ///         Button(model.title) { model.login() }
    ///     }
    /// }
    /// ```
    /// The content runs here, once, as without this call, and a surrounding observation registers its reads as before: SwiftUI
    /// runs the body again for the same reasons. A trace shows a node of that name, fed by each property that the last run has
    /// read, and each run as a refresh with its duration. Its cause is the first write to one of these properties since the last
    /// run; the other writes are recorded as waiting for the run.
    ///
    /// The node's value is the number of runs that showed something new, so an unchanged value is a redundant refresh. A run
    /// showed nothing new if the properties that it had read have their former values. A run that no write has caused, such as
    /// one after a change of a `@State`, counts as new. With `state`, which names everything else that the view shows, it
    /// counts as new only if that has changed. If the content is `Hashable`, the content itself is compared.
    ///
    /// While nothing is recorded, it costs a branch. While recording: Weir reads the list of the content's reads; see the
    /// guide for systems on which the reads are unknown. Call it on the main thread.
    ///
    /// - Parameters:
    ///   - id: distinguishes rows of one list: each has a node of its own, at most 1000. Numbers appear in names, other ids do not.
    ///   - state: everything that the view shows beside observable models; it never reaches the trace.
    @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
    @inlinable @inline(__always)
    public static func body<Content, Failure: Error>(
        _ name: String, id: @autoclosure () -> AnyHashable? = nil, state: @autoclosure () -> AnyHashable? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ content: () throws(Failure) -> Content
    ) throws(Failure) -> Content {
        #if Recording
        if _fastPath(weir_recording() == 0) { return try content() }
        return try ViewBodies.shared.run(name, id: id(), state: state(), file: file, line: line, content)
        #else
        return try content()
        #endif
    }

    /// Records that the body of a view runs, by one line in it.
    ///
    /// ```swift
    /// var body: some View {
    ///     let _ = Trace.body(Self.self)
    ///     Button(model.title) { model.login() }
    /// }
    /// ```
    /// Its cause is the first write of any observed property since the last run of this body, because the reads that follow are
    /// unknown here. So it is no evidence for redundant runs: use the form with the content for that.
    @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
    @inlinable @inline(__always)
    public static func body(_ view: Any.Type, file: StaticString = #fileID, line: UInt = #line) {
        #if Recording
        if _fastPath(weir_recording() == 0) { return }
        ViewBodies.shared.ran(view, file: file, line: line)
        #endif
    }
}
