/// A place in the program that writes a node: a call of `emit` or `modify`, or an assignment.
public struct TraceWriteSite: Sendable, Equatable {
    /// The id, by which events mention it.
    public var id: UInt32
    /// The function that contains the call, without its module: "LoginViewModel.signIn()"; nil: unknown.
    public var function: String?
    /// The line of the call; nil if the program has no debug information.
    ///
    /// In optimized code it may be the line at which the function is declared, or a line of code that was inlined there.
    public var site: TraceSite?

    /// A write site.
    public init(id: UInt32, function: String?, site: TraceSite?) {
        self.id = id
        self.function = function
        self.site = site
    }
}

extension TraceDefinitions {
    /// The write site of an event of the kind `written`; nil for others, or if the trace does not define it.
    public func writeSite(of event: TraceEvent) -> TraceWriteSite? {
        guard event.kind == .written, let id = UInt32(exactly: event.count) else { return nil }
        return writeSites[id]
    }
}
