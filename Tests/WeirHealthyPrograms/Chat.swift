import Weir

// A chat: a history in pages, messages that are sent and confirmed, a typing indicator, and a count
// of unread messages.

private struct Message: Equatable, Sendable {
    enum State: Equatable, Sendable { case sending, sent, failed }
    let id: Int
    let author: String
    let text: String
    var state = State.sent
}

private enum ChatError: Error { case offline }

/// The server of a room: messages and typing of other people arrive here.
@MainActor private final class ChatServer {
    let arrived = Emitter<Message>()
    let typing = Emitter<String>()
    /// The reports of this user, for the others.
    private(set) var reported: [Bool] = []
    var isOnline = true

    func history(before id: Int) async -> [Message] {
        await wait(milliseconds: 5)
        return (max(1, id - 3)..<id).map { Message(id: $0, author: "Tamae", text: "message \($0)") }
    }

    func send(_ text: String) async throws {
        await wait(milliseconds: 5)
        if !isOnline { throw ChatError.offline }
    }

    func report(typing isTyping: Bool) { reported.append(isTyping) }
}

@MainActor private final class ChatModel {
    let messages = ObservableArray<Message>()
    let draft = Observable("")
    let typists = Observable<Set<String>>([])
    let isLoadingHistory = Observable(false)
    let unread = Observable(0)
    let isAtBottom = Observable(true)
    let canSend: Combiner<Bool>
    let indicator: Combiner<String>
    let send: Command<String, Void>
    private let server: ChatServer
    private var nextID = 100
    private let bag = DisposeBag()

    init(_ server: ChatServer) {
        self.server = server
        canSend = .combine(draft) { !$0.allSatisfy(\.isWhitespace) }
        indicator = .combine(typists) { names in
            switch names.count {
            case 0: ""
            case 1: "\(names.first!) is typing …"
            default: "\(names.count) people are typing …"
            }
        }
        send = Command(enabledIf: canSend, allowsConcurrentExecution: true) { @MainActor in try await server.send($0) }

        server.arrived.subscribe { [weak self] in self?.receive($0) }.disposed(by: bag)
        server.typing.subscribe { [weak self] in self?.typists.value.insert($0) }.disposed(by: bag)
        // A person who has been silent for a while is no longer typing.
        server.typing.debounce(.milliseconds(30), on: .main).subscribe { [weak self] _ in
            self?.typists.value = []
        }.disposed(by: bag)
        draft.map { !$0.isEmpty }.removeDuplicates().subscribe { server.report(typing: $0) }.disposed(by: bag)
        isAtBottom.filter { $0 }.subscribe { [weak self] _ in self?.unread.value = 0 }.disposed(by: bag)
    }

    private func receive(_ message: Message) {
        batch {
            messages.append(message)
            typists.value.remove(message.author)
            if !isAtBottom.value { unread.value += 1 }
        }
    }

    func loadHistory() async {
        guard !isLoadingHistory.value else { return }
        isLoadingHistory.value = true
        let older = await server.history(before: messages.value.first?.id ?? 50)
        batch {
            messages.replace(0..<0, with: older)
            isLoadingHistory.value = false
        }
    }

    func sendDraft() {
        let message = Message(id: nextID, author: "me", text: draft.value, state: .sending)
        nextID += 1
        let sending = send.execute(message.text)
        batch {
            messages.append(message)
            draft.value = ""
        }
        sending.subscribeEvents { [weak self] event in
            switch event {
            case .next: self?.mark(message.id, .sent)
            case .failed: self?.mark(message.id, .failed)
            case .completed: break
            }
        }.disposed(by: bag)
    }

    private func mark(_ id: Int, _ state: Message.State) {
        guard let index = messages.value.firstIndex(where: { $0.id == id }) else { return }
        messages[index].state = state
    }
}

@MainActor private final class ChatScreen {
    private(set) var rows: [Message] = []
    let indicator = Label()
    let spinner = Label()
    let badge = Label()
    let field = TextField()
    let sendButton = Button("Send")
    private let bag = DisposeBag()

    init(_ model: ChatModel) {
        model.messages.differences(initial: true).subscribe { [weak self] difference in
            guard let self, let rows = rows.applying(difference) else { return }
            self.rows = rows
        }.disposed(by: bag)
        model.indicator.bind(to: indicator, \.text).disposed(by: bag)
        model.isLoadingHistory.current.map { !$0 }.bind(to: spinner, \.isHidden).disposed(by: bag)
        model.unread.current.map { $0 == 0 ? "" : "\($0)" }.bind(to: badge, \.text).disposed(by: bag)
        model.canSend.bind(to: sendButton, \.isEnabled).disposed(by: bag)
        Channel(model.draft).bind(to: field, \.text, changes: field.edited).disposed(by: bag)
        sendButton.onTap = { [weak model] in model?.sendDraft() }
    }
}

@MainActor func chat() async {
    let server = ChatServer()
    let model = ChatModel(server)
    Trace.adopt(model)
    let screen = ChatScreen(model)
    Window.screens = [screen]

    let opened = Trace.stimulus("open the room") { Trace.task { await model.loadHistory() } }
    await opened.value
    await wait(milliseconds: 20)
    for _ in 1...3 {
        server.typing.emit("Tamae")
        await wait(milliseconds: 20)
    }
    server.arrived.emit(Message(id: 50, author: "Tamae", text: "Shall we go?"))
    await wait(milliseconds: 40)

    for key in ["O", "OK", "OK!"] {
        screen.field.type(key)
        await wait(milliseconds: 20)
    }
    screen.sendButton.tap()
    await wait(milliseconds: 20)
    server.isOnline = false
    screen.field.type("Wait")
    await wait(milliseconds: 20)
    screen.sendButton.tap()
    await wait(milliseconds: 30)

    let scrolled = Trace.stimulus("scroll to the top") {
        model.isAtBottom.value = false
        return Trace.task { await model.loadHistory() }
    }
    await scrolled.value
    for id in 51...53 {
        await wait(milliseconds: 20)
        server.typing.emit("Kenta")
        await wait(milliseconds: 20)
        server.arrived.emit(Message(id: id, author: "Kenta", text: "Hello \(id)"))
    }
    await wait(milliseconds: 50)
    Trace.stimulus("scroll to the bottom") { model.isAtBottom.value = true }
    await reach(screen.badge.text.isEmpty && screen.rows.count == 12 && screen.rows.contains { $0.state == .failed })
    Trace.checkpoint("chat is open")
}
