import Observation
import Weir

// A chat: a connection whose messages arrive as an asynchronous stream, and the room that shows them. Three lines are changed
// for Weir.

/// A message, or a sign that somebody types.
struct ChatMessage: Hashable, Sendable {
    enum Content: Hashable, Sendable {
        case text(String)
        case typing(Bool)
        case left
    }

    let number: Int
    let sender: String
    let content: Content
}

enum ChatState: String {
    case offline, connecting, online
}

/// The connection to the server.
@MainActor
final class ChatConnection {
    let (messages, continuation) = AsyncStream<ChatMessage>.makeTracedStream("incoming")  // changed line
    private(set) var state = ChatState.offline
    private(set) var sent: [String] = []
    var onState: ((ChatState) -> Void)?

    func connect() {
        guard state == .offline else { return }
        change(to: .connecting)
        change(to: .online)
    }

    /// Nothing arrives any more.
    func disconnect() {
        continuation.finish()
        change(to: .offline)
    }

    func send(_ text: String) -> Bool {
        guard state == .online else { return false }
        sent.append(text)
        return true
    }

    /// What the server delivers.
    func deliver(_ message: ChatMessage) { continuation.yield(message) }

    private func change(to new: ChatState) {
        guard new != state else { return }
        state = new
        onState?(new)
    }
}

/// A line of the transcript.
struct ChatLine: Hashable {
    let sender: String
    let text: String
    var isMine = false
}

/// A room: its transcript, who types, and what has not been read.
@Observable @MainActor
final class ChatRoom {
    let name: String
    private(set) var transcript: [ChatLine] = []
    private(set) var typing: [String] = []
    private(set) var unread = 0
    private(set) var status = "offline"
    private(set) var failures: [String] = []
    var draft = ""
    var isVisible = false {
        didSet { if isVisible { unread = 0 } }
    }
    private(set) var blocked: Set<String> = []
    /// Called when a message has been handled: the app may sleep again.
    @ObservationIgnored var onIdle: (() -> Void)?
    @ObservationIgnored private let connection: ChatConnection
    @ObservationIgnored private var lastNumber = 0

    init(_ name: String, connection: ChatConnection) {
        (self.name, self.connection) = (name, connection)
        // A fault: the connection holds this closure, and the room holds the connection.
        connection.onState = { state in self.status = state.rawValue }
    }

    // MARK: Incoming

    /// Handles messages until the connection ends.
    func listen() async {
        await connection.messages.forEach { message in  // changed line: was a 'for await'
            handle(message)
            withTracing("handled") { onIdle?() }  // changed line
        }
        typing = []
        onIdle?()
    }

    private func handle(_ message: ChatMessage) {
        // Blocked people are not heard.
        guard !blocked.contains(message.sender) else { return }
        // The server sends again what it believes to be lost.
        guard message.number > lastNumber else { return }
        lastNumber = message.number
        switch message.content {
        case .text(let text): append(ChatLine(sender: message.sender, text: text))
        case .typing(let isTyping): note(message.sender, isTyping: isTyping)
        case .left:
            note(message.sender, isTyping: false)
            append(ChatLine(sender: message.sender, text: "has left"))
        }
    }

    private func append(_ line: ChatLine) {
        transcript.append(line)
        if !isVisible && !line.isMine { unread += 1 }
        note(line.sender, isTyping: false)
    }

    private func note(_ person: String, isTyping: Bool) {
        if isTyping {
            if !typing.contains(person) { typing.append(person) }
        } else if let index = typing.firstIndex(of: person) {
            typing.remove(at: index)
        }
    }

    // MARK: What the user does

    func open() {
        connection.connect()
        isVisible = true
    }

    func leave() { isVisible = false }

    func block(_ person: String) {
        blocked.insert(person)
        note(person, isTyping: false)
    }

    func unblock(_ person: String) { blocked.remove(person) }

    func send() {
        let text = draft.trimmed
        guard !text.isEmpty else { return }
        if connection.send(text) {
            append(ChatLine(sender: "me", text: text, isMine: true))
            draft = ""
        } else {
            failures.append(text)
        }
    }

    func sendAgain() {
        let again = failures
        failures = []
        for text in again {
            draft = text
            send()
        }
    }

    // MARK: Derived

    var title: String { unread == 0 ? name : "\(name) (\(unread))" }

    var typingLine: String {
        switch typing.count {
        case 0: ""
        case 1: "\(typing[0]) is typing …"
        default: "\(typing.count) people are typing …"
        }
    }
}

extension String {
    fileprivate var trimmed: String {
        var text = self[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}

/// The list of rooms, as the app's sidebar shows it.
@MainActor
final class ChatSidebar {
    private let rooms: [ChatRoom]

    init(_ rooms: [ChatRoom]) { self.rooms = rooms }

    var titles: [String] { rooms.map(\.title) }

    var badge: String {
        let unread = rooms.reduce(0) { $0 + $1.unread }
        return unread == 0 ? "" : unread > 99 ? "99+" : "\(unread)"
    }

    var mostRecent: ChatRoom? { rooms.max { $0.transcript.count < $1.transcript.count } }
}
