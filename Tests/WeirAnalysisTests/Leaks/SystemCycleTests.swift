import Testing

@testable import WeirAnalysis
@testable import WeirReport
@testable import WeirTrace

/// Cycles and closures that are not the program's.
struct SystemCycleTests {
    private func operation(isOfSystem: Bool, isProven: Bool) -> TraceSnapshot {
        var made = HandMadeSnapshot()
        let operation = made.add("BlockOperation", outside: 1) { $0.isOfSystem = true }
        let item = made.add("DispatchWorkItem") { $0.isOfSystem = true }
        let scheduled = made.refer(operation, ".__schedule", to: item)
        let captures = made.refer(
            item, "._block", to: operation, function: "closure #2 in OperationQueue._addOperations(_:barrier:)")
        made.cycle([scheduled, captures], isProven: isProven)
        var snapshot = made.snapshot
        snapshot.references[captures].isOfSystem = isOfSystem
        return snapshot
    }

    @Test func `a held cycle of a library, closed by a closure of its own, is no finding`() {
        #expect(LeakFindings(operation(isOfSystem: true, isProven: false)).found.isEmpty)
        #expect(LeakFindings(operation(isOfSystem: false, isProven: false)).found.map(\.rule) == [.heldCycle])
        #expect(LeakFindings(operation(isOfSystem: true, isProven: true)).found.map(\.rule) == [.retainCycle])
    }

    @Test func `a closure of Weir without a line is not to be changed`() throws {
        var made = HandMadeSnapshot()
        let model = made.add("Model")
        let sink = made.add("Attempts<Int>") { $0.isInternal = true }
        let to = made.refer(model, ".onEnd", to: sink, function: "closure #2 in Retry.attach(_:to:)")
        let back = made.refer(sink, ".condition", to: model, function: "closure #1 in Model.init()", at: .login(3))
        made.cycle([to, back])
        var snapshot = made.snapshot
        snapshot.references[to].isInternal = true
        let found = try #require(LeakFindings(snapshot).found.first)
        #expect(found.remedy.kind == .captureWeakly)
        #expect(found.remedy.site == .login(3))
    }

    @Test func `what stands between a closure and the object that leaks is to let it go`() throws {
        func remedy(owns: Bool = false, property: String = ".target", isShared: Bool = false) throws -> String? {
            var made = HandMadeSnapshot()
            let list = made.add("Handlers", outside: 1, by: .variable("static Handlers.all"))
            let proxy = made.add("Proxy")
            let screen = made.add("Screen", .object(1))
            made.hold(
                along: made.refer(list, ".first", to: proxy, function: "closure #1 in f()", at: .screen(1)))
            made.hold(along: made.refer(proxy, property, to: screen))
            if owns { made.refer(screen, ".proxy", to: proxy) }
            if isShared { made.refer(list, ".proxy", to: proxy) }
            let finding = try #require(LeakFindings(made.snapshot) { $0.type == "Screen" }.found.first)
            return LeakDrawing(finding, in: made.snapshot).words.remedy
        }
        #expect(try remedy() == "hold .target of Proxy weakly: `weak var target`")
        #expect(try remedy(owns: true, property: ".x") == "hold .x of Proxy weakly: `weak var x`")
        #expect(
            try remedy(property: ".x")
                == "capture Proxy weakly at App/Screen.swift:1, or, if nothing else holds Proxy, hold .x of Proxy weakly: `weak var x`"
        )
        #expect(try remedy(isShared: true) == "capture Proxy weakly at App/Screen.swift:1")
    }
}
