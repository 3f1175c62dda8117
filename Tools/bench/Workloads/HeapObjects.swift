/// A node of a tree, with one extra reference that can lead anywhere.
final class Branch {
    var left: Branch?, right: Branch?
    var number: Int
    var text = "x"
    var other: Branch?

    init(_ number: Int) { self.number = number }

    /// A balanced tree whose nodes are made level by level.
    static func tree(_ count: Int) -> Branch {
        var all: [Branch] = []
        all.reserveCapacity(count)
        for number in 0..<count {
            let branch = Branch(number)
            all.append(branch)
            guard number > 0 else { continue }
            let parent = all[(number - 1) / 2]
            if number % 2 == 1 { parent.left = branch } else { parent.right = branch }
        }
        return all[0]
    }

    /// Makes each node refer to one more, chosen at random, but the same in every run.
    static func connect(_ root: Branch, _ count: Int) {
        var all = [root]
        all.reserveCapacity(count)
        var next = 0
        while next < all.count {
            if let left = all[next].left { all.append(left) }
            if let right = all[next].right { all.append(right) }
            next += 1
        }
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        for branch in all {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            branch.other = all[Int((state >> 33) % UInt64(all.count))]
        }
    }

    static func disconnect(_ root: Branch) {
        root.other = nil
        if let left = root.left { disconnect(left) }
        if let right = root.right { disconnect(right) }
    }
}

/// An object with subscribers: four objects with its handlers, their array and their captures.
final class Publisher {
    var value = 0
    var handlers: [(Int) -> Void] = []
    var next: Publisher?

    static func chain(_ count: Int) -> Publisher {
        var first = Publisher()
        for _ in 1..<max(count, 1) {
            let publisher = Publisher()
            publisher.listen()
            publisher.next = first
            first = publisher
        }
        return first
    }

    @inline(never)
    private func listen() { handlers.append { [weak self] in self?.value = $0 } }

    static func takeApart(_ first: Publisher) {
        var publisher: Publisher? = first
        while let present = publisher {
            publisher = present.next
            present.next = nil
        }
    }
}

protocol Mixable {}

/// Fields in which only the value decides whether they hold a reference.
final class Mixture {
    struct Mixed: Mixable {
        var mixture: Mixture?
    }

    enum Choice {
        case none
        case one(Mixture)
        case two(Mixture, Int)
        case function(() -> Void)
    }

    var anything: Any = 0
    var choice = Choice.none
    var byName: [String: Mixture] = [:]
    var mixed: (any Mixable)?
    var last: Mixture?

    static func chain(_ count: Int) -> Mixture {
        var first = Mixture()
        for number in 1..<max(count, 1) {
            let mixture = Mixture()
            mixture.last = first
            mixture.anything = Mixed(mixture: first)
            mixture.choice = number % 2 == 0 ? .one(first) : .two(first, 3)
            mixture.mixed = Mixed(mixture: first)
            mixture.byName = ["last": first]
            first = mixture
        }
        return first
    }

    static func takeApart(_ first: Mixture) {
        var mixture: Mixture? = first
        while let present = mixture {
            mixture = present.last
            present.last = nil
            present.anything = 0
            present.choice = .none
            present.mixed = nil
            present.byName = [:]
        }
    }
}
