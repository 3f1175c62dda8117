/// Checks on objects of our own that this process lays out memory as the walker expects.
///
/// The checks look, step by step, at everything that a walk later reads blindly. If one step fails, the next ones are skipped. So
/// if an unknown compiler built the program, the first walk ends with a message and not with a crash.
enum LayoutFacts {
    /// The facts that do not hold; empty if all do.
    static var wrong: [String] {
        let memory = MemoryMap()
        memory.refresh()
        for step in [headers, classes, values, walks] {
            let wrong = step(memory)
            if !wrong.isEmpty { return wrong }
        }
        return []
    }

    private static func collect(_ facts: [(name: String, holds: Bool)]) -> [String] {
        facts.filter { !$0.holds }.map(\.name)
    }

    // MARK: - Headers

    private static func headers(_ memory: MemoryMap) -> [String] {
        let probe = LayoutProbe()
        let other = LayoutProbe()
        let address = address(of: probe)
        let holders = (0..<3).map { _ in probe }
        var facts = [
            ("an object begins with its metadata", Memory.word(address) == Metadata(LayoutProbe.self).address),
            ("strong references are counted", ReferenceCounts(of: address).strong >= 2),
        ]
        let before = ReferenceCounts(of: address)
        let more = holders.map { Unmanaged.passRetained($0) }
        facts.append(("each one by one", ReferenceCounts(of: address).strong == before.strong + 3))
        for holder in more { holder.release() }
        other.weak = probe
        other.unowned = probe
        memory.refresh()
        let header = Memory.word(address + 8)
        let sideTable = ReferenceCounts.sideTable(header)
        let isBeside = header >> 63 == 1 && memory.isReadable(sideTable, 32)
        facts.append(("weak references bring a side table", isBeside))
        if isBeside {
            let after = ReferenceCounts(of: address)
            facts += [
                ("a side table begins with its object", Memory.word(sideTable) == address),
                ("the counts move to the side table", after.strong == before.strong),
                ("weak references are counted there", after.weak == 1),
                ("unowned references are counted", after.unowned == 2),
                ("weak references lead to the side table", WeakReference.saysWhatIsSo),
            ]
        }
        withExtendedLifetime((probe, other, holders)) {}
        return collect(facts.map { (name: $0.0, holds: $0.1) })
    }

    // MARK: - Classes

    private static func classes(_ memory: MemoryMap) -> [String] {
        let metadata = Metadata(LayoutDerivedProbe.self)
        let base = Metadata(LayoutProbe.self)
        memory.refresh()
        guard memory.isReadable(metadata.address, 96), metadata.superclass == base else {
            return ["a class names its superclass"]
        }
        guard metadata.instanceSize == base.instanceSize + 8 else { return ["a class says how large instances are"] }
        guard memory.isReadable(metadata.classDescriptorPlace, 8), let descriptor = metadata.classDescriptor,
            descriptor.address & 3 == 0, memory.isReadable(descriptor.address, 44), descriptor.kind == .class
        else { return ["a class has a descriptor"] }
        guard memory.isReadable(Memory.relative(descriptor.address + 8), 19), descriptor.name == "LayoutDerivedProbe"
        else { return ["a descriptor has a name"] }
        guard descriptor.module == "WeirHeap" else { return ["a descriptor has a module"] }
        guard let fields = descriptor.fields else { return ["WeirHeap was built with reflection metadata"] }
        guard fields.count == 1, fields[0].name == "further", let type = fields[0].type else {
            return ["a descriptor lists fields"]
        }
        guard descriptor.fieldOffset(0, ofClass: metadata) == base.instanceSize else { return ["fields have offsets"] }
        guard TypeResolver.resolve(type, in: descriptor) == Metadata(Optional<LayoutProbe>.self) else {
            return ["types of fields can be found"]
        }
        return []
    }

    // MARK: - Values

    private static func values(_ memory: MemoryMap) -> [String] {
        func witnesses<Value>(_ type: Value.Type) -> ValueWitnesses? {
            let witnesses = Metadata(type).witnesses
            // The table may be new, in memory that was not there before.
            memory.refresh()
            return memory.isReadable(witnesses.table, 104) ? witnesses : nil
        }
        func isLaidOut<Value>(_ type: Value.Type) -> Bool {
            guard let witnesses = witnesses(type) else { return false }
            return witnesses.size == UInt(MemoryLayout<Value>.size)
                && witnesses.stride == UInt(MemoryLayout<Value>.stride)
                && witnesses.alignMask == UInt(MemoryLayout<Value>.alignment - 1)
        }
        typealias Large = (Int, Int, Int, AnyObject)
        return collect([
            ("values have a size", isLaidOut(Int32.self) && isLaidOut(Large.self) && isLaidOut((Int, Bool).self)),
            ("plain values are known", witnesses((Int, Bool).self)?.isPlain == true),
            ("values with references are known", witnesses(LayoutChoice.self)?.isPlain == false),
            ("small values lie in existentials", witnesses((Int, AnyObject).self)?.isInline == true),
            ("large values lie in boxes", witnesses(Large.self)?.isInline == false),
        ])
    }

    // MARK: - Walks

    private static func walks(_ memory: MemoryMap) -> [String] {
        let rings: [(name: String, build: (LayoutProbe) -> Void)] = [
            ("properties", { $0.object = $0 }),
            ("closures that captured one object", { probe in probe.closure = { keep(probe) } }),
            (
                "closures that captured several",
                { probe in
                    let other = LayoutProbe()
                    probe.closure = {
                        keep(probe)
                        keep(other)
                    }
                }
            ),
            (
                "captured variables",
                { probe in
                    var variable: LayoutProbe? = probe
                    let other = LayoutProbe()
                    probe.closure = {
                        keep(variable)
                        keep(other)
                        variable = probe
                    }
                }
            ),
            ("arrays", { $0.list = [LayoutProbe(), $0] }),
            ("dictionaries", { $0.table = [1: LayoutProbe(), 2: $0, 3: LayoutProbe()] }),
            ("existentials", { $0.any = $0 }),
            ("existentials with a box", { $0.any = (1, 2, 3, $0) }),
            ("enums", { $0.choice = .one($0) }),
            ("enums with large payloads", { $0.choice = .two($0, 5) }),
            ("enums with closures", { probe in probe.choice = .closure { keep(probe) } }),
            ("optional tuples", { $0.pair = (7, $0) }),
        ]
        var wrong = rings.filter { !isFound($0.build) }.map(\.name)
        let probe = LayoutProbe()
        let other = LayoutProbe()
        probe.weak = other
        probe.unsafe = other
        other.object = probe
        if proof(from: address(of: other)).map({ $0.cycles.isEmpty && $0.inconsistent.isEmpty }) != true {
            wrong.append("references that hold")
        }
        withExtendedLifetime((probe, other)) {}
        return wrong.map { "the walk follows " + $0 }
    }

    /// Whether a ring is proven to be one, with all counts right.
    private static func isFound(_ build: (LayoutProbe) -> Void) -> Bool {
        let address = ring(build)
        let proof = proof(from: address)
        cut(address)
        guard let proof else { return false }
        return !proof.cycles.isEmpty && proof.cycles.allSatisfy(\.isProven) && proof.inconsistent.isEmpty
    }

    /// The proof of a walk from the object at `address`; nil if the walk had limitations.
    private static func proof(from address: UInt) -> HeapProof? {
        let (graph, limitations) = HeapWalker().walk(from: [address])
        if !limitations.isEmpty || graph.traits.contains(where: { $0.contains(.isRejected) }) { return nil }
        do {
            return try HeapProof(graph: graph, pins: [:], handlerRoots: [], wanted: [], rootCount: 1, cycleLimit: 8)
        } catch {
            // Without memory for even this, no walk is possible.
            return nil
        }
    }

    @inline(never)
    private static func ring(_ build: (LayoutProbe) -> Void) -> UInt {
        let probe = LayoutProbe()
        build(probe)
        return address(of: probe)
    }

    @inline(never)
    private static func cut(_ address: UInt) {
        guard let pointer = UnsafeRawPointer(bitPattern: address) else { return }
        Unmanaged<LayoutProbe>.fromOpaque(pointer).takeUnretainedValue().clear()
    }

    private static func address(of object: AnyObject) -> UInt {
        UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
    }

    @inline(never) @_optimize(none)
    fileprivate static func keep<Value>(_ value: Value) {}
}

private class LayoutProbe {
    var object: AnyObject?
    var closure: (() -> Void)?
    var list: [AnyObject] = []
    var table: [Int: AnyObject] = [:]
    var any: Any = 0
    var choice = LayoutChoice.none
    var pair: (Int, LayoutProbe)?
    weak var weak: LayoutProbe?
    unowned var unowned: LayoutProbe?
    unowned(unsafe) var unsafe: LayoutProbe?

    init() {}

    func clear() {
        object = nil
        closure = nil
        list = []
        table = [:]
        any = 0
        choice = .none
        pair = nil
    }
}

private final class LayoutDerivedProbe: LayoutProbe {
    var further: LayoutProbe?
}

private enum LayoutChoice {
    case none
    case one(LayoutProbe)
    case two(LayoutProbe, Int)
    case closure(() -> Void)
}
