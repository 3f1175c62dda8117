import Testing

private class Root: Counted {
    var first: AnyObject?
    var isReady = false
}

private class Middle: Root {
    var text = "middle"
    var second: Middle?
}

private final class Bottom: Middle {
    var isLate = true
    var third: Bottom?
    var byte: UInt8 = 7
    var fourth: AnyObject?
}

private final class Link: Counted {
    var next: Link?
    var back: Link?
}

private final class Wide: Counted {
    let numbers = (1.5, 2, UInt8(3), true, "text", [1, 2, 3], Character("c"), Float(4))
    var ranges = 0..<4
    var optionalNumber: Int?
    var optionalText: String?
    var optionalBool: Bool?
    let constant: PlantedNode
    var pointer: UnsafeRawPointer?
    var last: Wide?

    init(constant: PlantedNode) { self.constant = constant }
}

private final class Outer: Counted {
    final class Inner: Counted {
        var owner: Outer?
    }

    var inner: Inner?
}

private final class Observing: Counted {
    var changes = 0
    var friend: Observing? { didSet { changes += 1 } }
    var doubled: Observing?? = .none
}

extension Corpus {
    mutating func plantFields() {
        about("fields and superclasses")
        leaks("an object holds itself", "PlantedNode.next → PlantedNode") {
            let node = PlantedNode()
            node.next = node
            return Plant(node)
        }
        leaks("two objects hold each other", "PlantedNode.next → PlantedNode.next → PlantedNode") {
            let first = PlantedNode(), second = PlantedNode()
            first.next = second
            second.next = first
            return Plant(first)
        }
        leaks("two objects, watched both", "PlantedNode.next → PlantedNode.object → PlantedNode") {
            let first = PlantedNode(), second = PlantedNode()
            first.next = second
            second.object = first
            return Plant(first, second)
        }
        leaks(
            "a ring of three types", "PlantedNode.object → PlantedKey.reference → PlantedNode.next → PlantedNode"
        ) {
            let first = PlantedNode(), key = PlantedKey(), last = PlantedNode()
            first.object = key
            key.reference = last
            last.next = first
            return Plant(first)
        }
        leaks("a field of the superclass", "Middle.first → Middle") {
            let middle = Middle()
            middle.first = middle
            return Plant(middle)
        }
        leaks("a field of the superclass's superclass", "Bottom.first → Bottom") {
            let bottom = Bottom()
            bottom.first = bottom
            return Plant(bottom)
        }
        leaks("a field of each class of a line", "Bottom.second → Middle.first → Bottom") {
            let bottom = Bottom(), middle = Middle()
            bottom.second = middle
            middle.first = bottom
            bottom.third = Bottom()
            return Plant(bottom)
        }
        leaks("a field behind smaller ones", "Bottom.fourth → Bottom") {
            let bottom = Bottom()
            bottom.fourth = bottom
            return Plant(bottom)
        }
        leaks("a field behind plain values of all sizes", "Wide.last → Wide") {
            let wide = Wide(constant: PlantedNode())
            wide.pointer = UnsafeRawPointer(Unmanaged.passUnretained(wide).toOpaque())
            wide.last = wide
            return Plant(wide)
        }
        leaks("a constant", "Wide.constant → PlantedNode.object → Wide") {
            let node = PlantedNode()
            let wide = Wide(constant: node)
            node.object = wide
            return Plant(wide)
        }
        leaks("a nested class", "Outer.inner → Outer.Inner.owner → Outer") {
            let outer = Outer()
            outer.inner = Outer.Inner()
            outer.inner?.owner = outer
            return Plant(outer)
        }
        leaks("an observed property", "Observing.friend → Observing") {
            let object = Observing()
            object.friend = object
            return Plant(object)
        }
        leaks("an optional of an optional", "Observing.doubled → Observing") {
            let object = Observing()
            object.doubled = .some(.some(object))
            return Plant(object)
        }
        leaks(
            "a list that is linked both ways", "Link.next → Link.back → Link", "Link.next → Link.back → Link"
        ) {
            let first = Link(), second = Link(), third = Link()
            first.next = second
            second.back = first
            second.next = third
            third.back = second
            return Plant(first)
        }
        leaks("objects that hang on a ring", "PlantedNode.next → PlantedNode.next → PlantedNode") {
            let first = PlantedNode(), second = PlantedNode(), hanging = PlantedNode()
            first.next = second
            second.next = first
            first.list = [PlantedNode(), hanging]
            return Plant(first, hanging)
        }
        leaks(
            "two rings that do not know each other", "PlantedNode.next → PlantedNode.next → PlantedNode",
            "PlantedNode.object → PlantedNode.object → PlantedNode"
        ) {
            let first = PlantedNode(), second = PlantedNode(), third = PlantedNode(), fourth = PlantedNode()
            first.next = second
            second.next = first
            third.object = fourth
            fourth.object = third
            return Plant(first, third)
        }
        leaks(
            "a ring that hangs on a ring", "PlantedNode.next → PlantedNode.next → PlantedNode",
            "PlantedNode.object → PlantedNode.object → PlantedNode"
        ) {
            let first = PlantedNode(), second = PlantedNode(), third = PlantedNode(), fourth = PlantedNode()
            first.next = second
            second.next = first
            second.list = [third]
            third.object = fourth
            fourth.object = third
            return Plant(first)
        }
        leaks(
            "two rings through one object", "PlantedNode.next → PlantedNode.object → PlantedNode",
            "PlantedNode.object → PlantedNode.next → PlantedNode"
        ) {
            let middle = PlantedNode(), left = PlantedNode(), right = PlantedNode()
            middle.next = left
            left.object = middle
            middle.object = right
            right.next = middle
            return Plant(middle)
        }
    }
}
