import CWeir

/// Walks strong references from given objects in this process; reports cycles and what holds each object.
///
/// Do not use it while other threads change the walked objects: see `Trace.checkpoint` in `Weir`, which walks in a forked child.
/// It costs about 100 ns per object. Source: trial deletion as in Bacon and Rajan, 'Concurrent cycle collection in reference
/// counted systems', 2001; strongly connected components by Tarjan, 1972.
public final class HeapWalker {
    /// The limits of a walk, and the options of its report.
    public struct Options: Sendable {
        /// The maximum number of objects to walk.
        public var objectLimit = 50_000_000
        /// The maximum number of cycles to report.
        public var cycleLimit = 10_000
        /// For which objects to search the whole heap for holders, if no path from another root explains them.
        ///
        /// The search reads all memory of the process, so no other thread may run: it is for forked children only.
        public var holderSearch = HolderSearchScope.nothing
        /// Whether labels may show the keys of dictionaries, which are values of the program; otherwise they say "[key]".
        public var showsKeys = false

        /// The default options.
        public init() {}
    }

    /// The objects whose holders are searched for.
    public enum HolderSearchScope: Sendable {
        case nothing
        /// The cycles that are not garbage.
        case heldCycles
        /// These, and all roots.
        case everything
    }

    let plans = Plans()

    /// A walker. It remembers the types that it meets, so the second walk is faster.
    public init() {}

    /// Facts about the memory of this process that differ from what the walker knows. If this is empty, it can walk.
    ///
    /// Checked once, on objects made for the check. The version of the compiler is not consulted.
    public static let unknownLayout: [String] = LayoutFacts.wrong

    /// Walks from `roots`. If the layout is unknown, the report contains only that limitation.
    public func report(from roots: [HeapRoot], options: Options = Options()) -> HeapReport {
        if HeapWalker.unknownLayout.isEmpty { return uncheckedReport(from: roots, options) }
        var report = HeapReport()
        report.limitations = HeapWalker.unknownLayout.map { HeapLimitation(.unknownLayout, $0) }
        return report
    }

    /// The processor time to search for holders, in nanoseconds: a busy machine finds the same. Objects without a holder by then are reported as held from outside.
    private static let searchTime: UInt64 = 2_000_000_000

    /// The report. It does not check that the layout is known.
    func uncheckedReport(from roots: [HeapRoot], _ options: Options) -> HeapReport {
        var roots = roots
        let search = HolderSearch(self, until: weir_processor_time() &+ HeapWalker.searchTime)
        let pins = Dictionary(roots.map { ($0.address, $0.pins) }, uniquingKeysWith: +)
        var (tasks, functions): ([UInt: Set<UInt>], [UInt: Set<UInt>]) = ([:], [:])
        // Each round searches for the holders of the last round's holders. A path rarely has more than a few unknown steps.
        let given = roots.count
        for _ in 0..<(options.holderSearch == .nothing ? 0 : 12) {
            let report = report(walking: roots, options)
            let searchesAll = options.holderSearch == .everything
            let places = searchesAll ? Array(report.objects.indices) : report.headsOfHeldCycles
            let unknown = places.map { report.objects[$0] }.filter { $0.isHeldFromOutside && $0.outsideHolder == nil }
            let known = Set(roots.map(\.address))
            let targets = Dictionary(unknown.map { ($0.address, pins[$0.address] ?? 0) }) { first, _ in first }
            let found = search.holders(of: targets)
            tasks.merge(found.tasks) { $0.union($1) }
            functions.merge(found.functions) { $0.union($1) }
            let holders = found.objects.filter { !known.contains($0) }
            if holders.isEmpty { return named(report, roots[given...].map(\.address), tasks, functions) }
            roots += holders.map { HeapRoot(address: $0, wantsHolder: false) }
        }
        return named(report(walking: roots, options), roots[given...].map(\.address), tasks, functions)
    }

    /// Adds the closure or task that presumably holds an object from outside, unless its holder is known.
    private func named(
        _ report: HeapReport, _ found: [UInt], _ tasks: [UInt: Set<UInt>], _ functions: [UInt: Set<UInt>]
    ) -> HeapReport {
        var report = report
        report.foundHolders = found
        for place in report.objects.indices {
            let object = report.objects[place]
            guard object.isHeldFromOutside, object.outsideHolder == nil else { continue }
            let holders = holders(
                among: functions[object.address] ?? [], tasks[object.address] ?? [], most: object.outsideReferences)
            report.objects[place].outsideHolder = holders.first
            report.objects[place].otherHolders = Array(holders.dropFirst())
        }
        return report
    }

    /// The closures and tasks that presumably hold an object. If more than `most` contain its address, some of these addresses are no
    /// longer used: then a single closure counts, or tasks.
    private func holders(among functions: Set<UInt>, _ tasks: Set<UInt>, most: Int) -> [HeapHolder] {
        let closures = closures(among: functions).map(HeapHolder.closure)
        let tasks = tasks.isEmpty ? [] : TaskHolders(plans).holders(among: tasks, most: most)
        if closures.isEmpty { return tasks }
        let all = closures + tasks.filter { $0 != .taskResult && $0 != .task([]) }
        if all.count <= max(most, 1) { return all }
        return closures.count == 1 ? closures : tasks
    }

    /// The closures with a known line among `functions`, one for each line, in order.
    ///
    /// If a closure captures a single object, the address of that object comes right after the closure's function.
    private func closures(among functions: Set<UInt>) -> [HeapFunction] {
        var found: [HeapFunction] = []
        for address in functions where plans.memory.mayBeCode(address) {
            let function = plans.symbols.function(at: address)
            guard function.kind == .closure || function.kind == .autoclosure, function.line != nil,
                !found.contains(where: { ($0.file, $0.line) == (function.file, function.line) })
            else { continue }
            found.append(function)
        }
        return found.sorted { ($0.file ?? "", $0.line ?? 0) < ($1.file ?? "", $1.line ?? 0) }
    }

    private func report(walking roots: [HeapRoot], _ options: Options) -> HeapReport {
        let walk = walk(from: roots.map(\.address), options)
        do {
            var builder = try HeapReportBuilder(self, walk.graph, roots, options)
            return builder.report(walk.limitations)
        } catch {
            return HeapReport(ofUnproven: walk.graph, walk.limitations)
        }
    }

    /// The addresses of all objects reachable from `roots` that no path from outside reaches.
    ///
    /// Empty if the layout is unknown or memory runs short.
    public func garbage(from roots: [HeapRoot]) -> [UInt] {
        guard HeapWalker.unknownLayout.isEmpty else { return [] }
        let graph = walk(from: roots.map(\.address)).graph
        let pins = NumberedRoots(roots, in: graph).pins
        let garbage = graph.withRows { rows -> [Int32] in
            guard let outside = try? OutsideReferences(of: graph, rows, pins: pins),
                let ways = try? WaysFromOutside(rows, outside: outside.counts, wanted: [])
            else { return [] }
            return (0..<Int32(rows.count)).filter { ways.holders[$0] == WaysFromOutside.isGarbage }
        }
        return garbage.map { graph.addresses[Int($0)] }
    }

    /// Walks from `roots`. Returns the reachable objects, and the limitations met on the way.
    func walk(from roots: [UInt], _ options: Options = Options()) -> (graph: HeapGraph, limitations: [HeapLimitation]) {
        plans.work.walks += 1
        var walk = GraphWalk(plans, limit: options.objectLimit)
        let graph = walk.walk(from: roots)
        return (graph, walk.limitations.map { plans.limitations[Int($0)] })
    }

    /// All references of the object at `address`, including those that do not keep their target alive.
    func references(of address: UInt, showsKeys: Bool = false) -> [HeapEdge] {
        plans.memory.refresh()
        return references(of: address, showsKeys: showsKeys) { _, _ in true }
    }

    /// The references of the object at `address` that `wants` accepts.
    ///
    /// `strongPlace` is the index among the strong references. Objects created since the last walk may be missing.
    func references(
        of address: UInt, showsKeys: Bool, wants: (_ strongPlace: Int?, _ target: UInt) -> Bool
    ) -> [HeapEdge] {
        guard plans.isObject(address) else { return [] }
        let plan = plans.plan(for: address)
        guard plans.memory.isReadable(address, plan.pointee.size) else { return [] }
        return withoutActuallyEscaping(wants) { wants in
            var collector = EdgeCollector(plans, showsKeys: showsKeys, wants: wants)
            Scanner(plans).scan(address, plan, &collector)
            return collector.edges
        }
    }

    /// The type of the object at `address`, without its module.
    func typeName(of address: UInt) -> String {
        plans.memory.refresh()
        return plans.typeName(of: address)
    }

    /// The kind of memory at `address`.
    func kind(of address: UInt) -> HeapObject.Kind {
        plans.memory.refresh()
        return plans.kind(of: address)
    }
}
