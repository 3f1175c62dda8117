import Testing

private final class Owner: Counted {
    var first: (() -> Void)?
    var second: (() -> Void)?
    var text: ((Int) throws -> String)?
    var compare: ((PlantedNode, PlantedNode) -> Bool)?
    var transform: (inout Int) -> Void = { _ in }
    var make: (() -> AnyObject)?
    var left: PlantedNode?
    var right: PlantedNode?

    @inline(never) func go() {}
    @inline(never) func describe(_ number: Int) throws -> String { "\(number)" }
    @inline(never) func accept(_ value: @autoclosure @escaping () -> AnyObject) { make = value }
    @inline(never) func run(_ body: (Owner) -> Void) { body(self) }

    @inline(never) func captureSelfImplicitly() {
        first = { [self] in go() }
    }

    @inline(never) func captureWithDefer() {
        first = {
            defer { self.go() }
            use(1)
        }
    }

    @inline(never) func captureByLocalFunction() {
        func helper() { go() }
        first = helper
    }

    @inline(never) func captureByMutualFunctions(_ number: Int) {
        func even(_ rest: Int) { if rest > 0 { odd(rest - 1) } else { go() } }
        func odd(_ rest: Int) { if rest > number { even(rest - 1) } else { go() } }
        first = { even(number) }
    }
}

private struct Machine {
    var owner: Owner
    var factor = 3

    func start() { owner.go() }
    mutating func stop() { factor = 0 }
}

@inline(never)
private func repeated(_ handler: @escaping (Int) -> Void, _ times: Int) -> () -> Void {
    return {
        for round in 0..<times { handler(round) }
    }
}

@inline(never)
private func curried(_ owner: Owner) -> (Int) -> () -> Void {
    { number in
        { if number > 0 { owner.go() } }
    }
}

@inline(never)
private func composed<Input, Middle, Output>(
    _ inner: @escaping (Input) -> Middle, _ outer: @escaping (Middle) -> Output
) -> (Input) -> Output {
    { outer(inner($0)) }
}

extension Corpus {
    mutating func plantClosures() {
        about("closures")
        leaks("a closure in a list captures the list's owner", "PlantedSubject.subscribers[0] {} → PlantedSubject") {
            let subject = PlantedSubject()
            subject.subscribe { subject.value = $0 }
            return Plant(subject)
        }
        leaks("one strong closure among harmless ones", "PlantedSubject.subscribers[1] {} → PlantedSubject") {
            let subject = PlantedSubject()
            subject.subscribe { [weak subject] in subject?.value = $0 }
            subject.subscribe { subject.value = $0 }
            subject.subscribe { [unowned subject] in subject.value = $0 }
            return Plant(subject)
        }
        leaks(
            "a hundred closures on one subject",
            cycles: (0..<100).map { "PlantedSubject.subscribers[\($0)] {} → PlantedSubject" }
        ) {
            let subject = PlantedSubject()
            for number in 0..<100 { subject.subscribe { subject.value = $0 + number } }
            return Plant(subject)
        }
        leaks("an optional closure", "PlantedSubject.onChange {} → PlantedSubject") {
            let subject = PlantedSubject()
            subject.onChange = { subject.bump() }
            return Plant(subject)
        }
        leaks("a closure that captures two things", "PlantedSubject.onChange {} → PlantedSubject") {
            let subject = PlantedSubject()
            let number = opaque(3)
            subject.onChange = { subject.value = number }
            return Plant(subject)
        }
        leaks("a closure that captures values of many sizes", "PlantedSubject.onChange {} → PlantedSubject") {
            let subject = PlantedSubject()
            let flag = opaque(true), byte = opaque(UInt8(1)), text = opaque("text"), wide = opaque((1.5, "x", 2))
            subject.onChange = {
                use((flag, byte, text, wide))
                subject.bump()
            }
            return Plant(subject)
        }
        leaks("a method reference", "PlantedSubject.onChange {} → PlantedSubject") {
            let subject = PlantedSubject()
            subject.onChange = subject.bump
            return Plant(subject)
        }
        leaks("a method reference in a list", "PlantedSubject.subscribers[0] {} → PlantedSubject") {
            let subject = PlantedSubject()
            let bump = subject.bump
            subject.subscribers.append { _ in bump() }
            return Plant(subject)
        }
        leaks("a method reference that throws and returns", "Owner.text {} → Owner") {
            let owner = Owner()
            owner.text = owner.describe
            return Plant(owner)
        }
        leaks("an unapplied method, applied", "Owner.first {} → Owner") {
            let owner = Owner()
            owner.first = opaque(Owner.go)(owner)
            return Plant(owner)
        }
        leaks("a method of a struct that holds the owner", "Owner.first {}… → Owner") {
            let owner = Owner()
            owner.first = Machine(owner: owner).start
            return Plant(owner)
        }
        leaks("a throwing closure with a result", "Owner.text {} → Owner") {
            let owner = Owner()
            owner.text = { number in
                owner.go()
                return "\(number)"
            }
            return Plant(owner)
        }
        leaks("a closure with object parameters", "Owner.compare {} → Owner") {
            let owner = Owner()
            owner.compare = { left, right in
                owner.go()
                return left === right
            }
            return Plant(owner)
        }
        leaks("a closure with an inout parameter", "Owner.transform {} → Owner") {
            let owner = Owner()
            owner.transform = { number in
                owner.go()
                number += 1
            }
            return Plant(owner)
        }
        leaks("an autoclosure", "Owner.make {} → Owner") {
            let owner = Owner()
            owner.accept(owner)
            return Plant(owner)
        }
        leaks("implicit self", "Owner.first {} → Owner") {
            let owner = Owner()
            owner.captureSelfImplicitly()
            return Plant(owner)
        }
        leaks("self in a defer", "Owner.first {} → Owner") {
            let owner = Owner()
            owner.captureWithDefer()
            return Plant(owner)
        }
        leaks("a local function", "Owner.first {} → Owner") {
            let owner = Owner()
            owner.captureByLocalFunction()
            return Plant(owner)
        }
        leaks("local functions that call each other", "Owner.first {} → Owner") {
            let owner = Owner()
            owner.captureByMutualFunctions(opaque(3))
            return Plant(owner)
        }
        leaks("a closure in a closure", "PlantedSubject.onChange {} → PlantedSubject") {
            let subject = PlantedSubject()
            subject.onChange = {
                let inner = { subject.bump() }
                inner()
                use(inner)
            }
            return Plant(subject)
        }
        leaks("a closure that captures a closure", "PlantedSubject.onChange {} → PlantedSubject") {
            let subject = PlantedSubject()
            let inner = { subject.bump() }
            let number = opaque(3)
            subject.onChange = {
                inner()
                use(number)
            }
            return Plant(subject)
        }
        leaks("a chain of four closures", "PlantedSubject.onChange {} → PlantedSubject") {
            let subject = PlantedSubject()
            var chain: () -> Void = { subject.bump() }
            for _ in 0..<opaque(3) {
                let last = chain
                chain = {
                    last()
                    use(1)
                }
            }
            subject.onChange = chain
            return Plant(subject)
        }
        leaks("an escaping parameter, wrapped", "PlantedSubject.onChange {} → PlantedSubject") {
            let subject = PlantedSubject()
            subject.onChange = repeated({ subject.value = $0 }, opaque(2))
            return Plant(subject)
        }
        leaks("a curried function", "Owner.first {} → Owner") {
            let owner = Owner()
            owner.first = curried(owner)(opaque(4))
            return Plant(owner)
        }
        leaks("composed generic functions", "Owner.text {} → Owner") {
            let owner = Owner()
            let inner: (Int) -> PlantedNode = { number in
                owner.go()
                let node = PlantedNode()
                node.value = number
                return node
            }
            owner.text = composed(inner) { "\($0.value)" }
            return Plant(owner)
        }
        leaks("a captured variable", "PlantedSubject.onChange {}… → PlantedSubject") {
            let subject = PlantedSubject()
            var variable: PlantedSubject? = subject
            subject.onChange = {
                variable?.bump()
                variable = variable?.value == 77 ? nil : variable
            }
            subject.plain = { use(variable) }
            return Plant(subject)
        }
        leaks(
            "a variable that holds the closure that captures it", "Owner.first {}… → Owner", "something {} → something"
        ) {
            let owner = Owner()
            var again: (Int) -> Void = { _ in }
            again = { number in
                owner.go()
                if number > 0 { again(number - 1) }
            }
            owner.first = { again(2) }
            return Plant(owner)
        }
        leaks("a captured tuple with a closure", "PlantedSubject.onChange {}… → PlantedSubject") {
            let subject = PlantedSubject()
            let tuple = (PlantedNode(), opaque(4), { subject.bump() })
            subject.onChange = {
                use(tuple)
                tuple.2()
            }
            return Plant(subject)
        }
        leaks("a captured array", "PlantedSubject.onChange {}[1] → PlantedSubject") {
            let subject = PlantedSubject()
            let objects: [AnyObject] = [PlantedNode(), subject]
            subject.onChange = { use(objects) }
            return Plant(subject)
        }
        leaks("a captured struct", "Owner.first {}… → Owner") {
            let owner = Owner()
            let machine = opaque(Machine(owner: owner))
            owner.first = { machine.start() }
            return Plant(owner)
        }
        leaks("a captured, changed struct", "Owner.first {}… → Owner") {
            let owner = Owner()
            var machine = opaque(Machine(owner: owner))
            owner.first = { machine.stop() }
            owner.second = { use(machine.factor) }
            return Plant(owner)
        }
        leaks("a captured optional", "Owner.first {} → Owner") {
            let owner = Owner()
            let maybe: Owner? = opaque(owner)
            owner.first = { maybe?.go() }
            return Plant(owner)
        }
        leaks("a captured existential", "Owner.first {}… → Owner") {
            let owner = Owner()
            let existential: any PlantedProtocol = opaque(SmallValue(object: owner) as any PlantedProtocol)
            owner.first = { existential.perform() }
            return Plant(owner)
        }
        leaks("a captured metatype beside the owner", "Owner.first {} → Owner") {
            let owner = Owner()
            let type: Any.Type = opaque(Owner.self)
            owner.first = {
                use(type)
                owner.go()
            }
            return Plant(owner)
        }
        leaks("a strong capture beside weak and unowned ones", "Owner.first {} → Owner") {
            let owner = Owner(), other = PlantedNode()
            owner.left = other
            owner.first = { [weak weakly = owner, unowned unownedly = other, strongly = owner] in
                use(weakly)
                unownedly.touch()
                strongly.go()
            }
            return Plant(owner)
        }
        leaks(
            "an outer closure that captures strongly so that an inner one can capture weakly", "Owner.first {} → Owner"
        ) {
            let owner = Owner()
            owner.first = {
                let inner = { [weak owner] in owner?.go() }
                inner()
                use(inner)
            }
            return Plant(owner)
        }
        leaks(
            "two handlers, one of which has no context", "Owner.left → PlantedNode.handler {} → Owner",
            "Owner.right → PlantedNode.handler {} → Owner"
        ) {
            let owner = Owner()
            let number = opaque(2)
            owner.left = PlantedNode()
            owner.right = PlantedNode()
            owner.left?.handler = { owner.go() }
            owner.right?.handler = {
                use(number)
                owner.go()
            }
            return Plant(owner)
        }
        leaks("one closure stored twice", "Owner.… {} → Owner") {
            let owner = Owner()
            let number = opaque(5)
            let handler = {
                use(number)
                owner.go()
            }
            owner.first = handler
            owner.second = handler
            return Plant(owner)
        }
        leaks("two closures that capture one variable", "Owner.first {}… → Owner", "Owner.second {}… → Owner") {
            let owner = Owner()
            var shared: Owner? = opaque(owner)
            let number = opaque(5)
            owner.first = {
                use(number)
                shared?.go()
            }
            owner.second = {
                use(number)
                shared = nil
            }
            return Plant(owner)
        }
    }
}
