import Testing
import WeirHeap

/// Walks during an operation: while a value is moved, sorted, made or destroyed, objects in use must not be reported as garbage.
struct InFlightTests {
    private final class Table {
        var entries: [String: [Entry]] = [:]
        var list: [Entry] = []
        var handlers: [() -> Void] = []
        var onMake: ((Table) -> Void)?
        lazy var made: Entry = Entry(self) { _ in }
        unowned(unsafe) var parent: Table?
        var onEnd: ((Table) -> Void)?
        var child: Entry?

        deinit { onEnd?(self) }

        func touch() {}
    }

    private final class Entry {
        var table: Table?
        var number = 0
        var onEnd: (() -> Void)?

        init(_ table: Table, _ made: (Entry) -> Void) {
            self.table = table
            made(self)
        }

        deinit { onEnd?() }
    }

    /// Walks from objects that the caller uses. None may be reported as garbage, or as not held from outside.
    ///
    /// - Parameter isMoving: whether values are being moved, so that a reference may also be seen at its old address.
    private static func expectInUse(
        _ objects: AnyObject..., isMoving: Bool = false, location: SourceLocation = #_sourceLocation
    ) {
        let report = HeapWalker().report(from: objects.map { HeapRoot(address: address(of: $0)) })
        #expect(report.cycles.allSatisfy { !$0.isProven }, sourceLocation: location)
        #expect(report.objects.allSatisfy { !$0.isGarbage }, sourceLocation: location)
        #expect(report.objects.count >= objects.count, sourceLocation: location)
        if isMoving { return }
        #expect(report.limitations.isEmpty, sourceLocation: location)
        for object in report.objects where object.root != nil {
            #expect(object.outsideReferences > 0, "\(object.type)", sourceLocation: location)
        }
    }

    @Test func `while a value of a dictionary is changed`() {
        let table = Table()
        let entry = Entry(table) { _ in }
        table.entries["key"] = [entry]
        func change(_ entries: inout [Entry]) {
            Self.expectInUse(table, entry)
            entries.append(entry)
            Self.expectInUse(table, entry)
        }
        change(&table.entries["key", default: []])
        table.entries["key"]?.removeAll { _ in
            Self.expectInUse(table, entry)
            return true
        }
    }

    @Test func `while a list is sorted`() {
        let table = Table()
        for number in 0..<40 {
            table.list.append(Entry(table) { $0.number = number &* 7919 % 40 })
        }
        let watched = table.list[3]
        var comparisons = 0
        table.list.sort { left, right in
            comparisons += 1
            if comparisons % 10 == 0 { Self.expectInUse(left, right, watched, isMoving: true) }
            return left.number < right.number
        }
        #expect(table.list.map(\.number) == Array(0..<40))
        table.list = []
    }

    @Test func `while an object is made`() {
        let table = Table()
        table.child = Entry(table) { Self.expectInUse($0, table) }
        table.list = [Entry(table) { Self.expectInUse($0, table) }, Entry(table) { Self.expectInUse($0, table) }]
        use(table.made)
        Self.expectInUse(table)
        table.made.table = nil
        table.child = nil
        table.list = []
    }

    @Test func `while an object is destroyed`() {
        var count = 0
        let keeper = Table()
        do {
            let table = Table()
            let entry = Entry(keeper) { _ in }
            table.child = entry
            entry.onEnd = {
                count += 1
                Self.expectInUse(keeper)
            }
            table.onEnd = { _ in
                count += 1
                Self.expectInUse(keeper)
            }
        }
        #expect(count == 2)
    }

    @Test func `while a closure that does not escape is stored`() {
        let table = Table(), other = Table()
        func store(_ body: () -> Void) {
            withoutActuallyEscaping(body) { escaping in
                table.handlers.append(escaping)
                Self.expectInUse(table, other)
                table.handlers.removeAll()
            }
        }
        var captured = 3
        store {
            captured += 1
            use((other, table))
        }
        store { use(other) }
        store(other.touch)
        Self.expectInUse(table, other)
    }
}
