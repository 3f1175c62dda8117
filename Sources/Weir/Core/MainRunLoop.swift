import CWeirCore

/// The main thread's run loop, which a handler may run: to show a dialog at once, or to follow a drag.
///
/// Everything that happens in such a loop belongs to the handler's turn, which may end much later. Combiners must not wait that
/// long, so they settle whenever the loop turns. If the process exports no run loop functions (it links Foundation statically or
/// not at all), they settle at the end of the turn.
enum MainRunLoop {
    private typealias Turned =
        @convention(c) (_ observer: OpaquePointer?, _ activity: UInt, _ info: OpaquePointer?) -> Void
    private typealias Main = @convention(c) () -> OpaquePointer?
    private typealias Create =
        @convention(c) (
            _ allocator: OpaquePointer?, _ activities: UInt, _ repeats: UInt8, _ order: Int, _ turned: Turned,
            _ context: OpaquePointer?
        ) -> OpaquePointer?
    private typealias Add =
        @convention(c) (_ loop: OpaquePointer?, _ observer: OpaquePointer?, _ mode: OpaquePointer?) -> Void

    /// From now on settles waiting combiners of an open turn whenever the loop turns. Call on the main thread; runs once.
    ///
    /// Cost afterwards: an observer that reads a thread-local flag twice in each turn of the loop.
    static let isWatched: Bool = {
        guard let main = function("CFRunLoopGetMain", as: Main.self),
            let create = function("CFRunLoopObserverCreate", as: Create.self),
            let add = function("CFRunLoopAddObserver", as: Add.self),
            let modes = weir_exported_address("kCFRunLoopCommonModes")
        else { return false }
        let beforeTimersAndWaiting: UInt = 1 << 1 | 1 << 5
        let observer = create(nil, beforeTimersAndWaiting, 1, 0, { _, _, _ in turned() }, nil)
        add(main(), observer, modes.load(as: OpaquePointer?.self))
        return true
    }()

    /// A turn is open here only if the loop runs inside a handler.
    private static func turned() {
        if weir_turn_is(weir_turn_pending), !weir_turn_is(weir_turn_batch) { Settling.settle() }
    }

    private static func function<Function>(_ name: String, as: Function.Type) -> Function? {
        weir_exported_address(name).map { unsafeBitCast($0, to: Function.self) }
    }
}
