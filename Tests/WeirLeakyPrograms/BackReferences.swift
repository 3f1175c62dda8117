import Weir

// Objects that own each other by their names alone: the remedy must not weaken what owns.

private class Presenting {
    var shown = 0
}

private final class Presenter: Presenting {
    var view: ProfileView?
}

private final class CuredPresenter: Presenting {
    weak var view: ProfileView?
}

private final class ProfileView {
    let presenter: Presenting

    init() {
        if isCured {
            let cured = CuredPresenter()
            presenter = cured
            cured.view = self
        } else {
            let presenter = Presenter()
            self.presenter = presenter
            presenter.view = self
        }
    }
}

@MainActor func presentProfile() {
    close { ProfileView() }
    Trace.checkpoint("closed")
}

private class Listening {
    var count: Int { 0 }
}

private final class Multicast: Listening {
    var delegates: [AnyObject] = []
}

private final class CuredMulticast: Listening {
    private struct Box {
        weak var object: AnyObject?
    }
    private var delegates: [Box] = []

    func add(_ object: AnyObject) { delegates.append(Box(object: object)) }
}

private final class Room {
    private let events: Listening

    init() {
        let (events, cured) = (Multicast(), CuredMulticast())
        self.events = isCured ? cured : events
        if isCured { cured.add(self) } else { events.delegates.append(self) }
    }
}

@MainActor func joinRoom() {
    close { Room() }
    Trace.checkpoint("closed")
}

private final class Stack {
    var screens: [StackScreen] = []
}

private final class StackFlow {
    let stack = Stack()

    func push() -> StackScreen {
        let screen = StackScreen(StackModel(self))
        stack.screens.append(screen)
        return screen
    }
}

private final class StackModel {
    private let coordinator: StackFlow?
    private weak var curedCoordinator: StackFlow?

    init(_ coordinator: StackFlow) {
        self.coordinator = isCured ? nil : coordinator
        curedCoordinator = isCured ? coordinator : nil
    }
}

private final class StackScreen {
    private let model: StackModel

    init(_ model: StackModel) { self.model = model }
}

@MainActor func pushScreen() {
    close { StackFlow().push() }
    Trace.checkpoint("closed")
}

private struct Plugin {
    let host: PluginHost
}

private struct CuredPlugin {
    weak var host: PluginHost?
}

private final class PluginHost {
    private var plugins: [Plugin] = []
    private var cured: [CuredPlugin] = []

    init() {
        if isCured {
            cured.append(CuredPlugin(host: self))
        } else {
            plugins.append(Plugin(host: self))
        }
    }
}

@MainActor func plugIn() {
    close { PluginHost() }
    Trace.checkpoint("closed")
}

private final class EventLog {
    private var messages: [() -> String] = []

    func log(_ message: @autoclosure @escaping () -> String) { messages.append(message) }
}

private final class LoggedModel {
    private let log = EventLog()
    private var id = 1

    // The compiler gives an autoclosure no line.
    init() {  // leaks
        if isCured {
            let id = id
            log.log("id \(id)")
        } else {
            log.log("id \(self.id)")
        }
    }
}

@MainActor func logLater() {
    close { LoggedModel() }
    Trace.checkpoint("closed")
}
