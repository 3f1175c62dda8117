import Testing

@testable import WeirAnalysis
@testable import WeirReport
@testable import WeirTrace

/// Complete drawings of handmade snapshots.
struct LeakDrawingTests {
    private func drawings(
        _ made: HandMadeSnapshot, _ definitions: TraceDefinitions? = nil,
        isExpected: (SnapshotObject) -> Bool = { _ in false }
    ) -> [String] {
        LeakFindings(made.snapshot, isExpected: isExpected).found.map { finding in
            LeakDrawing(finding, in: made.snapshot, definitions).lines().joined(separator: "\n")
        }
    }

    @Test func `a cycle is drawn with every reference, the closure's line and the cure`() {
        #expect(
            drawings(.login) == [
                """
                ┬ retain-cycle · 2 objects, 176 bytes · proven: nothing outside holds them
                ├─ LoginViewModel                     Login/LoginViewModel.swift:18
                │    ↓ .loginTouched: Observer<Void>  Login/LoginViewModel.swift:30
                │    ↓ .handler: closure              Login/LoginViewModel.swift:64
                │    ~ captures self strongly
                ╰→ LoginViewModel (the same object)
                Remedy: capture [weak self] at Login/LoginViewModel.swift:64.
                """
            ])
    }

    @Test func `a cycle that is held is drawn with what holds it`() {
        var made = HandMadeSnapshot()
        let session = made.add("Session", outside: 1)
        let screens = made.add("Array<Screen>", kind: .storage)
        let screen = made.add("Screen", .object(4), label: "main", at: .screen(3))
        let view = made.add("TitleView")
        made.hold(along: made.refer(session, ".screens", to: screens))
        made.hold(along: made.refer(screens, "[3]", to: screen))
        let down = made.refer(screen, ".view", to: view)
        made.hold(along: down)
        made.cycle([down, made.refer(view, ".delegate", to: screen)], isProven: false, keeps: 4096)
        #expect(
            drawings(made) == [
                """
                ┬ held-cycle · 2 objects, 176 bytes, keeps 4 KiB · held from outside: it leaks once its owner releases it
                ├─ Screen “main”  App/Screen.swift:3
                │    ↓ .view: TitleView
                │    ↓ .delegate
                ╰→ Screen (the same object)
                   It is held by something outside: 1 reference that the walk does not see (the stack, a global, memory it cannot read)
                   Session
                     ↓ .screens[3]: Screen “main”  App/Screen.swift:3
                Remedy: hold the delegate of TitleView weakly: `weak var delegate`.
                """
            ])
    }

    @Test func `what outlived its scope is drawn with the way that holds it`() {
        #expect(
            drawings(.screens(1000)) { $0.trackedObject != nil } == [
                """
                ┬ outlived-scope · keeps 2 KiB · held by handlers only
                │  static Session.shared
                ├─ Session
                │    ↓ .refreshed: Emitter<Int>         App/Screen.swift:9
                │    ↓ .subscriptions[0]: subscription  App/Screen.swift:40
                │    ↓ .handler: closure                App/Screen.swift:40
                │    ~ captures Screen strongly
                ╰→ Screen “screen 0”
                999 more like it.
                Remedy: capture Screen weakly in the handler of the subscription made at App/Screen.swift:40, and dispose the subscription with its owner, if no bag does so yet: `.disposed(by: bag)`.
                """
            ])
    }

    @Test func `Weir's own objects, storage, thunks and captured variables are folded away`() {
        var made = HandMadeSnapshot()
        let model = made.add("Model", .object(1))
        let valid = made.add("Combiner<Optional<Bool>>", .node(2), label: "Model.valid", at: .login(12)) {
            $0.isInternal = true
        }
        let evaluation = made.add("Evaluation") { $0.isInternal = true }
        let work = made.add("closure(closure, box)", kind: .closure)
        let variable = made.add("box(Model)", kind: .box)
        let weir = TraceSite(file: "Weir/Combiner+Inputs.swift", line: 24)
        let name = "closure #1 in Model.init()"
        let inner = made.add("closure(closure)", kind: .closure)
        made.cycle([
            made.refer(model, ".valid", to: valid), made.refer(valid, ".evaluation", to: evaluation),
            made.refer(evaluation, ".run", to: work, function: "closure #1 in Combiner.combine(_:)", at: weir),
            made.refer(work, "captures #1", to: inner, function: name, at: .login(21)),
            made.refer(inner, "captures", to: variable, function: name, at: .login(21)),
            made.refer(variable, "", to: model),
        ])
        #expect(
            drawings(made) == [
                """
                ┬ retain-cycle · 6 objects, 176 bytes · proven: nothing outside holds them
                ├─ Model
                │    ↓ .valid: Combiner<Bool?>  Login/LoginViewModel.swift:12
                │    ↓ its function: closure    Login/LoginViewModel.swift:21
                │    ~ captures self strongly
                ╰→ Model (the same object)
                Remedy: capture [weak self] at Login/LoginViewModel.swift:21.
                """
            ])
    }
}
