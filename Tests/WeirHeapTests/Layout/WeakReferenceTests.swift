import Testing

@testable import WeirHeap

struct WeakReferenceTests {
    @Test(arguments: [false, true]) func `it says when its object is gone`(readsCounts: Bool) {
        if readsCounts { WeakReference.readCountsIfKnown() }
        var object: Thing? = Thing()
        let reference = object.map { WeakReference($0) }
        defer { reference?.end() }
        #expect(reference?.isGone == false && reference?.object === object)
        object = nil
        #expect(reference?.isGone == true && reference?.object == nil)
    }

    @Test func `in its deinit an object is gone, though its memory stays as long as unowned references do`() {
        WeakReference.readCountsIfKnown()
        var object: Thing? = Thing()
        guard let reference = object.map({ WeakReference($0) }) else { return }
        defer { reference.end() }
        let holder = object.map { UnownedHolder(thing: $0) }
        var wasGoneInDeinit = false
        object?.onDeinit = { wasGoneInDeinit = reference.isGone }
        object = nil
        #expect(wasGoneInDeinit && reference.isGone)
        withExtendedLifetime(holder) {}
    }

    private final class UnownedHolder {
        unowned let thing: Thing
        init(thing: Thing) { self.thing = thing }
    }

    private final class Thing {
        var onDeinit: () -> Void = {}
        deinit { onDeinit() }
    }
}
