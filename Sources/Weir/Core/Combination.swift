/// How a combiner gets its next value; hides the types of the inputs.
class Evaluation<Value> {
    var allInputs: UInt64 { 0 }
    var inputs: [Node] { [] }
    func evaluate() -> Value { preconditionFailure("an evaluation without inputs") }
    func disconnect() {}
}

/// Inputs and transform of a combiner.
///
/// A class and not a closure: a closure that captures a parameter pack crashes the compiler (Swift 6.3).
final class Combination<Value, each Input>: Evaluation<Value> {
    private let cells: (repeat InputCell<each Input>)
    private let transform: (repeat each Input) -> Value

    init(_ cells: repeat InputCell<each Input>, transform: @escaping (repeat each Input) -> Value) {
        self.cells = (repeat each cells)
        self.transform = transform
    }

    func connect(to combiner: Combiner<Value>, file: StaticString, line: UInt) {
        var index = 0
        for cell in repeat each cells {
            precondition(index < 64, "a combiner takes at most 64 inputs; combine some of them first")
            cell.connect(to: combiner, index: index, file: file, line: line)
            index += 1
        }
    }

    override func disconnect() {
        for cell in repeat each cells { cell.disconnect() }
    }

    override var inputs: [Node] {
        var all: [Node] = []
        for cell in repeat each cells {
            if let source = cell.source { all.append(source) }
        }
        return all
    }

    override var allInputs: UInt64 {
        var count = 0
        for _ in repeat each cells { count += 1 }
        return count == 64 ? .max : (1 << UInt64(count)) - 1
    }

    override func evaluate() -> Value { transform(repeat current(each cells)) }
}

private func current<Input>(_ cell: InputCell<Input>) -> Input { cell.value }

/// One input of a combiner.
final class InputCell<Input> {
    private let strong: Observable<Input>?
    private weak var feedback: Observable<Input>?
    /// What a released feedback input last held.
    private var last: Input
    private var key: UInt64 = 0

    init(_ source: Observable<Input>, isFeedback: Bool) {
        strong = isFeedback ? nil : source
        feedback = isFeedback ? source : nil
        last = source.value
    }

    var source: Observable<Input>? { strong ?? feedback }
    var value: Input { source?.value ?? last }

    func connect<Value>(to combiner: Combiner<Value>, index: Int, file: StaticString, line: UInt) {
        guard let source else { return }
        let sink = Sink<Input>(
            { [weak self, weak combiner] value in
                if self?.strong == nil { self?.last = value }
                combiner?.inputUpdated(index)
            }, target: nil, edge: combiner, file: file, line: line)
        key = source.add(sink)
    }

    func disconnect() { source?.remove(key, .disposed) }
}
