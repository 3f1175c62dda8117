import Foundation
import Testing

// Types of Foundation: on Linux they are classes and structs of Swift, partly of C. A walk need not see their contents, but its
// report must be right.

private final class Holder: Counted, @unchecked Sendable {
    var array: NSMutableArray?
    var table: NSMutableDictionary?
    var cache: NSCache<NSString, AnyObject>?
    var data = Data()
    var url: URL?
    var date: Date?
    var calendar: Calendar?
    var locale: Locale?
    var uuid: UUID?
    var decimal: Decimal?
    var indexes: IndexSet?
    var attributed: AttributedString?
    var index: IndexPath?
    var measurement: Measurement<UnitLength>?
    var formatter: DateFormatter?
    var operation: Operation?
    var queue: OperationQueue?
    var timer: Timer?
    var thread: Thread?
    var token: (any NSObjectProtocol)?
    var lock: NSLock?
    var number: NSNumber?
    var text: NSString?
    var attributedText: NSAttributedString?
    var userInfo: [AnyHashable: Any] = [:]
    var error: (any Error)?
    var encoder: JSONEncoder?

    func go() {}
}

private final class Node: NSObject {
    let ticket = Counted()
    var next: Node?
    var handler: (() -> Void)?
}

private final class Work: Operation, @unchecked Sendable {
    let ticket = Counted()
    var owner: AnyObject?
    override func main() {}
}

extension Corpus {
    mutating func plantFoundation() {
        about("Foundation")
        leaks("objects of Foundation's base class", "Node.next → Node.next → Node", limitations: nil) {
            let first = Node(), second = Node()
            first.next = second
            second.next = first
            return Plant(first)
        }
        leaks("a closure in an object of Foundation's base class", "Node.handler {} → Node", limitations: nil) {
            let node = Node()
            node.handler = { use(node) }
            return Plant(node)
        }
        leaks(
            "a mutable array of Foundation", "Holder.array → NSMutableArray._storage[1] → __SwiftValue.value → Holder",
            limitations: nil
        ) {
            let holder = Holder()
            holder.array = NSMutableArray(array: [PlantedNode(), holder])
            return Plant(holder)
        }
        leaks("an operation's field", "Holder.operation → Work.owner → Holder", limitations: nil) {
            let holder = Holder(), work = Work()
            work.owner = holder
            holder.operation = work
            return Plant(holder)
        }
        leaks("an object in an error's user info", "Holder.error → NSError._userInfo[key] → Holder", limitations: nil) {
            let holder = Holder()
            holder.error = NSError(domain: "planted", code: 1, userInfo: ["holder": holder])
            return Plant(holder)
        }
        silent("values of Foundation", limitations: nil) {
            let holder = Holder()
            holder.data = Data(repeating: 7, count: 100)
            holder.url = URL(string: "https://example.org/a/path?with=query")
            holder.date = Date()
            holder.calendar = Calendar(identifier: .gregorian)
            holder.locale = Locale(identifier: "en_GB")
            holder.uuid = UUID()
            holder.decimal = Decimal(3)
            holder.indexes = IndexSet(integersIn: 1...5)
            holder.attributed = AttributedString("text")
            holder.index = IndexPath(indexes: [1, 2, 3, 4])
            holder.measurement = Measurement(value: 1, unit: .meters)
            holder.number = 3
            holder.text = "a text that is too long to be stored in place"
            holder.userInfo = ["data": holder.data, 3: Data()]
            return Plant(keeping: holder)
        }
        silent("objects of Foundation", limitations: nil) {
            let holder = Holder(), node = PlantedNode()
            holder.array = [node, NSNumber(value: 3), NSMutableArray(array: [node])]
            holder.table = ["node": node]
            holder.lock = NSLock()
            holder.formatter = DateFormatter()
            holder.encoder = JSONEncoder()
            holder.attributedText = NSAttributedString(string: "text")
            return Plant(keeping: holder, node)
        }
        silent("a timer of a run loop that calls weakly", limitations: nil) {
            let holder = Holder()
            holder.timer = Timer(timeInterval: 1000, repeats: true) { [weak holder] _ in holder?.go() }
            return Plant(keeping: holder)
        }
        silent("a centre that holds a block", limitations: nil) {
            let holder = Holder()
            holder.token = NotificationCenter.default.addObserver(forName: nil, object: nil, queue: nil) { _ in
                holder.go()
            }
            nonisolated(unsafe) let token = holder.token
            return Plant(holder).holding(holder) { token.map(NotificationCenter.default.removeObserver) }
        }
        unseen("a timer of a run loop, which holds what it calls", limitations: nil) {
            let holder = Holder()
            holder.timer = Timer(timeInterval: 1000, repeats: true) { _ in holder.go() }
            return Plant(holder)
        }
        leaks(
            "a cache of Foundation",
            "Holder.cache → NSCache<NSString, AnyObject>… → NSCacheEntry<NSString, AnyObject>.value → Holder",
            limitations: nil
        ) {
            let holder = Holder()
            holder.cache = NSCache()
            holder.cache?.setObject(holder, forKey: "holder")
            return Plant(holder)
        }
        leaks("an operation's block", "Holder.operation → BlockOperation._block {} → Holder", limitations: nil) {
            let holder = Holder()
            holder.operation = BlockOperation { holder.go() }
            return Plant(holder)
        }
        leaks("the closure of a thread", "Holder.thread → Thread._main {} → Holder", limitations: nil) {
            let holder = Holder()
            holder.thread = Thread { holder.go() }
            return Plant(holder)
        }
        leaks("an operation's completion", "Holder.operation → Work.__completion {} → Holder", limitations: nil) {
            let holder = Holder(), work = Work()
            work.completionBlock = { holder.go() }
            holder.operation = work
            return Plant(holder)
        }
    }
}
