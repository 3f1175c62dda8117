import CWeirCore
import WeirRecording

/// Holds one value; a write of a different value goes to all subscribers.
///
/// ```swift
/// let username = Observable("")
/// username.subscribe { print($0) }
/// username.value = "Maruko"
/// ```
/// A write of an equal value goes no further; if the type is not `Equatable`, every write does. The value is changed before the
/// first subscriber is notified. If a handler writes again, that newer value is delivered first, to all; the interrupted delivery
/// then skips its remaining subscribers, which already have the newer value (a trace says 'superseded'). A write during a
/// delivery on another thread leaves its value to that thread; see `Subject`.
///
/// Inside `batch { … }` a write is delivered when the batch ends.
///
/// Cost of a write with one subscriber and no recording: a few nanoseconds for numbers.
public class Observable<Value>: ReadOnlyObservable<Value> {
    /// An observable that holds `value`.
    ///
    /// - Parameters:
    ///   - value: the first value; only subscribers with `initial: true` receive it.
    ///   - privacy: `.private` keeps values, and everything that Weir computes from them, out of every trace. A public observable
    ///     becomes private when a private signal is bound to it.
    public init(
        _ value: Value, privacy: TracePrivacy = .public, file: StaticString = #fileID, line: UInt = #line
    ) {
        super.init(holding: value, privacy: privacy, file: file, line: line)
        // Asked only for a recording: this looks up the type at run time.
        if _slowPath(weir_recording() != 0), Swift.type(of: self) == Observable<Value>.self { recordCreated() }
    }

    init(heirOf former: Observable<Value>) { super.init(heirOf: former) }

    /// The current value. Reading never delivers. A write returns when all subscribers have been called; if another thread is
    /// delivering, that thread calls them instead.
    @inlinable
    public final override var value: Value {
        get {
            noteRead()
            return held
        }
        set { write(newValue) }
    }

    /// Changes the value with `change` in one step: no write of another thread is lost in between.
    ///
    /// ```swift
    /// count.modify { $0 += 1 }
    /// ```
    /// An equal result changes nothing. `change` runs again if another thread has written during it, so it should have no other
    /// effects. If it throws, the value stays unchanged.
    @discardableResult
    public final func modify<Result>(_ change: (inout Value) throws -> Result) rethrows -> Result {
        try self.change(change)
    }
}

// As for `ReadOnlyObservable`.
extension Observable: @unchecked Sendable where Value: Sendable {}
