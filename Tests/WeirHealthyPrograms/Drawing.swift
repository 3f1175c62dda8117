import Weir

// A drawing editor with one state that only a store changes: actions go through a function that returns the next state, undo keeps
// former pictures, a drag is one step of undo, and each view observes the part of the state that it shows.

private struct Shape: Equatable, Sendable {
    enum Form: Sendable { case circle, square }

    let id: Int
    var form: Form
    var x: Int
    var y: Int
    var color = "black"
}

private struct Picture: Equatable, Sendable {
    var shapes: [Shape] = []
    var background = "white"
}

private struct EditorState: Equatable, Sendable {
    var picture = Picture()
    var selected: Int?
    var tool: Shape.Form?
    var zoom = 100
    var past: [Picture] = []
    var future: [Picture] = []
    var dragged: Picture?
    var nextID = 1

    var selectedShape: Shape? { picture.shapes.first { $0.id == selected } }
}

private enum EditorAction: Sendable {
    case choose(tool: Shape.Form?)
    case tap(x: Int, y: Int)
    case drag(dx: Int, dy: Int)
    case drop
    case paint(String)
    case fill(String)
    case delete
    case undo, redo
    case zoom(Int)
}

extension EditorState {
    /// The next state: no action has another effect.
    fileprivate mutating func take(_ action: EditorAction) {
        switch action {
        case .choose(let tool): self.tool = tool
        case .tap(let x, let y):
            guard let tool else {
                selected = picture.shapes.last { abs($0.x - x) <= 5 && abs($0.y - y) <= 5 }?.id
                return
            }
            step { picture, id in picture.shapes.append(Shape(id: id, form: tool, x: x, y: y)) }
            selected = nextID
            nextID += 1
        case .drag(let dx, let dy):
            if dragged == nil { dragged = picture }
            changeSelected {
                $0.x += dx
                $0.y += dy
            }
        case .drop:
            guard let before = dragged else { return }
            dragged = nil
            if before != picture { remember(before) }
        case .paint(let color):
            let before = picture
            changeSelected { $0.color = color }
            if before != picture { remember(before) }
        case .fill(let color): step { picture, _ in picture.background = color }
        case .delete:
            guard let selected else { return }
            step { picture, _ in picture.shapes.removeAll { $0.id == selected } }
            self.selected = nil
        case .undo:
            guard let last = past.popLast() else { return }
            future.append(picture)
            show(last)
        case .redo:
            guard let next = future.popLast() else { return }
            past.append(picture)
            show(next)
        case .zoom(let percent): zoom = min(max(percent, 25), 400)
        }
    }

    private mutating func step(_ change: (inout Picture, Int) -> Void) {
        let before = picture
        change(&picture, nextID)
        remember(before)
    }

    private mutating func changeSelected(_ change: (inout Shape) -> Void) {
        guard let place = picture.shapes.firstIndex(where: { $0.id == selected }) else { return }
        change(&picture.shapes[place])
    }

    private mutating func remember(_ before: Picture) {
        past.append(before)
        future = []
    }

    private mutating func show(_ picture: Picture) {
        self.picture = picture
        if selectedShape == nil { selected = nil }
    }
}

@MainActor private final class EditorStore {
    let state = Observable(EditorState())

    func send(_ action: EditorAction) { state.modify { $0.take(action) } }

    /// A part of the state, and then its changes.
    func select<Part: Equatable & Sendable>(_ part: @escaping @Sendable (EditorState) -> Part) -> Signal<Part> {
        state.current.map(part).removeDuplicates()
    }
}

@MainActor private final class EditorScreen {
    private(set) var canvas: [String] = []
    let inspector = Label()
    let scale = Label()
    let undo = Button("Undo")
    let redo = Button("Redo")
    let delete = Button("Delete")
    private let bag = DisposeBag()

    init(_ store: EditorStore) {
        store.select(\.picture).subscribe { [weak self] picture in
            self?.canvas = picture.shapes.map { "\($0.color) \($0.form) at \($0.x), \($0.y)" }
        }.disposed(by: bag)
        store.select { $0.selectedShape.map { "\($0.color) \($0.form)" } ?? "Nothing is selected" }
            .bind(to: inspector, \.text).disposed(by: bag)
        store.select { "\($0.zoom) %" }.bind(to: scale, \.text).disposed(by: bag)
        store.select { !$0.past.isEmpty }.bind(to: undo, \.isEnabled).disposed(by: bag)
        store.select { !$0.future.isEmpty }.bind(to: redo, \.isEnabled).disposed(by: bag)
        store.select { $0.selected != nil }.bind(to: delete, \.isEnabled).disposed(by: bag)
        undo.onTap = { [weak store] in store?.send(.undo) }
        redo.onTap = { [weak store] in store?.send(.redo) }
        delete.onTap = { [weak store] in store?.send(.delete) }
    }
}

@MainActor func editor() async {
    let store = EditorStore()
    Trace.adopt(store)
    var screen: EditorScreen? = EditorScreen(store)
    if let screen { Trace.track(screen) }

    func send(_ name: String, _ action: EditorAction) async {
        Trace.stimulus(name) { store.send(action) }
        await wait(milliseconds: 20)
    }
    await send("choose the circle", .choose(tool: .circle))
    await send("tap the canvas", .tap(x: 10, y: 10))
    await send("tap the canvas", .tap(x: 50, y: 40))
    await send("choose the arrow", .choose(tool: nil))
    for _ in 1...4 { await send("drag", .drag(dx: 5, dy: -5)) }
    await send("drop", .drop)
    await send("paint", .paint("red"))
    await send("fill", .fill("grey"))
    await reach(screen?.canvas == ["black circle at 10, 10", "red circle at 70, 20"])
    for _ in 1...3 {
        screen?.undo.tap()
        await wait(milliseconds: 20)
    }
    await reach(screen?.canvas.last == "black circle at 50, 40")
    screen?.redo.tap()
    await wait(milliseconds: 20)
    await send("select", .tap(x: 12, y: 9))
    screen?.delete.tap()
    await wait(milliseconds: 20)
    for percent in [125, 150, 400] { await send("zoom", .zoom(percent)) }
    await reach(screen?.canvas == ["black circle at 70, 20"] && screen?.scale.text == "400 %")
    await reach(screen?.redo.isEnabled == false && screen?.inspector.text == "Nothing is selected")

    Trace.stimulus("close") {
        if let screen { Trace.expectReleased(screen) }
        screen = nil
    }
    Trace.checkpoint("closed")
}
