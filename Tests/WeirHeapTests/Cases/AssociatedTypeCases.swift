import Testing

/// Closures over types that a generic parameter brings with it.
private final class Buffers: Counted {
    var action: (() -> Void)?

    @inline(never) func collect<Elements: Sequence>(_ elements: Elements) {
        var buffer: [Elements.Element] = []
        action = { [self] in
            buffer.append(contentsOf: elements)
            use(buffer)
            use(self)
        }
    }

    @inline(never) func collectOnce<Elements: Sequence>(_ elements: Elements) {
        var buffer: [Elements.Element] = []
        for element in elements { buffer.append(element) }
        action = { [self] in
            buffer.removeAll()
            use(self)
        }
    }

    @inline(never) func keep<Elements: Sequence>(_ elements: Elements) {
        let buffer = Array(elements)
        action = { [self] in
            use(buffer)
            use(self)
        }
    }

    @inline(never) func last<Elements: Collection>(of elements: Elements) {
        let (first, rest) = (elements.first, elements.dropFirst())
        let byName = ["first": first]
        action = { [self] in
            use(byName)
            use(rest)
            use(self)
        }
    }

    @inline(never) func step<Elements: Sequence>(through elements: Elements) {
        var iterator = elements.makeIterator()
        var last: Elements.Iterator.Element?
        action = { [self] in
            last = iterator.next()
            use(last)
            use(self)
        }
    }

    @inline(never) func slices<Elements: Collection>(of elements: Elements) where Elements.SubSequence: Collection {
        var slices: [Elements.SubSequence.SubSequence] = []
        slices.append(elements.dropFirst().dropFirst())
        action = { [self] in
            use(slices)
            use(self)
        }
    }

    @inline(never) func pair<Request, Output>(_ pair: Pair<Request, Output>) {
        action = { [self] in
            use(pair)
            use(self)
        }
    }

    @inline(never) func send<Endpoint: PlantedEndpoint>(_ endpoint: Endpoint) {
        var answers: [(Endpoint.Request, Result<Endpoint.Output, Endpoint.Failure>)] = []
        let waiting = Pair(first: endpoint.request, second: Optional<Endpoint.Output>.none)
        action = { [self] in
            answers.removeAll()
            use(waiting)
            use(self)
        }
    }
}

private struct Pair<First, Second> {
    var first: First
    var second: Second
}

private protocol PlantedEndpoint {
    associatedtype Request
    associatedtype Output
    associatedtype Failure: Error

    var request: Request { get }
}

extension PlantedEndpoint {
    /// The closure keeps a value of an associated type alone, without the endpoint.
    @inline(never)
    fileprivate func history(_ node: PlantedNode) -> () -> Void {
        var history: [Request] = [request]
        return {
            history.append(contentsOf: history)
            node.touch()
        }
    }
}

private struct Profile: PlantedEndpoint {
    enum Failure: Error { case offline }

    typealias Output = [String: PlantedNode]
    var request = "profile"
}

extension Corpus {
    mutating func plantAssociatedTypes() {
        about("associated types")
        func planted(_ name: String, _ bind: @escaping @Sendable (Buffers) -> Void) {
            leaks(name, "Buffers.action {} → Buffers") {
                let buffers = Buffers()
                bind(buffers)
                return Plant(buffers)
            }
        }
        planted("a variable array of elements, with their sequence") { $0.collect([1, 2, 3]) }
        planted("a variable array of elements, with a sequence of objects") { $0.collect([PlantedNode()]) }
        planted("a variable array of elements alone") { $0.collectOnce(["a", "b"]) }
        planted("an array of elements alone") { $0.keep(Set([1, 2])) }
        planted("a dictionary of elements, and a slice") { $0.last(of: [PlantedNode(), PlantedNode()]) }
        planted("a slice of a string") { $0.last(of: "a text that is too long to be stored in place") }
        planted("a variable iterator and its element") { $0.step(through: [1.5, 2.5]) }
        planted("slices of slices") { $0.slices(of: [1, 2, 3]) }
        planted("a structure of two parameters") { $0.pair(Pair(first: "one", second: [PlantedNode()])) }
        planted("results of associated types") { $0.send(Profile()) }
        leaks("a variable in an extension of a protocol", "PlantedNode.handler {} → PlantedNode") {
            let node = PlantedNode()
            node.handler = Profile().history(node)
            return Plant(node)
        }
    }
}
