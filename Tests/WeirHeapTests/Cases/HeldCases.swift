import Testing

private final class Session: Counted {
    var handlers: [() -> Void] = []
    var table: [String: PlantedNode] = [:]
    var node: PlantedNode?

    func go() {}
}

private final class Forever: @unchecked Sendable {
    static let shared = Forever()
    var handlers: [() -> Void] = []
}

private struct Settings {
    var name = "settings"
    var owner: Session?
}

nonisolated(unsafe) private var current: Session?
nonisolated(unsafe) private var settings = Settings()
nonisolated(unsafe) private var stack: [PlantedNode] = []

private enum Scope {
    @TaskLocal static var number = 0
    nonisolated(unsafe) static var shared = [String: Session]()
}

extension Corpus {
    mutating func plantHeld() {
        about("held")
        holds("a cycle that the test holds", "PlantedSubject.subscribers[0] {} → PlantedSubject") {
            let subject = PlantedSubject()
            subject.subscribe { subject.value = $0 }
            return Plant(keeping: subject)
        }
        holds("a cycle that the test holds three times", "PlantedNode.next → PlantedNode") {
            let node = PlantedNode()
            node.next = node
            return Plant(keeping: node, node, node)
        }
        holds("a cycle held at its other end", "PlantedNode.next → PlantedNode.next → PlantedNode") {
            let first = PlantedNode(), second = PlantedNode()
            first.next = second
            second.next = first
            return Plant(watching: [first, second], keeping: second)
        }
        holds("a cycle below a live object", "PlantedNode.next → PlantedNode.next → PlantedNode") {
            let top = PlantedNode(), first = PlantedNode(), second = PlantedNode()
            top.list = [first]
            first.next = second
            second.next = first
            return Plant(watching: [first, top], keeping: top).losing(top)
        }
        holds("a cycle that an unwatched object holds", "PlantedNode.next → PlantedNode.next → PlantedNode") {
            let top = Session(), first = PlantedNode(), second = PlantedNode()
            top.table["first"] = first
            first.next = second
            second.next = first
            return Plant(watching: [first], keeping: top).holding(first) {}
        }
        holds("a cycle held by a global", "Session.handlers[0] {} → Session") {
            let session = Session()
            session.handlers = [{ session.go() }]
            current = session
            return Plant(session).holding(session) { current = nil }
        }
        holds("a cycle held by a struct in a global", "Session.node → PlantedNode.object → Session") {
            let session = Session(), node = PlantedNode()
            session.node = node
            node.object = session
            settings.owner = session
            return Plant(session).holding(session) { settings.owner = nil }
        }
        holds("a cycle held by a collection in a static", "Session.handlers[0] {} → Session") {
            let session = Session()
            session.handlers = [session.go]
            Scope.shared["session"] = session
            return Plant(session).holding(session) { Scope.shared = [:] }
        }
        holds("a cycle on a global stack, twice", "PlantedNode.handler {} → PlantedNode") {
            let node = PlantedNode()
            node.handler = { node.touch() }
            stack = [node, node]
            return Plant(node).holding(node, by: 2) { stack = [] }
        }
        holds("a cycle held by a retain by hand", "PlantedNode.next → PlantedNode.next → PlantedNode") {
            let first = PlantedNode(), second = PlantedNode()
            first.next = second
            second.next = first
            let retained = Unmanaged.passRetained(second)
            return Plant(first, second).holding(second) { retained.release() }
        }
        holds("a cycle held by a retained unmanaged field", "PlantedNode.next → PlantedNode.next → PlantedNode") {
            let top = Unretained(), first = PlantedNode(), second = PlantedNode()
            first.next = second
            second.next = first
            top.unmanaged = .passRetained(first)
            return Plant(watching: [first], keeping: top).holding(first) { [unowned top] in top.unmanaged?.release() }
        }
        holds("a cycle held by the closure of the test", "PlantedNode.next → PlantedNode.next → PlantedNode") {
            let first = PlantedNode(), second = PlantedNode(), keeper = PlantedNode()
            first.next = second
            second.next = first
            keeper.handler = { use(first) }
            return Plant(watching: [second, keeper], keeping: keeper).losing(keeper)
        }
        silent("an object without a cycle, held by a global") {
            let session = Session()
            session.node = PlantedNode()
            current = session
            return Plant(session).holding(session) { current = nil }
        }
        silent("an object held by a closure in a static") {
            let node = PlantedNode()
            Forever.shared.handlers = [{ node.touch() }]
            return Plant(watching: [Forever.shared, node]).holding(node, by: 0) { Forever.shared.handlers = [] }
                .keepingStatic(Forever.shared)
        }
        holds(
            "two rings below one live object", "PlantedNode.next → PlantedNode.next → PlantedNode",
            "PlantedNode.next → PlantedNode.next → PlantedNode"
        ) {
            let top = PlantedNode(), first = PlantedNode(), second = PlantedNode()
            for start in [first, second] {
                let end = PlantedNode()
                start.next = end
                end.next = start
                top.list.append(start)
            }
            return Plant(watching: [top, first, second], keeping: top).losing(top)
        }
    }
}

private final class Unretained: Counted {
    var unmanaged: Unmanaged<PlantedNode>?
}
