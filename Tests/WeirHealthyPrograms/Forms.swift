import Weir

// Settings.

@MainActor final class Settings {
    let name = Observable("Maruko")
    let volume = Observable(5)
    let isMuted: ReadOnlyObservable<Bool>
    init() { isMuted = Observable.combine(volume) { $0 == 0 } }
}

@MainActor func settings() {
    let s = Settings()
    Trace.adopt(s)
    let bag = DisposeBag()
    s.name.subscribe { _ in }.disposed(by: bag)
    s.volume.subscribe { _ in }.disposed(by: bag)
    s.isMuted.subscribe { _ in }.disposed(by: bag)
    for v in [4, 0, 3] { Trace.stimulus("slide to \(v)") { s.volume.value = v } }
    Trace.stimulus("rename") { s.name.value = "Momoko" }
    Trace.stimulus("reset") {
        batch {
            s.name.value = "Maruko"
            s.volume.value = 5
        }
    }
}

// An editor with undo.

@MainActor final class Editor {
    let text = Observable("")
    private(set) var undo: [String] = []
    let canUndo = Observable(false)
    func type(_ s: String) {
        undo.append(text.value)
        batch {
            text.value += s
            canUndo.value = true
        }
    }
    func undoLast() {
        guard let last = undo.popLast() else { return }
        batch {
            text.value = last
            canUndo.value = !undo.isEmpty
        }
    }
}

@MainActor func editor() {
    let e = Editor()
    Trace.adopt(e)
    let bag = DisposeBag()
    e.text.subscribe { _ in }.disposed(by: bag)
    e.text.map(\.count).removeDuplicates().subscribe { _ in }.disposed(by: bag)
    e.canUndo.subscribe { _ in }.disposed(by: bag)
    for s in ["a", "b", "c"] { Trace.stimulus("type") { e.type(s) } }
    for _ in 1...3 { Trace.stimulus("undo") { e.undoLast() } }
}

// Wizard with navigation: screens come and go.

@MainActor final class Flow {
    let step = Observable(0)
    var screen: StepScreen?
}

@MainActor final class StepScreen {
    let title = Observable("")
    let bag = DisposeBag()
    var shown = ""
    init(_ flow: Flow, _ n: Int) {
        flow.step.subscribe { [weak self] in self?.title.value = "Step \($0)" }.disposed(by: bag)
        title.subscribe { [weak self] in self?.shown = $0 }.disposed(by: bag)
        title.value = "Step \(n)"
    }
}

@MainActor func wizard() {
    let flow = Flow()
    Trace.adopt(flow)
    for n in 1...4 {
        Trace.stimulus("next") {
            if let old = flow.screen { Trace.expectReleased(old) }
            flow.screen = StepScreen(flow, n)
            flow.step.value = n
        }
        Trace.checkpoint("step")
    }
    withExtendedLifetime(flow) {}
}
