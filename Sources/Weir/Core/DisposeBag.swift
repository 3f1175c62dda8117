import CWeirCore
import WeirRecording

/// Disposes its contents when it is emptied or released.
///
/// ```swift
/// let bag = DisposeBag()
/// username.subscribe { print($0) }.disposed(by: bag)
/// ```
/// Any thread may add, empty and release. A disposable that is added while the bag is emptied is disposed at the next emptying.
public final class DisposeBag {
    @exclusivity(unchecked) private var gate = weir_gate()
    @exclusivity(unchecked) private var disposables: [Disposable] = []

    /// An empty bag.
    public init() {}

    deinit { empty() }

    /// Adds a disposable to the bag.
    public func add(_ disposable: Disposable) { HeldGate.inside(&gate) { disposables.append(disposable) } }

    /// Disposes everything in the bag in the order of adding; the bag can be used again.
    public func dispose() { empty() }

    private func empty() {
        var all: [Disposable] = []
        HeldGate.inside(&gate) { swap(&all, &disposables) }
        for disposable in all { disposable.dispose(.bag) }
    }
}

extension DisposeBag: @unchecked Sendable {}  // The gate guards the mutable state.
