import Testing

private protocol Numbered<Element> {
    associatedtype Element

    var element: Element { get }
    var owner: AnyObject? { get }
}

private struct Numbers: Numbered {
    var element: Int
    var owner: AnyObject?
}

private protocol Refined: PlantedProtocol, CustomStringConvertible {}

private struct RefinedValue: Refined {
    var object: AnyObject
    var description: String { "refined" }

    func perform() {}
}

private protocol SubDelegate: PlantedDelegate {}

private enum EnumValue: PlantedProtocol {
    case object(AnyObject)
    case number(Int)

    func perform() {}
}

private struct Aligned: PlantedProtocol {
    var vector = SIMD4<Float>(1, 2, 3, 4)
    var object: AnyObject?

    func perform() {}
}

private struct Empty: PlantedProtocol {
    func perform() {}
}

private class Base: Counted {
    var word = 1
}

private final class Holder: Base, SubDelegate, PlantedProtocol {
    var value: (any PlantedProtocol)?
    var delegate: (any PlantedDelegate)?
    var subDelegate: (any SubDelegate)?
    var both: (any PlantedDelegate & PlantedProtocol)?
    var classAndProtocol: (Base & PlantedProtocol)?
    var numbered: (any Numbered<Int>)?
    var refined: (any Refined)?
    var anything: Any = 0
    var optionalAnything: Any?
    var object: AnyObject?
    var hashable: AnyHashable = 0
    var sendable: (any Sendable)?
    var type: Any.Type = Int.self
    var objectType: AnyObject.Type?
    var values: [any PlantedProtocol] = []
    var error: (any Error)?

    func changed() {}
    func perform() {}
}

private final class Bystander: Counted, PlantedDelegate {
    weak var weakly: (any PlantedDelegate)?
    unowned var unownedly: any PlantedDelegate
    unowned(unsafe) var unsafely: any PlantedDelegate

    init(_ other: any PlantedDelegate) {
        weakly = other
        unownedly = other
        unsafely = other
    }

    func changed() {}
}

extension Corpus {
    mutating func plantExistentials() {
        about("existentials")
        leaks("a value that fits", "Holder.value.object → Holder") {
            let holder = Holder()
            holder.value = SmallValue(object: holder)
            return Plant(holder)
        }
        leaks("a value in a box of its own", "Holder.value.object → Holder") {
            let holder = Holder()
            holder.value = LargeValue(object: holder)
            return Plant(holder)
        }
        leaks("a boxed value that is shared", "Holder.value….object → Holder") {
            let holder = Holder()
            let value: any PlantedProtocol = opaque(LargeValue(object: holder) as any PlantedProtocol)
            holder.value = value
            holder.values = [value, value]
            return Plant(holder)
        }
        leaks("a value with a large alignment", "Holder.value.object → Holder") {
            let holder = Holder()
            holder.value = Aligned(object: holder)
            return Plant(holder)
        }
        leaks("a class behind a protocol of values", "Holder.value → Holder") {
            let holder = Holder()
            holder.value = holder
            return Plant(holder)
        }
        leaks("an enum behind a protocol", "Holder.value.object → Holder") {
            let holder = Holder()
            holder.value = EnumValue.object(holder)
            return Plant(holder)
        }
        leaks("a strong delegate", "Holder.delegate → Holder") {
            let holder = Holder()
            holder.delegate = holder
            return Plant(holder)
        }
        leaks("a protocol that refines one of classes", "Holder.subDelegate → Holder") {
            let holder = Holder()
            holder.subDelegate = holder
            return Plant(holder)
        }
        leaks("two protocols", "Holder.both → Holder") {
            let holder = Holder()
            holder.both = holder
            return Plant(holder)
        }
        leaks("a class and a protocol", "Holder.classAndProtocol → Holder") {
            let holder = Holder()
            holder.classAndProtocol = holder
            return Plant(holder)
        }
        leaks("a constrained protocol", "Holder.numbered.owner → Holder") {
            let holder = Holder()
            holder.numbered = Numbers(element: 1, owner: holder)
            return Plant(holder)
        }
        leaks("a refined protocol", "Holder.refined.object → Holder") {
            let holder = Holder()
            holder.refined = RefinedValue(object: holder)
            return Plant(holder)
        }
        leaks("an object in Any", "Holder.anything → Holder") {
            let holder = Holder()
            holder.anything = holder
            return Plant(holder)
        }
        leaks("a closure in Any", "Holder.anything {} → Holder") {
            let holder = Holder()
            let handler: () -> Void = { holder.changed() }
            holder.anything = handler
            return Plant(holder)
        }
        leaks("an array in Any", "Holder.anything[2] → Holder") {
            let holder = Holder()
            holder.anything = [1, "text", holder] as [Any]
            return Plant(holder)
        }
        leaks("a tuple in Any", "Holder.anything.1 → Holder") {
            let holder = Holder()
            holder.anything = (1, holder as AnyObject)
            return Plant(holder)
        }
        leaks("a large tuple in Any", "Holder.anything.5 → Holder") {
            let holder = Holder()
            holder.anything = (1, 2, 3, 4, 5, holder as AnyObject)
            return Plant(holder)
        }
        leaks("an optional in Any", "Holder.anything → Holder") {
            let holder = Holder()
            holder.anything = Optional<AnyObject>.some(holder) as Any
            return Plant(holder)
        }
        leaks("Any in Any", "Holder.optionalAnything → Holder") {
            let holder = Holder()
            let inner: Any = holder
            holder.optionalAnything = opaque(inner) as Any
            return Plant(holder)
        }
        leaks("AnyObject", "Holder.object → Holder") {
            let holder = Holder()
            holder.object = holder
            return Plant(holder)
        }
        leaks("any Sendable", "Holder.sendable… → Holder") {
            let holder = Holder()
            nonisolated(unsafe) let unchecked = holder
            let handler: @Sendable () -> Void = { unchecked.changed() }
            holder.sendable = handler
            return Plant(holder)
        }
        leaks("AnyHashable", "Holder.hashable… → PlantedKey.reference → PlantedNode.object → Holder") {
            let holder = Holder(), node = PlantedNode()
            node.object = holder
            holder.hashable = AnyHashable(PlantedKey(node))
            return Plant(holder)
        }
        leaks("a tuple that does not fit into an existential", "PlantedNode.any.4 {} → PlantedNode") {
            let node = PlantedNode()
            node.any = (1, 2, 3, 4, { node.touch() })
            return Plant(node)
        }
        leaks("a labelled tuple that does not fit into an existential", "PlantedNode.any.action {} → PlantedNode") {
            let node = PlantedNode()
            node.any = (name: opaque("abc"), action: { node.touch() })
            return Plant(node)
        }
        leaks("existentials in an array", "Holder.values[2].object → Holder") {
            let holder = Holder()
            holder.values = [
                Empty(), SmallValue(object: PlantedNode()), LargeValue(object: holder), EnumValue.number(3),
            ]
            return Plant(holder)
        }
        silent("metatypes") {
            let holder = Holder()
            holder.type = Holder.self
            holder.objectType = Holder.self
            holder.anything = Holder.self
            return Plant(keeping: holder)
        }
        silent("numbers in Any, which look like addresses") {
            let holder = Holder()
            let number = Int(bitPattern: Unmanaged.passUnretained(holder).toOpaque())
            holder.anything = (number, number, number)
            holder.value = EnumValue.number(number)
            holder.hashable = AnyHashable(number)
            holder.sendable = number
            return Plant(keeping: holder)
        }
        silent("weak and unowned existentials") {
            let holder = Holder()
            holder.delegate = Bystander(holder)
            return Plant(keeping: holder)
        }
    }
}
