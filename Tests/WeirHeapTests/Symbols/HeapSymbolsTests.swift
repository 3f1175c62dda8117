import Testing
import WeirHeap

private final class Model {
    var handler: (() -> Void)?
    var name = "x"
    static let handlerLine = #line + 2
    func bind() {
        handler = { self.name += "y" }
    }
    /// The address of the code in the first stored property, which comes after the header of 16 bytes.
    var handlerAddress: UInt { Unmanaged.passUnretained(self).toOpaque().load(fromByteOffset: 16, as: UInt.self) }
    nonisolated(unsafe) static var current: Model?
}

/// Its object is made at compile time if the program is optimized; the variable is then empty.
private final class Permanent: @unchecked Sendable {
    static let shared = Permanent()
    var next: Permanent?
}

private final class Loader: Sendable {
    func call(_ closure: @Sendable () -> Void) { closure() }
    func callOnMain(_ closure: @escaping @MainActor @Sendable () -> Void) {}
    func use() {}

    /// Closures in a closure: one that may run concurrently and captures, one that captures nothing, one that does not run so, and one
    /// of an actor.
    func closures(_ list: [Int]) -> [() -> Void] {
        [
            { self.call { self.use() } },
            {
                self.call {}
                self.use()
            }, { list.forEach { _ in self.use() } }, { self.callOnMain { self.use() } }, { self.use() },
        ]
    }
}

private let permanent = Permanent()

private nonisolated(unsafe) var session: Model? = Model()

struct HeapSymbolsTests {
    @Test func `a closure is reported by its name and line`() throws {
        let model = Model()
        model.bind()
        let function = HeapSymbols().function(at: model.handlerAddress)
        #expect(function.name == "closure #1 in Model.bind()")
        #expect(function.file == "WeirHeapTests/HeapSymbolsTests.swift")
        #expect(function.line == Model.handlerLine)
        model.handler = nil
    }

    @Test func `a closure that contains closures that may run concurrently is known`() {
        let closures = Loader().closures([1])
        closures.withUnsafeBytes { bytes in
            let symbols = HeapSymbols()
            let found = closures.indices.map { place in
                // The compiler stores a function that calls the closure: its context has the closure's address.
                let words = UnsafeRawBufferPointer(rebasing: bytes[(place * 16)...])
                let function = words.load(as: UInt.self), context = words.load(fromByteOffset: 8, as: UInt.self)
                let inner = UnsafePointer<UInt>(bitPattern: context).map { $0[2] } ?? 0
                return symbols.hasConcurrentClosures(at: function) || symbols.hasConcurrentClosures(at: inner)
            }
            // In an optimized build the compiler may have inlined all of them.
            #if DEBUG
            #expect(found == [true, false, false, false, false])
            #endif
        }
    }

    @Test func `what holds an object is reported by its name`() throws {
        let held = try #require(session), current = Model()
        Model.current = current
        defer { Model.current = nil }
        let addresses = [held, current].map { UInt(bitPattern: Unmanaged.passUnretained($0).toOpaque()) }
        let names = HeapSymbols().outsideNames(of: Set(addresses))
        #expect(names[addresses[0]] == "global session")
        #expect(names[addresses[1]] == "static Model.current")
    }

    @Test func `an object that is never released is reported by the name of its variable`() {
        let addresses = [Permanent.shared, permanent].map { UInt(bitPattern: Unmanaged.passUnretained($0).toOpaque()) }
        let names = HeapSymbols().outsideNames(of: Set(addresses))
        #expect(names[addresses[0]] == "static Permanent.shared")
        #expect(names[addresses[1]] == "global permanent")
    }
}
