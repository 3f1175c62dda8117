import CWeirCore

/// Increases with every change of the combined graph, so that heights are not computed anew for every turn.
enum GraphShape {
    @exclusivity(unchecked) nonisolated(unsafe) private static var changes: UInt64 = 1

    static var version: UInt64 { weir_load_u64(&changes) }
    static func change() { _ = weir_add_u64(&changes, 1) }
}
