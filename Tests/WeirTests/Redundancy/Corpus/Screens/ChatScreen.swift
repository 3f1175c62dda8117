import Weir

/// A list of chats, with messages that come on a thread of the network.
enum ChatScreen {
    private final class ChatModel: Sendable {
        let unread = Observable(3)
        let badge: Combiner<String>

        init() {
            badge = Observable.combine(unread) { "\(min($0, 99))" }
        }

        func open() { unread.value = 0 }
        func receive(_ text: String) { unread.value += 1 }
    }

    private final class ChatRow {
        let onUnread = Observer<Int> { _ in }
    }

    /// Calls back on a thread of its own choice.
    private final class Connection: Sendable {
        let onMessage = Locked<(@Sendable (String) -> Void)?>(nil)
    }

    private final class CuredChatModel {
        let unread = Observable(3)
        let badge: Combiner<String>
        let messages: Signal<String>
        private let bag = DisposeBag()

        init(_ connection: Connection, main: some Scheduler) {
            badge = Observable.combine(unread) { "\(min($0, 99))" }
            messages = Signal<String> { subscriber in
                connection.onMessage.change { $0 = { subscriber.next($0) } }
                return Disposable { connection.onMessage.change { $0 = nil } }
            }
            messages.deliver(on: main).subscribe { [unread] _ in unread.value += 1 }.disposed(by: bag)
        }

        func open() { unread.value = 0 }
    }

    private final class CuredChatRow {
        private let bag = DisposeBag()

        init(_ model: CuredChatModel) { model.unread.subscribe { _ in }.disposed(by: bag) }
    }

    static var all: [Program] {
        [
            Program(
                "A chat list that the network writes, and a row that is gone",
                finds: [
                    .init(.crossThread, "ChatModel.unread", count: 2), .init(.crossThread, "ChatModel.badge", count: 2),
                    .init(.zombieRefresh, "ChatModel.unread", count: 1),
                ], redundant: 1, of: 6
            ) { scene in
                let model = scene.adopt(ChatModel())
                var row: ChatRow? = ChatRow()
                if let row { Trace.adopt(row) }
                row?.onUnread.subscribe(to: model.unread)
                model.badge.subscribe { _ in }
                scene.act("open") { model.open() }
                scene.act("receive") { scene.onAnotherThread { model.receive("hi") } }
                scene.act("scroll away") { row = nil }
                scene.act("receive") { scene.onAnotherThread { model.receive("ho") } }
            },
            Program("The same list, on one thread, with a row that lets go", finds: [], redundant: 0, of: 7) { scene in
                let connection = Connection()
                let model = scene.adopt(CuredChatModel(connection, main: scene.time))
                var row: CuredChatRow? = CuredChatRow(model)
                if let row { Trace.adopt(row) }
                model.badge.subscribe { _ in }
                func receive(_ text: String) {
                    scene.act("receive") {
                        scene.onAnotherThread { connection.onMessage.value?(text) }
                        scene.time.runUntilIdle()
                    }
                }
                scene.act("open") { model.open() }
                receive("hi")
                scene.act("scroll away") { row = nil }
                receive("ho")
            },
        ]
    }
}
