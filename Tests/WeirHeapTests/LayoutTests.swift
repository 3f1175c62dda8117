import Testing

@testable import WeirHeap

struct LayoutTests {
    @Test func `this process is laid out as the walker knows`() {
        #expect(HeapWalker.unknownLayout == [])
    }

    @Test func `a ring through a closure is proven and drawn`() {
        let address = plantRing()
        let report = HeapWalker().report(from: [HeapRoot(address: address, tag: 7)])
        #expect(report.doubts == [])
        #expect(report.circles.count == 1)
    }
}

private final class Model {
    var handlers: [String: () -> Void] = [:]
    var other: Model?
    var count = 0
}

@inline(never)
private func plantRing() -> UInt {
    let model = Model()
    let inner = Model()
    inner.other = model
    model.handlers["touched"] = { [count = model.count] in inner.count += count }
    return UInt(bitPattern: Unmanaged.passUnretained(model).toOpaque())
}
