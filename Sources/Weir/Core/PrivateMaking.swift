import CWeir
import WeirTrace

/// The work of making something of a private value: every node that it makes on its thread is private.
@usableFromInline
enum PrivateMaking {
    /// Whether such work runs on this thread.
    static var isUnderWay: Bool { weir_hides_nodes() }

    @usableFromInline @inline(never)
    static func run<Result>(_ make: () throws -> Result) rethrows -> Result {
        let former = weir_set_hides_nodes(true)
        defer { _ = weir_set_hides_nodes(former) }
        return try make()
    }
}

extension Sink {
    /// The signal that `make` makes of a value or an error that the cold signal was given.
    @inlinable
    final func made<Result>(_ make: () throws -> Result) rethrows -> Result {
        if _fastPath(!weir_load_bool(&originIsPrivate)) { return try make() }
        return try PrivateMaking.run(make)
    }
}

extension SourceLinks {
    /// Subscribes `sink` to a signal that was made of what another source has delivered, and is as private as that.
    @usableFromInline
    func attach<Value>(_ sink: Sink<Value>, toMade signal: Signal<Value>, key: Int) {
        sink.isOfSecret = weir_load_bool(&downstream.originIsPrivate)
        attach(sink, to: signal, key: key)
    }
}
