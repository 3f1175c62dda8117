import WeirHeap

/// A kind of heap to walk.
struct HeapShape: Sendable {
    let name: String
    /// Most nanoseconds that an object may take; nil: not bounded.
    let limit: Double?
    /// Makes about so many objects, which nothing holds but each other and the root's owner.
    let make: @Sendable (Int) -> MadeHeap

    static let all: [HeapShape] = [
        HeapShape(name: "tree", limit: 100) { count in MadeHeap(Branch.tree(count)) { _ in } },
        HeapShape(name: "random cyclic graph", limit: 250) { count in
            let root = Branch.tree(count)
            Branch.connect(root, count)
            return MadeHeap(root) { Branch.disconnect($0) }
        },
        HeapShape(name: "subjects with [weak self] handlers", limit: nil) { count in
            MadeHeap(Publisher.chain(count / 4)) { Publisher.takeApart($0) }
        },
        HeapShape(name: "Any, enums, existentials, dictionaries", limit: nil) { count in
            MadeHeap(Mixture.chain(count / 2)) { Mixture.takeApart($0) }
        },
    ]
}

/// A heap with one owner of its root.
final class MadeHeap {
    private let object: AnyObject
    private let takeApart: () -> Void

    init<Root: AnyObject>(_ root: Root, _ takeApart: @escaping (Root) -> Void) {
        object = root
        self.takeApart = { [unowned root] in takeApart(root) }
    }

    var root: UInt { UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque()) }

    /// Undoes circles and long chains: the first would leak, the second be freed by recursion.
    func tearDown() { takeApart() }
}
