import CWeirCore
import WeirRecording

/// Runs code on a private value: every node that the code makes on its thread is private.
@usableFromInline
enum PrivateMaking {
    /// Whether this thread runs such code.
    static var isUnderWay: Bool { weir_hides_nodes() }

    @usableFromInline @inline(never)
    static func run<Result>(_ make: () throws -> Result) rethrows -> Result {
        let former = weir_set_hides_nodes(true)
        defer { _ = weir_set_hides_nodes(former) }
        return try make()
    }
}

extension Sink {
    /// The signal that `make` makes from a value or an error that the cold signal received.
    @inlinable
    final func made<Result>(_ make: () throws -> Result) rethrows -> Result {
        if _fastPath(!weir_load_bool(&originIsPrivate)) { return try make() }
        return try PrivateMaking.run(make)
    }
}

extension SourceLinks {
    /// Subscribes `sink` to a signal that was made from a delivery of another source; it is private if that source is.
    @usableFromInline
    func attach<Value>(_ sink: Sink<Value>, toMade signal: Signal<Value>, key: Int) {
        if weir_load_bool(&downstream.originIsPrivate) { sink.isOfSecret = true }
        attach(sink, to: signal, key: key)
    }
}
