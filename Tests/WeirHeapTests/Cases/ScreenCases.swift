import Testing

// Shapes from the screens of real apps: controllers, views, coordinators, delegates.

private class View: Counted {
    weak var superview: View?
    var subviews: [View] = []
    var onTap: (() -> Void)?

    func add(_ view: View) {
        view.superview = self
        subviews.append(view)
    }
}

private final class Label: View {
    var text = ""
    var title: () -> String = { "" }
}

private final class Controller: Counted {
    let view = View()
    let label = Label()
    var title = "a title that is too long to be stored in place"
    var children: [Controller] = []
    var parent: Controller?
    var coordinator: Coordinator?
    var rows: [Row] = []
    var delegate: (any PlantedDelegate)?
    lazy var formatted: () -> String = { "<\(self.title)>" }
    lazy var formattedWeakly: () -> String = { [weak self] in "<\(self?.title ?? "")>" }

    @inline(never) func read() -> String { title }
    @inline(never) func reload() {}

    @inline(never) func bindTitle() {
        view.add(label)
        label.title = { self.title }
    }

    @inline(never) func bindTitleWeakly() {
        view.add(label)
        label.title = { [weak self] in self?.title ?? "" }
    }

    @inline(never) func bindTap() {
        view.onTap = {
            UndoLog.perform { [weak self] in self?.reload() }
        }
    }
}

private enum UndoLog {
    static func perform(_ work: @escaping () -> Void) { work() }
}

private final class Row: Counted {
    enum Kind {
        case toggle(isOn: Bool, change: (Bool) -> Void)
        case link(title: String, open: () -> Void)
        case header(String)
    }

    let kind: Kind

    init(_ kind: Kind) { self.kind = kind }
}

private final class Coordinator: Counted {
    var children: [Coordinator] = []
    var controllers: [Controller] = []
    var onFinish: (() -> Void)?
    var parent: Coordinator?

    @inline(never) func start(_ child: Coordinator) {
        children.append(child)
        child.onFinish = { self.children.removeAll { $0 === child } }
    }

    @inline(never) func startWell(_ child: Coordinator) {
        children.append(child)
        child.onFinish = { [weak self, weak child] in self?.children.removeAll { $0 === child } }
    }
}

private final class Loader: Counted, PlantedDelegate {
    var delegate: (any PlantedDelegate)?
    var loader: Loader?

    func changed() {}
}

private final class Recognizer: Counted {
    var targets: [(target: AnyObject, action: (AnyObject) -> Void)] = []
}

private final class Gestures: View {
    var recognizers: [Recognizer] = []

    @inline(never) func tapped(_ sender: AnyObject) {}

    @inline(never) func install() {
        let recognizer = Recognizer()
        recognizer.targets.append((target: self, action: { use($0) }))
        recognizers.append(recognizer)
    }
}

private final class Table: Counted {
    final class Cell: Counted {
        var onDelete: (() -> Void)?
    }

    var visible: [Int: Cell] = [:]
    var rows = [1, 2, 3]

    @inline(never) func fill() {
        for row in rows {
            let cell = Cell()
            cell.onDelete = { self.rows.removeAll { $0 == row } }
            visible[row] = cell
        }
    }
}

private final class Tree: Counted {
    var parent: Tree?
    weak var weakParent: Tree?
    var children: [Tree] = []

    @inline(never) func add(_ child: Tree) {
        child.parent = self
        children.append(child)
    }

    @inline(never) func addWell(_ child: Tree) {
        child.weakParent = self
        children.append(child)
    }
}

extension Corpus {
    mutating func plantScreens() {
        about("real shapes: screens")
        leaks(
            "a controller holds a view that stores a closure reading the controller",
            "Controller.label → Label.title {} → Controller"
        ) {
            let controller = Controller()
            controller.bindTitle()
            return Plant(controller)
        }
        silent("a controller holds a view that reads it weakly") {
            let controller = Controller()
            controller.bindTitleWeakly()
            return Plant(keeping: controller)
        }
        leaks(
            "a view's tap captures strongly so that work inside can capture weakly",
            "Controller.view → View.onTap {} → Controller"
        ) {
            let controller = Controller()
            controller.bindTap()
            return Plant(controller)
        }
        leaks(
            "rows of a settings list hold their controller back",
            "Controller.rows[1] → Row.kind.toggle.change {} → Controller",
            "Controller.rows[2] → Row.kind.link.open {} → Controller"
        ) {
            let controller = Controller()
            controller.rows = [
                Row(.header("settings")), Row(.toggle(isOn: true) { _ in controller.reload() }),
                Row(.link(title: "about", open: controller.reload)),
                Row(.link(title: "help") { [weak controller] in controller?.reload() }),
            ]
            return Plant(controller)
        }
        leaks("a lazy closure that reads its owner", "Controller.formatted {} → Controller") {
            let controller = Controller()
            use(controller.formatted())
            return Plant(controller)
        }
        silent("a lazy closure that reads its owner weakly") {
            let controller = Controller()
            use(controller.formattedWeakly())
            return Plant(keeping: controller)
        }
        leaks("a parent and a child controller", "Controller.children[0] → Controller.parent → Controller") {
            let parent = Controller(), child = Controller()
            parent.children.append(child)
            child.parent = parent
            return Plant(parent)
        }
        leaks(
            "a controller and its coordinator", "Controller.coordinator → Coordinator.controllers[0] → Controller"
        ) {
            let controller = Controller(), coordinator = Coordinator()
            controller.coordinator = coordinator
            coordinator.controllers.append(controller)
            return Plant(controller)
        }
        leaks(
            "a coordinator whose child tells it of its end",
            "Coordinator.onFinish {} → Coordinator"
        ) {
            let coordinator = Coordinator()
            coordinator.start(Coordinator())
            return Plant(coordinator)
        }
        silent("a coordinator whose child tells it weakly") {
            let coordinator = Coordinator()
            coordinator.startWell(Coordinator())
            return Plant(keeping: coordinator)
        }
        leaks("a delegate, by mistake strong", "Loader.loader → Loader.delegate → Loader") {
            let owner = Loader(), loader = Loader()
            owner.loader = loader
            loader.delegate = owner
            return Plant(owner)
        }
        leaks(
            "a gesture that holds its target", "Gestures.recognizers[0] → Recognizer.targets[0].target → Gestures"
        ) {
            let view = Gestures()
            view.install()
            return Plant(view)
        }
        leaks(
            "cells that capture their table",
            cycles: (1...3).map { _ in "Table.visible[key] → Table.Cell.onDelete {} → Table" }
        ) {
            let table = Table()
            table.fill()
            return Plant(table)
        }
        leaks(
            "children that hold their parent", cycles: (0..<4).map { "Tree.children[\($0)] → Tree.parent → Tree" }
        ) {
            let tree = Tree()
            for _ in 0..<4 { tree.add(Tree()) }
            return Plant(tree)
        }
        silent("children that know their parent weakly") {
            let tree = Tree()
            for _ in 0..<4 { tree.addWell(Tree()) }
            return Plant(keeping: tree)
        }
    }
}
