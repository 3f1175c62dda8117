import Testing

@testable import WeirAnalysis
@testable import WeirReport
@testable import WeirTrace

/// The reference of a cycle that a remedy names: the one that leads back to an owner.
struct BackReferenceTests {
    /// A cycle of objects, each with the label of its reference to the next one; "[0]" adds the storage of an array.
    struct Shape: CustomTestStringConvertible, Sendable {
        let links: [(type: String, label: String)]
        /// The place of the object that should be gone; nil: none is known.
        var overdue: Int?
        /// The places of the objects that something outside holds.
        var held: [Int] = []
        /// Whether all objects are tracked, as for `expectNoLeaks`.
        var allTracked = false
        let remedy: String

        init(
            _ links: (String, String)..., overdue: Int? = nil, held: [Int] = [], allTracked: Bool = false,
            remedy: String
        ) {
            self.links = links.map { ($0.0, $0.1) }
            (self.overdue, self.held, self.allTracked, self.remedy) = (overdue, held, allTracked, remedy)
        }

        var testDescription: String { links.map { $0.type + $0.label }.joined(separator: " → ") }

        /// The sentence for the cycle that begins at the object `first`.
        func sentence(from first: Int) -> String? {
            var made = HandMadeSnapshot()
            let order = links.indices.map { ($0 + first) % links.count }
            let objects = Dictionary(
                uniqueKeysWithValues: order.map { place in
                    let isTracked = overdue == place || allTracked
                    return (
                        place,
                        made.add(
                            links[place].type, isTracked ? .object(UInt32(place) + 1) : .none,
                            outside: held.contains(place) ? 1 : 0)
                    )
                })
            var references: [Int] = []
            for place in order {
                let (source, target) = (objects[place]!, objects[(place + 1) % links.count]!)
                guard let bracket = links[place].label.firstIndex(of: "[") else {
                    references.append(made.refer(source, links[place].label, to: target))
                    continue
                }
                let storage = made.add("Array", kind: .storage) { $0.isOfSystem = true }
                references.append(made.refer(source, String(links[place].label[..<bracket]), to: storage))
                references.append(made.refer(storage, String(links[place].label[bracket...]), to: target))
            }
            made.cycle(references, isProven: held.isEmpty)
            let findings = LeakFindings(made.snapshot) { $0.trackedObject != nil && !allTracked }
            return findings.found.first.flatMap { LeakDrawing($0, in: made.snapshot).words.remedy }
        }
    }

    static let shapes = [
        Shape(
            ("View", ".presenter"), ("Presenter", ".view"), overdue: 0,
            remedy: "hold .view of Presenter weakly: `weak var view`"),
        Shape(
            ("View", ".presenter"), ("Presenter", ".view"),
            remedy: "hold .view of Presenter weakly: `weak var view`"),
        Shape(
            ("Screen", ".controller"), ("Controller", ".onDone"), overdue: 0,
            remedy: "hold .onDone of Controller weakly: `weak var onDone`"),
        Shape(
            ("Screen", ".controller"), ("Controller", ".onDone"), allTracked: true,
            remedy: "hold .onDone of Controller weakly, or .controller of Screen, whichever does not own the other"),
        Shape(
            ("Screen", ".container"), ("Container", ".screens[0]"), allTracked: true,
            remedy:
                "hold the Screen in .screens of Container weakly, or .container of Screen, whichever does not own the "
                + "other"),
        Shape(
            ("Screen", ".list"), ("Multicast", ".delegates[0]"), overdue: 0,
            remedy: "hold Screen weakly in .delegates of Multicast, or remove it from there when this should go"),
        Shape(
            ("Host", ".plugins[0].host"), overdue: 0,
            remedy: "hold Host weakly in .plugins[…].host of Host, or remove it from there when this should go"),
        Shape(
            ("Screen", ".model"), ("Model", ".coord"), ("Coordinator", ".nav"), ("Nav", ".screens[0]"), overdue: 0,
            remedy: "hold .coord of Model weakly: `weak var coord`"),
        Shape(
            ("Screen", ".model"), ("Model", ".app"), ("App", ".current"), overdue: 0,
            remedy: "hold .current of App weakly, or .app of Model, whichever does not own its object"),
        Shape(
            ("Presenter", ".interactor"), ("Interactor", ".output"),
            remedy: "hold .output of Interactor weakly: `weak var output`"),
        Shape(
            ("Table", ".delegate"), ("Screen", ".table"), overdue: 1,
            remedy: "hold the delegate of Table weakly: `weak var delegate`"),
        // Nothing else may hold an adapter.
        Shape(
            ("Screen", ".manager"), ("Manager", ".loginDelegate"), ("Adapter", ".screen"), overdue: 0,
            remedy: "hold .screen of Adapter weakly, or .loginDelegate of Manager, whichever does not own its object"),
        // One property cannot both own and lead back.
        Shape(
            ("Node", ".next"), ("Node", ".next"),
            remedy: "break the cycle at one of its references: clear it when this should go, or make it weak"),
        Shape(
            ("Panel", ".userInfo[1][2]"), overdue: 0,
            remedy: "clear .userInfo of Panel when this should go, or hold the object weakly in it"),
        // The name and the expectation contradict each other.
        Shape(
            ("Screen", ".delegate"), ("Flow", ".screen"), overdue: 0,
            remedy: "hold .screen of Flow weakly, or .delegate of Screen, whichever does not own the other"),
        // Only the cycle holds the tail, so it must not become weak.
        Shape(
            ("Head", ".owner"), ("Tail", ".head"), held: [0],
            remedy: "hold .head of Tail weakly: `weak var head`"),
    ]

    @Test(arguments: shapes) func `the remedy names the reference back, wherever the drawing begins`(_ shape: Shape) {
        for first in shape.links.indices { #expect(shape.sentence(from: first) == shape.remedy) }
    }

    @Test func `a closure of a library is not the program's to change`() {
        var made = HandMadeSnapshot()
        let model = made.add("Model", .object(1))
        let context = made.add("AsyncStream._Context") { $0.isOfSystem = true }
        let storage = made.add("AsyncStream._Storage") { $0.isOfSystem = true }
        let down = made.refer(model, ".stream.context", to: context)
        let produce = made.refer(
            context, ".produce", to: storage, function: "method reference in AsyncStream.init(_:bufferingPolicy:_:)")
        let direct = made.refer(context, ".storage", to: storage)
        let end = made.refer(
            storage, ".state.onTermination", to: model, function: "closure #1 in Model.init()", at: .login(32))
        made.cycle([down, produce, end])
        made.cycle([down, direct, end])
        let findings = LeakFindings(made.snapshot) { _ in false }.found
        #expect(findings.map(\.count) == [1])
        #expect(
            findings.first.flatMap { LeakDrawing($0, in: made.snapshot).words.remedy }
                == "capture [weak self] at Login/LoginViewModel.swift:32")
    }

    @Test func `an autoclosure, which cannot capture weakly, gets the value instead`() {
        var made = HandMadeSnapshot()
        let (model, log) = (made.add("Model", .object(1)), made.add("Log"))
        let messages = made.add("Array", kind: .storage)
        made.cycle([
            made.refer(model, ".log", to: log), made.refer(log, ".messages", to: messages),
            made.refer(messages, "[0]", to: model, function: "implicit closure #2 in Model.init()", at: .login(9)),
        ])
        let finding = LeakFindings(made.snapshot) { _ in false }.found.first
        #expect(
            finding.flatMap { LeakDrawing($0, in: made.snapshot).words.remedy }
                == "take the value that the autoclosure in Model.init() (Login/LoginViewModel.swift:9) needs before the call: an "
                + "autoclosure cannot capture self weakly")
    }

    @Test func `a session keeps its delegate until it is invalidated`() {
        var made = HandMadeSnapshot()
        let api = made.add("Api", .object(1))
        let session = made.add("URLSession") { $0.isOfSystem = true }
        made.cycle([made.refer(api, ".session", to: session), made.refer(session, ".delegate", to: api)])
        let finding = LeakFindings(made.snapshot) { _ in false }.found.first
        #expect(finding?.remedy.kind == .invalidateSession)
        #expect(
            finding.flatMap { LeakDrawing($0, in: made.snapshot).words.remedy }
                == "call finishTasksAndInvalidate() or invalidateAndCancel() of the URLSession when this should go: it keeps "
                + "its delegate until then")
    }
}
