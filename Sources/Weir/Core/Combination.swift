import WeirTrace

/// How a combiner gets its next value; hides the types of the inputs.
@usableFromInline
final class Evaluation<Value> {
    @usableFromInline let evaluate: () -> Value
    /// One bit for each input.
    @usableFromInline let allInputs: UInt64
    private let cells: [AnyInputCell]

    @usableFromInline
    init(cells: [AnyInputCell], evaluate: @escaping () -> Value) {
        precondition(cells.count <= 64, "a combiner takes at most 64 inputs; combine some of them first")
        self.cells = cells
        self.evaluate = evaluate
        allInputs = cells.count == 64 ? .max : (1 << UInt64(cells.count)) - 1
    }

    var inputs: [Node] { cells.compactMap(\.node) }
    func disconnect() { for cell in cells { cell.disconnect() } }
}

/// Inputs and transform of a combiner.
///
/// A class and not a closure: a closure that captures a parameter pack crashes the compiler (Swift 6.3).
@usableFromInline
final class Combination<Value, each Input> {
    @usableFromInline let cells: (repeat InputCell<each Input>)
    @usableFromInline let transform: (repeat each Input) -> Value

    @inlinable
    init(_ cells: repeat InputCell<each Input>, transform: @escaping (repeat each Input) -> Value) {
        self.cells = (repeat each cells)
        self.transform = transform
    }

    @inlinable
    var allCells: [AnyInputCell] {
        var all: [AnyInputCell] = []
        for cell in repeat each cells { all.append(cell) }
        return all
    }

    @inlinable
    func connect(to combiner: Combiner<Value>, file: StaticString, line: UInt) {
        var index = 0
        for cell in repeat each cells {
            cell.connect(to: combiner, index: index, file: file, line: line)
            index += 1
        }
    }

    @inlinable
    func evaluate() -> Value { transform(repeat current(each cells)) }
}

@inlinable
func current<Input>(_ cell: InputCell<Input>) -> Input { cell.value }

/// What the inputs of a combiner have in common.
@usableFromInline
class AnyInputCell {
    @usableFromInline
    init() {}
    var node: Node? { nil }
    func disconnect() {}
}

/// One input of a combiner.
@usableFromInline
final class InputCell<Input>: AnyInputCell {
    @usableFromInline let strong: Observable<Input>?
    private weak var feedback: Observable<Input>?
    /// What a released feedback input last held.
    private var last: Input
    private let lock: SystemLock?
    private var key: UInt64 = 0

    @usableFromInline
    init(_ source: Observable<Input>, isFeedback: Bool) {
        strong = isFeedback ? nil : source
        feedback = isFeedback ? source : nil
        lock = isFeedback ? SystemLock() : nil
        last = source.value
        super.init()
    }

    @inlinable
    var value: Input {
        if let strong { return strong.value }
        return feedbackValue
    }

    @usableFromInline
    var feedbackValue: Input { feedback?.value ?? lock?.withLock { last } ?? last }

    @inlinable
    func connect<Value>(to combiner: Combiner<Value>, index: Int, file: StaticString, line: UInt) {
        if let strong {
            let handler: (Input) -> Void = { [weak combiner] _ in combiner?.inputUpdated(index) }
            connect(strong, handler, to: combiner, file: file, line: line)
        } else {
            connectFeedback(to: combiner, index: index, file: file, line: line)
        }
    }

    @usableFromInline
    func connectFeedback<Value>(to combiner: Combiner<Value>, index: Int, file: StaticString, line: UInt) {
        guard let feedback else { return }
        let handler: (Input) -> Void = { [weak self, weak combiner] value in
            self?.remember(value)
            combiner?.inputUpdated(index)
        }
        connect(feedback, handler, to: combiner, file: file, line: line)
    }

    @usableFromInline
    func connect(
        _ source: Observable<Input>, _ handler: @escaping (Input) -> Void, to combiner: Node, file: StaticString,
        line: UInt
    ) {
        key = source.add(Sink(handler, target: nil, edge: combiner, file: file, line: line))
    }

    private func remember(_ value: Input) {
        var former = value
        lock?.withLock { swap(&last, &former) }
        // Only here, outside of the lock: releasing it may run anything.
        withExtendedLifetime(former) {}
    }

    private var source: Observable<Input>? { strong ?? feedback }
    override var node: Node? { source }
    override func disconnect() { source?.remove(key, .disposed) }
}
