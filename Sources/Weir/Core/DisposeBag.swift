import WeirRecording

/// Disposes its contents when it is emptied or released.
///
/// ```swift
/// let bag = DisposeBag()
/// username.subscribe { print($0) }.disposed(by: bag)
/// ```
/// Any thread may add, empty and release. A disposable that is added while the bag is emptied is disposed at the next emptying.
public final class DisposeBag {
    private let lock = SystemLock()
    private var disposables: [Disposable] = []

    /// An empty bag.
    public init() {}

    deinit { empty() }

    /// Adds a disposable to the bag.
    public func add(_ disposable: Disposable) { lock.withLock { disposables.append(disposable) } }

    /// Disposes everything in the bag in the order of adding; the bag can be used again.
    public func dispose() { empty() }

    private func empty() {
        let all = lock.withLock {
            defer { disposables = [] }
            return disposables
        }
        for disposable in all { disposable.dispose(.bag) }
    }
}

extension DisposeBag: @unchecked Sendable {}  // The lock guards the mutable state.
