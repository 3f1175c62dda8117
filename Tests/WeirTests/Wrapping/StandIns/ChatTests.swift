import Testing
import Weir

extension Everything.AskingOtherProcesses.StandInTests {
    /// Written down first, from reading the model and what its user does.
    private enum Chat {
        /// The last of three messages in a row.
        static let why = [
            "Ben writes three messages", "incoming = ChatMessage(number: 5, sender: ·, content: text(…))",
            "ChatRoom.unread = 4",
        ]
        /// At the end of the next stimulus: the loop handles a message after the stimulus that delivers it.
        static let whyTyping = [
            "Aki begins to type", "incoming = ChatMessage(number: 1, sender: ·, content: typing(…))",
            "ChatRoom.typing = ·",
        ]
        /// The room has the message already: the loop runs, and does not write.
        static let whyNotAfterRepetition = ["handlerDidNotWrite ChatRoom.unread"]
        /// Ben is blocked: the same.
        static let whyNotAfterBlocked = ["handlerDidNotWrite ChatRoom.unread"]
        /// The stream has ended, and with it the loop that wrote: its subscription is over.
        static let whyNotAfterEnd = ["subscriptionEnded ChatRoom.unread"]
        /// A message of a blocked person is handled too: the loop calls the room's closure.
        static let whyHandled = [
            "Ben writes again", "incoming = ChatMessage(number: 6, sender: ·, content: text(…))", "handled = ·",
        ]
        /// Only a message makes the loop call the closure.
        static let whyNotHandledAfterBlock = ["unconnected", "incoming"]
        static let whyNotHandledAfterEnd = ["subscriptionEnded handled"]
        static let redundant: Set<String> = [
            // The server sends a message again.
            "note repeated-value incoming ×1",
            // Three messages in one frame, each of which may be wanted.
            "note burst incoming ×2",
        ]
        static let leaks: Set<String> = ["retain-cycle ChatConnection, ChatRoom"]
        static let graph: Set<String> = [
            "incoming ⇢ transcript", "incoming ⇢ unread", "incoming ⇢ typing", "incoming ⇢ handled",
        ]
    }

    /// The server delivers messages, and the room handles them.
    @MainActor
    private func deliver(_ name: String, _ connection: ChatConnection, to room: ChatRoom, _ messages: ChatMessage...)
        async
    {
        await withCheckedContinuation { done in
            var left = messages.count
            room.onIdle = { [weak room] in
                left -= 1
                guard left == 0 else { return }
                room?.onIdle = nil
                done.resume()
            }
            Trace.stimulus(name) { for message in messages { connection.deliver(message) } }
        }
        await mainQueue(turns: 2)
        Trace.frame()
    }

    @MainActor
    private func chat() async {
        let connection = ChatConnection()
        let room = ChatRoom("Tea", connection: connection)
        Trace.adopt(room)
        Trace.observe(room)
        let loop = Task { await room.listen() }
        await actOnMain("open the room") { room.open() }
        await actOnMain("leave the room") { room.leave() }
        let hello = ChatMessage(number: 2, sender: "Aki", content: .text("Hello"))
        await deliver(
            "Aki begins to type", connection, to: room, ChatMessage(number: 1, sender: "Aki", content: .typing(true)))
        await deliver("Aki writes", connection, to: room, hello)
        await deliver("the server repeats it", connection, to: room, hello)
        await deliver(
            "Ben writes three messages", connection, to: room,
            ChatMessage(number: 3, sender: "Ben", content: .text("Hi")),
            ChatMessage(number: 4, sender: "Ben", content: .text("Tea?")),
            ChatMessage(number: 5, sender: "Ben", content: .text("At four")))
        await actOnMain("block Ben") { room.block("Ben") }
        await deliver(
            "Ben writes again", connection, to: room, ChatMessage(number: 6, sender: "Ben", content: .text("Hm")))
        await actOnMain("disconnect") { connection.disconnect() }
        await loop.value
        await actOnMain("Aki writes too late") {
            connection.deliver(ChatMessage(number: 7, sender: "Aki", content: .text("Bye")))
        }
        #expect(room.unread == 4 && room.transcript.count == 4 && room.title == "Tea (4)")
        #expect(ChatSidebar([room]).badge == "4" && room.status == "offline")
    }

    @MainActor
    @Test func `A chat over a stream`() async throws {
        let answers = try await StandInAnswers { await chat() }
        try expect(answers.why("ChatRoom.unread"), Chat.why)
        try expect(answers.why("ChatRoom.typing", at: "Aki writes"), Chat.whyTyping)
        // The message was handled later: in the body of the loop.
        #expect(
            try answers.text("why", "ChatRoom.unread").contains("↓ continued in the handler at WeirTests/Chat.swift:"))
        try expect(answers.whyNot("ChatRoom.unread", after: "the server repeats it"), Chat.whyNotAfterRepetition)
        try expect(answers.whyNot("ChatRoom.unread", after: "Ben writes again"), Chat.whyNotAfterBlocked)
        try expect(answers.whyNot("ChatRoom.unread", after: "Aki writes too late"), Chat.whyNotAfterEnd)
        try expect(answers.why("handled"), Chat.whyHandled)
        try expect(answers.whyNot("handled", after: "block Ben"), Chat.whyNotHandledAfterBlock)
        try expect(answers.whyNot("handled", after: "Aki writes too late"), Chat.whyNotHandledAfterEnd)
        try expect(answers.redundant(), Chat.redundant)
        try expect(answers.leaks(), Chat.leaks)
        try expect(answers.linesOfLeaks(), ["WeirTests/Chat.swift"])
        try expect(answers.graph(), Chat.graph)
    }
}
