import Testing

@testable import WeirHeap

struct LayoutTests {
    @Test func `this process is laid out as the walker knows`() {
        #expect(HeapWalker.unknownLayout == [])
    }
}
