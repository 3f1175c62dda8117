import WeirHeap

/// A kind of heap to walk.
struct HeapShape: Sendable {
    let name: String
    /// The limit in nanoseconds per object; nil for no limit.
    let limit: Double?
    /// Makes about the given number of objects, which only each other and the root's owner hold.
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

    /// Breaks up cycles and long chains: cycles would leak, and long chains would be freed by recursion.
    func tearDown() { takeApart() }
}
