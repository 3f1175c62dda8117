import WeirTrace

/// Disposes what is in it when it is emptied or released.
///
/// ```swift
/// let bag = DisposeBag()
/// username.subscribe { print($0) }.disposed(by: bag)
/// ```
/// Any thread may add, empty and release. What is added to a bag being emptied is disposed with the next emptying.
public final class DisposeBag {
    private let lock = SystemLock()
    private var disposables: [Disposable] = []

    /// An empty bag.
    public init() {}

    deinit { empty() }

    /// Puts a disposable into the bag.
    public func add(_ disposable: Disposable) { lock.withLock { disposables.append(disposable) } }

    /// Disposes everything in the bag, in the order in which it was put in; the bag can be used again.
    public func dispose() { empty() }

    private func empty() {
        let all = lock.withLock {
            defer { disposables = [] }
            return disposables
        }
        for disposable in all { disposable.dispose(.bag) }
    }
}

extension DisposeBag: @unchecked Sendable {}  // The lock guards what varies.
