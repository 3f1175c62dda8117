import Observation
import Weir

// A text editor with undo and redo, a selection, find and replace, and saving in the background: an observable class, and a view
// whose parts are bodies that read it.

@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
@Observable @MainActor private final class DocumentModel {
    private struct Edit {
        let range: Range<Int>
        let old: String
        let new: String
        /// Keys typed one after the other are undone together.
        let isTyping: Bool
    }

    private(set) var text = ""
    var selection = 0..<0
    var query = "" {
        didSet { matchCount = matches.count }
    }
    private(set) var isSaving = false
    // Stored, so that only a change of them runs the bodies that read them, not every key.
    private(set) var canUndo = false
    private(set) var canRedo = false
    private(set) var hasChanges = false
    private(set) var wordCount = 0
    private(set) var matchCount = 0
    @ObservationIgnored private var savedText = ""
    @ObservationIgnored private var done: [Edit] = []
    @ObservationIgnored private var undone: [Edit] = []
    @ObservationIgnored private var saving: Task<Void, Never>?

    private var matches: [Range<Int>] {
        guard !query.isEmpty else { return [] }
        let (text, query) = (Array(text), Array(query))
        guard text.count >= query.count else { return [] }
        return (0...text.count - query.count).filter { Array(text[$0..<$0 + query.count]) == query }
            .map { $0..<$0 + query.count }
    }

    func type(_ new: String) { replace(selection, with: new, isTyping: true) }

    func deleteBackward() {
        guard selection.isEmpty else { return replace(selection, with: "", isTyping: false) }
        guard selection.lowerBound > 0 else { return }
        replace(selection.lowerBound - 1..<selection.lowerBound, with: "", isTyping: false)
    }

    func replaceAll(with new: String) {
        for match in matches.reversed() { replace(match, with: new, isTyping: false) }
    }

    func undo() {
        guard let edit = done.popLast() else { return }
        undone.append(edit)
        put(edit.old, in: edit.range.lowerBound..<edit.range.lowerBound + edit.new.count)
    }

    func redo() {
        guard let edit = undone.popLast() else { return }
        done.append(edit)
        put(edit.new, in: edit.range)
    }

    func save() {
        saving?.cancel()
        isSaving = true
        saving = Trace.task { [weak self, text] in
            await wait(milliseconds: 20)
            guard !Task.isCancelled, let self else { return }
            savedText = text
            isSaving = false
            update()
        }
    }

    private func replace(_ range: Range<Int>, with new: String, isTyping: Bool) {
        let characters = Array(text)
        let edit = Edit(range: range, old: String(characters[range]), new: new, isTyping: isTyping)
        if isTyping, let last = done.last, last.isTyping, last.range.lowerBound + last.new.count == range.lowerBound,
            range.isEmpty, new != " "
        {
            done[done.count - 1] = Edit(range: last.range, old: last.old, new: last.new + new, isTyping: true)
        } else {
            done.append(edit)
        }
        undone = []
        put(new, in: range)
    }

    private func put(_ new: String, in range: Range<Int>) {
        var characters = Array(text)
        characters.replaceSubrange(range, with: new)
        text = String(characters)
        selection = range.lowerBound + new.count..<range.lowerBound + new.count
        update()
    }

    private func update() {
        canUndo = !done.isEmpty
        canRedo = !undone.isEmpty
        hasChanges = text != savedText
        wordCount = text.split(whereSeparator: \.isWhitespace).count
        matchCount = matches.count
    }
}

@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
@MainActor private final class DocumentScreen {
    let page = Label()
    let caret = Label()
    let status = Label()
    let found = Label()
    let undo = Button("Undo")
    let redo = Button("Redo")
    let save = Button("Save")
    private var parts: [Disposable] = []

    init(_ model: DocumentModel) {
        parts.append(
            Trace.render("Page.body") { [weak model, page] in
                page.text = model?.text ?? ""
                return page.text
            })
        parts.append(
            Trace.render("Caret.body") { [weak model, caret] in
                caret.text = model.map { "\($0.selection)" } ?? ""
                return caret.text
            })
        parts.append(
            Trace.render("Toolbar.body") { [weak model, undo, redo, save] in
                undo.isEnabled = model?.canUndo ?? false
                redo.isEnabled = model?.canRedo ?? false
                save.isEnabled = model.map { $0.hasChanges && !$0.isSaving } ?? false
                return [undo.isEnabled, redo.isEnabled, save.isEnabled]
            })
        parts.append(
            Trace.render("Status.body") { [weak model, status] in
                status.text = model.map { $0.isSaving ? "saving …" : "\($0.wordCount) words" } ?? ""
                return status.text
            })
        parts.append(
            Trace.render("Find.body") { [weak model, found] in
                let query = model?.query ?? ""
                found.text = query.isEmpty ? "" : "\(model?.matchCount ?? 0) × \(query)"
                return found.text
            })
        undo.onTap = { [weak model] in model?.undo() }
        redo.onTap = { [weak model] in model?.redo() }
        save.onTap = { [weak model] in model?.save() }
    }

    func close() { for part in parts { part.dispose() } }
}

@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
@MainActor func document() async {
    let model = DocumentModel()
    Trace.adopt(model)
    Trace.observe(model, \.text, \.selection, \.query, \.isSaving, \.canUndo, \.canRedo, \.hasChanges)
    var screen: DocumentScreen? = DocumentScreen(model)
    if let screen { Trace.track(screen) }
    await wait(milliseconds: 30)

    func act(_ name: String, _ action: () -> Void) async {
        Trace.stimulus(name) { action() }
        await wait(milliseconds: 20)
    }
    for key in "to be or not" { await act("type") { model.type(String(key)) } }
    await act("delete") { model.deleteBackward() }
    await act("type") { model.type("w") }
    screen?.undo.tap()
    await wait(milliseconds: 20)
    screen?.undo.tap()
    await wait(milliseconds: 20)
    screen?.redo.tap()
    await wait(milliseconds: 20)
    screen?.save.tap()
    await wait(milliseconds: 50)
    await act("find") { model.query = "o" }
    await act("find") { model.query = "or" }
    await act("select") { model.selection = 0..<2 }
    await act("type") { model.type("To") }
    await act("replace all") { model.replaceAll(with: "OR") }
    screen?.undo.tap()
    await wait(milliseconds: 20)
    screen?.save.tap()
    await wait(milliseconds: 60)
    await reach(model.text.hasPrefix("To be or") && !model.hasChanges)

    Trace.stimulus("close") {
        screen?.close()
        if let screen { Trace.expectReleased(screen) }
        screen = nil
    }
    Trace.checkpoint("closed")
}
