import Weir
import WeirAnalysis
import WeirHeap
import WeirReport
import WeirTrace

/// Determines which surviving objects are leaks and what holds each of them, as text.
struct SurvivorReport {
    private var snapshot: TraceSnapshot
    /// Indices in `snapshot.objects` of the reported objects: the outermost of those worth reporting.
    private var heads: [Int] = []
    private let rounds: Int?
    private let blocksTasks: Bool
    /// How many survivors are worth reporting, by type.
    private let types: [String: Int]
    /// Why the walk was aborted; empty: it reached its end.
    private var abortion: [String] {
        snapshot.limitations.filter(\.reason.isAborted).map { LeakLimitationWords.sentence(for: $0) }
    }

    /// Judges the objects at `addresses`; the caller holds each of them once, and weakly once more.
    ///
    /// - Parameters:
    ///   - variables: the variables of the program before any of them was made.
    ///   - only: if given, only these types are reported.
    ///   - rounds: the number of rounds, if the objects are what the last of them left.
    ///   - blocksTasks: whether waiting for them kept tasks from running.
    ///   - walk: takes the snapshot of the objects around roots.
    init(
        _ addresses: [UInt], since variables: VariableCopy, only: Set<String>? = nil, rounds: Int? = nil,
        blocksTasks: Bool = false,
        walk: ([HeapRoot]) -> TraceSnapshot = { HeapProbe.snapshot(from: $0, searchesHolders: true) }
    ) {
        self.rounds = rounds
        self.blocksTasks = blocksTasks
        var reported: [(address: UInt, isOwn: Bool)] = []
        var others: [UInt] = []
        var types: [String: Int] = [:]
        for address in addresses {
            guard let type = Survivor.type(of: address), Survivor.isReported(type),
                only?.contains(String(reflecting: type)) ?? true
            else {
                others.append(address)
                continue
            }
            reported.append((address, !Survivor.isOfWeir(type)))
            types[String(describing: type), default: 0] += 1
        }
        self.types = types
        guard !reported.isEmpty || only == nil && !others.isEmpty else {
            snapshot = TraceSnapshot()
            return
        }
        var roots =
            reported.enumerated().map {
                HeapRoot(address: $1.address, pins: 1, tag: HeapProbe.tag(.object(UInt32($0))))
            }
            + others.map { HeapRoot(address: $0, pins: 1, wantsHolder: false) }
        for place in reported.indices { roots[place].wantsCaptures = true }
        // The watch itself refers to each of them weakly.
        for place in roots.indices { roots[place].weakPins = 1 }
        var snapshot = walk(roots)
        // Cycles that consist only of library objects are for the library to fix.
        snapshot.cycles.removeAll { cycle in
            let objects = cycle.references.map { snapshot.objects[Int(snapshot.references[Int($0)].source)] }
            return objects.contains { $0.kind == .instance } && objects.allSatisfy { $0.identity == .none }
        }
        self.snapshot = snapshot
        let assigned = assigned(since: variables) { reported[$0].address }
        heads = heads(assigned) { reported[$0].isOwn }
        // Leftover parts of Weir belong to a leaked class of the program or to a cycle, if there is one.
        if heads.isEmpty, snapshot.cycles.isEmpty { heads = heads(assigned) { _ in true } }
        for place in heads where snapshot.objects[place].role == .subscription {
            self.snapshot.objects[place].type = "subscription"
        }
    }

    /// The numbers of the objects that the program assigned to a variable.
    ///
    /// - Parameter address: the address of the object with a number.
    private func assigned(since variables: VariableCopy, _ address: (Int) -> UInt) -> Set<Int> {
        let named = snapshot.objects.indices.filter { isNamed($0) }.compactMap(number)
        guard !named.isEmpty else { return [] }
        let assigned = HeapSymbols().assigned(Set(named.map(address)), since: variables)
        return Set(named.filter { assigned.contains(address($0)) })
    }

    /// Whether a variable of the program holds an object.
    private func isNamed(_ place: Int) -> Bool {
        snapshot.objects[place].outsideVariable != nil
    }

    private func number(_ place: Int) -> Int? { Self.number(of: snapshot.objects[place]).map(Int.init) }

    /// The live objects that `isWanted` accepts and that no other such object holds.
    ///
    /// - Parameter assigned: the numbers of the objects that the program assigned to a variable.
    private func heads(_ assigned: Set<Int>, where isWanted: (Int) -> Bool) -> [Int] {
        snapshot.objects.indices.filter { place in
            guard let own = number(place), isWanted(own), !snapshot.objects[place].isGarbage else { return false }
            let holders = holders(of: place)
            let outermost = holders.last ?? place
            // An object that a global holds since its first use here is no leak: that first use made it. An object that
            // existed before, that was assigned to the global, or that a closure holds, was given to the global and counts.
            var firstUse = isNamed(outermost) ? number(outermost) : nil
            if let first = firstUse, assigned.contains(first) { firstUse = nil }
            if let firstUse, own >= firstUse, !isClosureOn(wayTo: place) { return false }
            return !holders.contains { holder in
                guard let other = number(holder), isWanted(other) else { return false }
                return firstUse.map { other < $0 } ?? true
            }
        }
    }

    private func isClosureOn(wayTo place: Int) -> Bool {
        ([place] + holders(of: place)).contains { object in
            snapshot.objects[object].holder.map { snapshot.references[Int($0)].isClosure } ?? false
        }
    }

    /// The objects on the path that holds the one at `place`, from it to the outside.
    private func holders(of place: Int) -> [Int] {
        var (place, holders): (Int, [Int]) = (place, [])
        while let reference = snapshot.objects[place].holder, holders.count < snapshot.objects.count {
            place = Int(snapshot.references[Int(reference)].source)
            holders.append(place)
        }
        return holders
    }

    /// Sentences and drawings; nil if there is nothing to report.
    var text: String? {
        let identities = Set(heads.map { SurvivorReport.number(of: snapshot.objects[$0]) })
        let findings = LeakFindings(snapshot, rules: [.retainCycle, .outlivedScope]) { object in
            identities.contains(Self.number(of: object))
        }
        let drawings = findings.found.map { finding in
            LeakDrawing(finding, in: snapshot).lines().joined(separator: "\n")
        }
        if drawings.isEmpty {
            // Survivors of which the snapshot shows none were not walked, whatever the reason.
            let isUnseen = snapshot.objects.isEmpty && !types.isEmpty
            if abortion.isEmpty && !isUnseen { return nil }
            let limitations = snapshot.limitations.map { LeakLimitationWords.sentence(for: $0) }
            let reasons = abortion.isEmpty ? ["The heap walk shows none of them."] + limitations : abortion
            let reason = reasons.joined(separator: " ")
            // Cycles of closures and of library objects have no type that counts.
            if types.isEmpty { return "cannot judge whether anything leaks: \(reason)" }
            return "\(heading): \(list). What holds them cannot be said: \(reason)"
        }
        let hint = blocksTasks && heads.contains(where: isHeldByTask) ? [Self.tasksWereBlocked] : []
        return ([heading + ":"] + drawings + hint + abortion).joined(separator: "\n")
    }

    private func isHeldByTask(_ place: Int) -> Bool {
        ([place] + holders(of: place)).contains { snapshot.objects[$0].isHeldByTask }
    }

    private static let tasksWereBlocked =
        "The task may only be late, because this call blocks a thread that tasks run on. "
        + "Make the test async, and write `await expectNoLeaks`."

    private static func number(of object: SnapshotObject) -> UInt32? {
        if case .object(let id) = object.identity { id } else { nil }
    }

    private var heading: String {
        guard let rounds else { return "not everything that was made here is gone" }
        return "each of \(rounds) rounds left something behind; of the last one this is alive"
    }

    private var list: String {
        types.sorted { $0.key < $1.key }.map { $1 == 1 ? $0 : "\($1) \($0)" }.joined(separator: ", ")
    }
}

/// Facts about an object that outlived its scope.
enum Survivor {
    /// The class of the object at `address`; nil if it is no class instance (a closure, a box).
    static func type(of address: UInt) -> AnyClass? {
        guard let object = UnsafeRawPointer(bitPattern: address) else { return nil }
        let metadata = object.load(as: UInt.self)
        guard let kind = UnsafeRawPointer(bitPattern: metadata)?.load(as: UInt.self) else { return nil }
        // Metadata kinds up to 0x7FF are not classes; a class has 0 or a pointer here.
        guard kind == 0 || kind > 0x7FF else { return nil }
        return Swift.type(of: Unmanaged<AnyObject>.fromOpaque(object).takeUnretainedValue())
    }

    /// Whether a program makes such objects itself, so that a survivor is worth reporting; false for what libraries keep.
    static func isReported(_ type: AnyClass) -> Bool {
        if type is any LivesForever.Type { return false }
        if isOfWeir(type) { return type is Node.Type || String(reflecting: type).contains("Sink<") }
        let module = module(of: type)
        return !libraries.contains(String(module)) && !module.hasPrefix("_")
    }

    /// Whether it is a node, a subscription, or another part of Weir's core.
    static func isOfWeir(_ type: AnyClass) -> Bool { module(of: type) == "Weir" }

    private static func module(of type: AnyClass) -> Substring { String(reflecting: type).prefix { $0 != "." } }

    private static let libraries: Set<String> = [
        "Swift", "Foundation", "FoundationEssentials", "FoundationInternationalization", "FoundationNetworking",
        "FoundationXML", "Dispatch", "Observation", "Synchronization", "RegexBuilder", "Testing", "XCTest", "Combine",
        "WeirTrace", "WeirHeap", "WeirTesting", "WeirAnalysis", "WeirReport",
    ]
}
