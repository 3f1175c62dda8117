import Weir

// Objects that hold each other. The cured types have the property that Weir names, with 'weak'.

private class Delegated {}

private final class Table: Delegated {
    var delegate: AnyObject?
}

private final class CuredTable: Delegated {
    weak var delegate: AnyObject?
}

private final class TableScreen {
    private let table: Delegated

    init() {
        let (table, cured) = (Table(), CuredTable())
        self.table = isCured ? cured : table
        if isCured { cured.delegate = self } else { table.delegate = self }
    }
}

@MainActor func delegateStrongly() {
    close { TableScreen() }
    Trace.checkpoint("closed")
}

private class Node {}

private final class Leaf: Node {
    var parent: AnyObject?
}

private final class CuredLeaf: Node {
    weak var parent: AnyObject?
}

private final class Tree {
    private var children: [Node] = []

    init() {
        for _ in 1...2 {
            if isCured {
                let leaf = CuredLeaf()
                leaf.parent = self
                children.append(leaf)
            } else {
                let leaf = Leaf()
                leaf.parent = self
                children.append(leaf)
            }
        }
    }
}

@MainActor func keepParent() {
    close { Tree() }
    Trace.checkpoint("closed")
}

private class Route {}

private final class Router: Route {
    var coordinator: AnyObject?
}

private final class CuredRouter: Route {
    weak var coordinator: AnyObject?
}

private final class Coordinator {
    private let router: Route
    private let screen: AnyObject

    init(_ screen: AnyObject) {
        self.screen = screen
        let (router, cured) = (Router(), CuredRouter())
        self.router = isCured ? cured : router
        if isCured { cured.coordinator = self } else { router.coordinator = self }
    }
}

private final class Start {}

@MainActor func coordinate() {
    close {
        let screen = Start()
        _ = Coordinator(screen)
        return screen
    }
    Trace.checkpoint("closed")
}

private class Page {}

private final class LinkedPage: Page {
    var next: LinkedPage?
    var previous: LinkedPage?
}

private final class CuredPage: Page {
    var next: CuredPage?
    weak var previous: CuredPage?
}

@MainActor func linkPages() {
    close { () -> Page in
        if isCured {
            let (first, second) = (CuredPage(), CuredPage())
            first.next = second
            second.previous = first
            return first
        }
        let (first, second) = (LinkedPage(), LinkedPage())
        first.next = second
        second.previous = first
        return first
    }
    Trace.checkpoint("closed")
}

private class Friend {}

private final class Owner: Friend {
    var pet: Pet?
}

private final class Pet {
    var owner: Owner?
}

private final class CuredOwner: Friend {
    var pet: CuredPet?
}

private final class CuredPet {
    weak var owner: CuredOwner?
}

private final class Home {
    var friend: Friend?
}

@MainActor func keepCouple() {
    let home = Home()
    Trace.track(home)
    if isCured {
        let owner = CuredOwner()
        owner.pet = CuredPet()
        owner.pet?.owner = owner
        home.friend = owner
    } else {
        let owner = Owner()
        owner.pet = Pet()
        owner.pet?.owner = owner
        home.friend = owner
    }
    Trace.checkpoint("shown")
    stop(holding: home)
}

private class Presented {}

private final class Sheet: Presented {
    var presenter: AnyObject?
}

private final class CuredSheet: Presented {
    weak var presenter: AnyObject?
}

private final class MainScreen {
    private var sheets: [String: Presented] = [:]

    init() {
        let (sheet, cured) = (Sheet(), CuredSheet())
        if isCured { cured.presenter = self } else { sheet.presenter = self }
        sheets["login"] = isCured ? cured : sheet
    }
}

@MainActor func present() {
    close { MainScreen() }
    Trace.checkpoint("closed")
}

// Properties whose types allow no 'weak'.

private final class Panel {
    private var userInfo: Any?

    init() { userInfo = [1: ["panel": self]] }

    func closed() { userInfo = nil }
}

@MainActor func keepUserInfo() {
    close {
        let panel = Panel()
        if isCured { panel.closed() }
        return panel
    }
    Trace.checkpoint("closed")
}

private final class Marker {
    private var position: (Int, (Any, Marker?))?

    init() { position = (1, (2, self)) }

    func closed() { position = nil }
}

@MainActor func keepPosition() {
    close {
        let marker = Marker()
        if isCured { marker.closed() }
        return marker
    }
    Trace.checkpoint("closed")
}

private final class Upload {
    private indirect enum Phase {
        case idle
        case running(Upload, Phase)
    }

    private var phase = Phase.idle

    init() { phase = .running(self, .idle) }

    func closed() { phase = .idle }
}

@MainActor func keepPhase() {
    close {
        let upload = Upload()
        if isCured { upload.closed() }
        return upload
    }
    Trace.checkpoint("closed")
}
