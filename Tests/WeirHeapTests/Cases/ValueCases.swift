import Testing

private struct Subscription {
    var id: Int
    var label: String
    var action: () -> Void
}

private struct Deep {
    struct Inner {
        var number = UInt8(1)
        var tuple = (flag: true, objects: [AnyObject]())
    }

    var inner = Inner()
    var owner: AnyObject?
}

@propertyWrapper
private struct Wrapped<Value> {
    var wrappedValue: Value
    var changes = 0

    init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
}

@propertyWrapper
private final class Published<Value> {
    var wrappedValue: Value { didSet { for handler in handlers { handler(wrappedValue) } } }
    var projectedValue: Published<Value> { self }
    var handlers: [(Value) -> Void] = []

    init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

    @inline(never) func sink(_ handler: @escaping (Value) -> Void) { handlers.append(handler) }
}

@propertyWrapper
private struct Debounced {
    private var pending: (() -> Void)?
    var wrappedValue: () -> Void {
        get { pending ?? {} }
        set { pending = newValue }
    }

    init(wrappedValue: @escaping () -> Void) { pending = wrappedValue }
}

private final class Holder: Counted {
    var subscription: Subscription?
    var subscriptions: [Subscription] = []
    var events: [String: [Subscription]] = [:]
    var deep = Deep()
    var pair: (Int, PlantedNode)?
    var named: (first: AnyObject?, rest: (AnyObject?, UInt8, AnyObject?)) = (nil, (nil, 1, nil))
    @Wrapped var wrapped: (() -> Void)? = nil
    @Published var published = 0
    @Debounced var debounced: () -> Void = {}
    @Wrapped @Wrapped var twice: AnyObject? = nil

    func go() {}
}

private final class Lazy: Counted {
    lazy var action: () -> Void = { self.go() }
    lazy var child = LazyChild(self)
    lazy var text = "lazy \(alive)"
    lazy var number: Int? = nil
    var alive = 1

    @inline(never) func go() {}
}

private final class LazyChild: Counted {
    let parent: Lazy

    init(_ parent: Lazy) { self.parent = parent }
}

private final class Inlined: Counted {
    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, *)
    typealias Actions = InlineArray<3, (() -> Void)?>

    var storage: Any?

    func go() {}
}

private struct Unique: ~Copyable {
    var object: AnyObject?
    deinit {}
}

private struct Exact: ~Copyable {
    let node: PlantedNode
}

private final class UniqueHolder: Counted {
    var unique = Unique(object: nil)
}

private final class ExactHolder: Counted {
    var exact: Exact?
}

extension Corpus {
    mutating func plantValues() {
        about("structs, tuples, wrappers, lazy")
        leaks("a closure in a struct", "Holder.subscription.action {} → Holder") {
            let holder = Holder()
            holder.subscription = Subscription(id: 1, label: "label") { holder.go() }
            return Plant(holder)
        }
        leaks("a closure in an array of structs", "Holder.subscriptions[1].action {} → Holder") {
            let holder = Holder()
            holder.subscriptions = [
                Subscription(id: 1, label: "first") {}, Subscription(id: 2, label: "second") { holder.go() },
            ]
            return Plant(holder)
        }
        leaks("a closure in a dictionary of arrays of structs", "Holder.events[key][0].action {} → Holder") {
            let holder = Holder()
            holder.events["event", default: []].append(Subscription(id: 1, label: "label") { holder.go() })
            return Plant(holder)
        }
        leaks("a struct in a struct", "Holder.deep.inner.tuple.objects[0] → Holder") {
            let holder = Holder()
            holder.deep.inner.tuple.objects = [holder]
            return Plant(holder)
        }
        leaks("an optional tuple", "Holder.pair.1 → PlantedNode.object → Holder") {
            let holder = Holder(), node = PlantedNode()
            node.object = holder
            holder.pair = (5, node)
            return Plant(holder)
        }
        leaks("a tuple in a tuple", "Holder.named.rest.2 → Holder") {
            let holder = Holder()
            holder.named.rest.2 = holder
            return Plant(holder)
        }
        leaks("a property wrapper", "Holder.wrapped {} → Holder") {
            let holder = Holder()
            holder.wrapped = { holder.go() }
            return Plant(holder)
        }
        leaks("a property wrapper that is a class", "Holder.…published → Published<Int>.handlers[0] {} → Holder") {
            let holder = Holder()
            holder.$published.sink { _ in holder.go() }
            return Plant(holder)
        }
        leaks("a property wrapper that hides its storage", "Holder.…debounced.pending {} → Holder") {
            let holder = Holder()
            holder.debounced = { holder.go() }
            return Plant(holder)
        }
        leaks("two property wrappers", "Holder.twice… → Holder") {
            let holder = Holder()
            holder.twice = holder
            return Plant(holder)
        }
        leaks("a lazy closure", "Lazy.action {} → Lazy") {
            let object = Lazy()
            use(object.action)
            return Plant(object)
        }
        leaks("a lazy child that holds its parent", "Lazy.child → LazyChild.parent → Lazy") {
            let object = Lazy()
            use(object.child)
            return Plant(object)
        }
        leaks("a noncopyable struct", "UniqueHolder.unique… → UniqueHolder") {
            let holder = UniqueHolder()
            holder.unique.object = holder
            return Plant(holder)
        }
        leaks("an optional noncopyable struct", "ExactHolder.exact… → PlantedNode.object → ExactHolder") {
            let holder = ExactHolder(), node = PlantedNode()
            node.object = holder
            holder.exact = Exact(node: node)
            return Plant(holder)
        }
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, *) {
            leaks("an array in place", "Inlined.storage[1] {} → Inlined") {
                let holder = Inlined()
                var actions: Inlined.Actions = [nil, nil, nil]
                actions[1] = { holder.go() }
                holder.storage = actions
                return Plant(holder)
            }
        }
        silent("a lazy closure that nobody asked for") { Plant(keeping: Lazy()) }
        silent("lazy values that hold nothing") {
            let object = Lazy()
            use((object.text, object.number))
            return Plant(keeping: object)
        }
    }
}
