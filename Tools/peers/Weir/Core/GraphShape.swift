import CWeir

/// Rises with every change of what is combined from what, so that heights need not be found anew for every turn.
enum GraphShape {
    @exclusivity(unchecked) nonisolated(unsafe) private static var changes: UInt64 = 1

    static var version: UInt64 { weir_load_u64(&changes) }
    static func change() { _ = weir_add_u64(&changes, 1) }
}
