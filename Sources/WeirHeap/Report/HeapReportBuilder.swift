/// Builds the report of a walk: chooses the objects that a reader needs to see, and names them.
struct HeapReportBuilder {
    private let walker: HeapWalker
    private let graph: HeapGraph
    /// For each object, whether a private root holds it; empty if there is no private root.
    private let secrets: [Bool]
    private let roots: [HeapRoot]
    private let options: HeapWalker.Options
    private let proof: HeapProof
    /// The cycles, without those that the system makes and breaks itself, for example for an observation.
    private let cycles: [HeapProof.Cycle]
    /// For each of the graph's first objects, the index of its first root.
    private let rootNumbers: [Int]
    /// The caller's own weak references to roots.
    private let weakPins: [Int32: Int]
    private var report = HeapReport()
    /// For closures by the addresses of their code, whether they contain concurrent closures.
    private var concurrent: [UInt: Bool] = [:]
    /// The reported objects of the graph, with their indexes in the report.
    private var places: [Int32: Int] = [:]
    /// The same, by address.
    private var targets: [UInt: Int] = [:]
    /// The reported references of the graph, with their sources, and their indexes in the report.
    private var sources: [Int: Int32] = [:]
    private var referencePlaces: [Int: Int] = [:]
    /// For each reported object on a path, the reference from its holder.
    private var holders: [Int32: Int] = [:]

    init(_ walker: HeapWalker, _ graph: HeapGraph, _ roots: [HeapRoot], _ options: HeapWalker.Options) throws {
        self.walker = walker
        self.roots = roots
        self.options = options
        let numbered = NumberedRoots(roots, in: graph)
        rootNumbers = numbered.places
        weakPins = numbered.weakPins
        var graph = graph
        secrets = Self.hideSecrets(of: rootNumbers.map { roots[$0] }, in: &graph, walker)
        self.graph = graph
        proof = try HeapProof(
            graph: graph, pins: numbered.pins, handlerRoots: numbered.handlers, wanted: numbered.wanted,
            rootCount: rootNumbers.count, cycleLimit: options.cycleLimit)
        cycles = proof.cycles.filter { !HeapReportBuilder.isCutByItself($0, graph) }
        chooseObjects(numbered.wanted)
        chooseCaptures(of: numbered.captured)
    }

    /// The report. `limitations` are the limitations of the walk.
    mutating func report(_ limitations: [HeapLimitation]) -> HeapReport {
        let objects = places.keys.sorted()
        for (place, object) in objects.enumerated() {
            places[object] = place
            targets[graph.addresses[Int(object)]] = place
        }
        report.objects = objects.map(describe)
        noteWeakReferences()
        nameWhatHoldsFromOutside(objects)
        for object in objects { reportReferences(of: object) }
        for (object, reference) in holders {
            if let place = places[object] { report.objects[place].holder = referencePlaces[reference] }
        }
        report.cycles = cycles.map { cycle in
            var reported = HeapCycle(
                references: cycle.references.compactMap { referencePlaces[$0] }, isProven: cycle.isProven,
                componentObjects: cycle.componentObjects, componentBytes: cycle.componentBytes)
            reported.retainedSize = cycle.retainedSize
            return reported
        }
        report.omittedCycles = proof.omittedCycles
        report.walkedObjects = graph.count
        report.walkedReferences = graph.targets.count
        for object in secrets.indices where secrets[object] { report.walkedObjects -= 1 }
        for object in 0..<(secrets.isEmpty ? 0 : graph.count) {
            report.walkedReferences -= graph.references(of: object).count { secrets[object] || secrets[Int($0)] }
        }
        report.walkedBytes = graph.sizes.reduce(0) { $0 + Int($1) }
        report.limitations = allLimitations(limitations)
        return report
    }

    // MARK: - Private objects

    /// Finds the private objects that roots hold, and clears their sizes in the graph. `roots` are its first objects.
    ///
    /// Subscribers and closures of private nodes are not hidden. Captures and objects that are roots themselves are not hidden
    /// either.
    private static func hideSecrets(of roots: [HeapRoot], in graph: inout HeapGraph, _ walker: HeapWalker) -> [Bool] {
        guard roots.contains(where: { $0.secrecy != .none }) else { return [] }
        var secrets = [Bool](repeating: false, count: graph.count)
        var isSeen = secrets
        var next: [Int] = []
        func look(at target: Int, from holder: Int) {
            let traits = graph.traits[target]
            guard target >= roots.count, !isSeen[target] else { return }
            // The closure may be the program's, whose captures are not private. Captures that are parts of Weir may hold private
            // values.
            if graph.traits[holder].contains(.isClosure), !traits.contains(.isInternal) { return }
            isSeen[target] = true
            next.append(target)
            // A part of Weir may hold values, but is not one itself.
            if !traits.isDisjoint(with: [.isInternal, .isClosure]) { return }
            secrets[target] = true
            graph.sizes[target] = 0
        }
        for (number, root) in roots.enumerated() where root.secrecy != .none {
            let targets = graph.references(of: number)
            if root.secrecy == .everything {
                for target in targets { look(at: Int(target), from: number) }
                continue
            }
            let edges = walker.references(of: root.address, showsKeys: false) { place, _ in place != nil }
            for (target, edge) in zip(targets, edges) where root.secrecy.covers(edge.label) {
                look(at: Int(target), from: number)
            }
        }
        while let holder = next.popLast() {
            for target in graph.references(of: holder) { look(at: Int(target), from: holder) }
        }
        return secrets
    }

    private func isSecret(_ number: Int32) -> Bool { !secrets.isEmpty && secrets[Int(number)] }

    // MARK: - Selection

    /// Whether the cycle passes through an object that its owner releases in the end, and otherwise only through the same library.
    ///
    /// The cycle then has no closure of the program, and no object that the program made.
    private static func isCutByItself(_ cycle: HeapProof.Cycle, _ graph: HeapGraph) -> Bool {
        let traits = cycle.objects.map { graph.traits[Int($0)] }
        guard traits.contains(where: { $0.contains(.isSelfCutting) }) else { return false }
        let instances = traits.filter { $0.contains(.isInstance) && $0.isDisjoint(with: [.isStorage, .isSelfCutting]) }
        if instances.isEmpty { return true }
        guard instances.allSatisfy({ $0.contains(.isInternal) }) else { return false }
        // A closure of the program captures something other than a self-cutting part.
        return cycle.references.indices.allSatisfy { place in
            let isClosures = traits[place].contains(.isClosure) || graph.isClosureReference(cycle.references[place])
            let captured = traits[(place + 1) % traits.count]
            return !isClosures || !captured.contains(.isInstance) || captured.contains(.isSelfCutting)
        }
    }

    /// Chooses all roots, the objects on cycles, and those on the paths to wanted roots and held cycles.
    private mutating func chooseObjects(_ wanted: [Int32]) {
        for number in rootNumbers.indices { places[Int32(number)] = 0 }
        for cycle in cycles {
            for (object, reference) in zip(cycle.objects, cycle.references) {
                places[object] = 0
                sources[reference] = object
            }
        }
        var heldBy: [Int32: Set<Int32>] = [:]
        var isOnWay: Set<Int32> = []
        let cycleObjects = cycles.flatMap { $0.isProven ? [] : $0.objects }
        for start in wanted + cycleObjects {
            var object = start
            while isOnWay.insert(object).inserted, let holder = proof.holder(of: object) {
                places[holder] = 0
                heldBy[holder, default: []].insert(object)
                object = holder
            }
        }
        chooseWaysFromCycles(to: wanted.filter(proof.isGarbage))
        for (holder, var held) in heldBy {
            for reference in graph.firstReference[Int(holder)]..<graph.firstReference[Int(holder) + 1] {
                guard !held.isEmpty else { break }
                guard held.remove(graph.targets[reference]) != nil else { continue }
                holders[graph.targets[reference]] = reference
                sources[reference] = holder
            }
        }
    }

    /// Chooses a shortest path to each of these garbage objects from the cycles that keep them.
    private mutating func chooseWaysFromCycles(to garbage: [Int32]) {
        var missing = Set(garbage)
        var queue: [Int32] = []
        // The reference through which each object was found, with its source; nil: it is on a cycle.
        var found: [Int32: (reference: Int, source: Int32)?] = [:]
        for cycle in cycles where cycle.isProven {
            for object in cycle.objects where found.updateValue(nil, forKey: object) == nil {
                missing.remove(object)
                queue.append(object)
            }
        }
        var next = 0
        while next < queue.count, !missing.isEmpty {
            let source = queue[next]
            next += 1
            for reference in graph.firstReference[Int(source)]..<graph.firstReference[Int(source) + 1] {
                let target = graph.targets[reference]
                guard found[target] == nil, !graph.traits[Int(target)].contains(.isRejected) else { continue }
                found[target] = (reference, source)
                missing.remove(target)
                queue.append(target)
            }
        }
        for object in garbage {
            var object = object
            while let way = found[object] ?? nil, sources[way.reference] == nil {
                sources[way.reference] = way.source
                places[way.source] = 0
                object = way.source
            }
        }
    }

    /// Chooses the references of all closures that capture these objects.
    ///
    /// Between an object and the reference that identifies a closure are at most the context and the box of a variable. A task holds
    /// its closure's context from outside, without such a reference. Linear in the number of references.
    private mutating func chooseCaptures(of captured: [Int32]) {
        var isWanted = [Bool](repeating: false, count: captured.isEmpty ? 0 : graph.count)
        // For each context or box, the reference to what it holds.
        var inner: [Int32: (reference: Int, target: Int32)] = [:]
        var (layer, room) = (captured, Self.mostCaptures)
        for _ in 0..<3 where !layer.isEmpty {
            for object in layer { isWanted[Int(object)] = true }
            var next: [Int32] = []
            for source in 0..<Int32(truncatingIfNeeded: graph.count) {
                for reference in graph.firstReference[Int(source)]..<graph.firstReference[Int(source) + 1] {
                    let target = graph.targets[reference]
                    guard isWanted[Int(target)] else { continue }
                    let isClosure =
                        graph.isClosureReference(reference) || graph.traits[Int(target)].contains(.isClosure)
                    let kind = walker.plans.kind(of: graph.addresses[Int(source)])
                    let isContext = kind == .closure || kind == .box
                    if isContext, inner[source] == nil {
                        inner[source] = (reference, target)
                        if !isClosure { next.append(source) }
                    }
                    guard room > 0, isClosure || isContext && proof.outsideReferences(source) > 0 else { continue }
                    room -= 1
                    choose(reference, from: source, to: target, inner)
                }
            }
            for object in layer { isWanted[Int(object)] = false }
            layer = next
        }
    }

    /// Chooses a reference, and those from its target to a captured object.
    private mutating func choose(
        _ reference: Int, from source: Int32, to target: Int32, _ inner: [Int32: (reference: Int, target: Int32)]
    ) {
        var (reference, source, target) = (reference, source, target)
        for _ in 0..<4 {
            sources[reference] = source
            for object in [source, target] where places[object] == nil { places[object] = 0 }
            guard let next = inner[target] else { return }
            (reference, source, target) = (next.reference, target, next.target)
        }
    }

    private static let mostCaptures = 4096

    private func describe(_ number: Int32) -> HeapObject {
        let address = graph.addresses[Int(number)]
        let traits = graph.traits[Int(number)]
        let kind = walker.plans.kind(of: address)
        let isClosure = traits.contains(.isClosure) || walker.plans.hasSeveralCaptures(address)
        var object = HeapObject(
            address: address, kind: kind == .closure && !isClosure ? .box : kind,
            type: walker.plans.typeName(of: address, isClosure: isClosure))
        object.size = Int(graph.sizes[Int(number)])
        object.retainedSize = proof.retainedSize(of: number) ?? 0
        let outside = proof.outsideReferences(number)
        object.outsideReferences = outside == .max ? .max : max(Int(outside), 0)
        object.isGarbage = proof.isGarbage(number)
        object.isHeldByHandlersOnly = proof.isHeldByHandlersOnly(number)
        object.isIncomplete = traits.contains(.isIncomplete) || traits.contains(.isRejected)
        object.isInternal = traits.contains(.isInternal)
        object.isOfSystem = walker.plans.isOfSystem(address)
        object.isPrivate = isSecret(number)
        if Int(number) < rootNumbers.count {
            let root = roots[rootNumbers[Int(number)]]
            object.root = root.tag
            object.isPrivate = root.secrecy == .everything
        }
        return object
    }

    private mutating func nameWhatHoldsFromOutside(_ objects: [Int32]) {
        let held = objects.filter { proof.outsideReferences($0) > 0 }
        if held.isEmpty { return }
        let names = walker.plans.symbols.outsideNames(of: Set(held.map { graph.addresses[Int($0)] }))
        for object in held {
            if let place = places[object] {
                report.objects[place].outsideHolder = names[graph.addresses[Int(object)]].map(HeapHolder.variable)
            }
        }
    }

    /// Finds the garbage that weak references from outside of all garbage lead to, directly or along strong references.
    ///
    /// Each object counts its weak references. Those that garbage and the caller hold are subtracted.
    private mutating func noteWeakReferences() {
        let all = 0..<Int32(truncatingIfNeeded: graph.count)
        let garbage = all.filter { proof.isGarbage($0) && !graph.traits[Int($0)].contains(.isRejected) }
        var left: [UInt: Int] = [:]
        for object in garbage where graph.traits[Int(object)].contains(.isInstance) {
            let address = graph.addresses[Int(object)]
            let count = ReferenceCounts(of: address).weak - weakPins[object, default: 0]
            if count > 0 { left[address] = count }
        }
        // Unknown: nothing is said.
        if left.isEmpty || garbage.count > Self.mostSearchedForWeakReferences { return }
        for object in garbage {
            let edges = walker.references(of: graph.addresses[Int(object)], showsKeys: false) { strongPlace, target in
                strongPlace == nil && left[target] != nil
            }
            for edge in edges where edge.ownership == .weak { left[edge.target, default: 0] -= 1 }
        }
        var queue = garbage.filter { left[graph.addresses[Int($0)], default: 0] > 0 }
        var isReached = Set(queue)
        var next = 0
        while next < queue.count {
            let object = queue[next]
            next += 1
            if let place = places[object] { report.objects[place].isWeaklyReferenced = true }
            for target in graph.references(of: Int(object))
            where proof.isGarbage(target) && isReached.insert(target).inserted {
                queue.append(target)
            }
        }
    }

    private static let mostSearchedForWeakReferences = 20_000

    // MARK: - References

    /// Labels the reported references of `source`, and its weak and unowned references to reported objects.
    private mutating func reportReferences(of source: Int32) {
        guard let sourcePlace = places[source] else { return }
        let first = graph.firstReference[Int(source)]
        let end = graph.firstReference[Int(source) + 1]
        let address = graph.addresses[Int(source)]
        let edges = walker.references(of: address, showsKeys: options.showsKeys) { strongPlace, target in
            guard let strongPlace else { return targets[target] != nil }
            return first + strongPlace < end && sources[first + strongPlace] != nil
        }
        let wanted = (first..<end).filter { sources[$0] != nil }
        var next = wanted.makeIterator()
        for edge in edges {
            var target = targets[edge.target]
            if edge.ownership == .strong {
                guard let reference = next.next() else { continue }
                target = places[graph.targets[reference]]
                referencePlaces[reference] = report.references.count
            }
            guard let target else { continue }
            // A shared variable looks like a closure, but has no captures.
            let isVariable = report.objects[sourcePlace].kind == .box && edge.label.hasPrefix("captures")
            // The path inside a private value is a part of it: an index, a key, the case of an enum.
            let isPart = isSecret(source) || report.objects[target].isPrivate && report.objects[target].root == nil
            report.references.append(
                HeapReference(
                    source: sourcePlace, target: target,
                    label: isPart
                        ? "[private]" : isVariable ? String(edge.label.dropFirst("captures".count)) : edge.label,
                    ownership: edge.ownership,
                    function: edge.function == 0 ? nil : function(of: edge)))
        }
    }

    /// The function of a closure. If the compiler wrapped the closure, it is the only one in the context of its wrapper.
    private mutating func function(of edge: HeapEdge) -> HeapFunction {
        var edge = edge
        for _ in 0..<8 {
            var function = walker.plans.symbols.function(at: edge.function)
            if function.name != nil || function.line != nil {
                function.hasConcurrentClosures = hasConcurrentClosures(function, at: edge.function)
                return function
            }
            let inner = walker.references(of: edge.target, showsKeys: false) { _, _ in true }
            guard let closure = inner.first(where: { $0.function != 0 }) else { break }
            edge = closure
        }
        return HeapFunction()
    }

    /// Whether a closure of the program contains others that may run concurrently and capture something. Asked for so many only.
    private mutating func hasConcurrentClosures(_ function: HeapFunction, at address: UInt) -> Bool {
        guard function.kind == .closure, function.file != nil, !function.isInternal else { return false }
        if let known = concurrent[address] { return known }
        guard concurrent.count < Self.mostLookups else { return false }
        let answer = walker.plans.symbols.hasConcurrentClosures(at: address)
        concurrent[address] = answer
        return answer
    }

    private static let mostLookups = 64

    // MARK: - Limitations

    private func allLimitations(_ limitations: [HeapLimitation]) -> [HeapLimitation] {
        var all = Set(limitations)
        all.formUnion(
            TypeQuestion.avoided.map { HeapLimitation(.unknownMemory, "\($0) (which ends the Swift runtime)") })
        for object in proof.inconsistent {
            all.insert(HeapLimitation(.tooManyReferences, walker.plans.typeName(of: graph.addresses[Int(object)])))
        }
        if graph.traits.contains(where: { $0.contains(.isRejected) }) {
            for source in 0..<graph.count {
                for target in graph.references(of: source) where graph.traits[Int(target)].contains(.isRejected) {
                    // The object without an address represents all objects beyond the limit.
                    if graph.addresses[Int(target)] == 0 { continue }
                    all.insert(HeapLimitation(.notAnObject, walker.plans.typeName(of: graph.addresses[source])))
                }
            }
            for number in rootNumbers.indices where graph.traits[number].contains(.isRejected) {
                all.insert(HeapLimitation(.notAnObject, "root"))
            }
        }
        return all.sorted { ($0.reason.rawValue, $0.subject) < ($1.reason.rawValue, $1.subject) }
    }
}
