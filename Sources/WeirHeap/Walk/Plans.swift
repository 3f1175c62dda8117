/// Plans for the types met so far, each made once, with their labels and limitations.
///
/// Use it from one thread at a time. Plans live as long as this object.
final class Plans {
    private var valuePlans = AddressMap(logarithm: 8)
    private var valuePlanList: [UnsafeMutablePointer<ValuePlan>] = []
    private var objectPlans = AddressMap(logarithm: 8)
    private var objectPlanList: [UnsafeMutablePointer<ObjectPlan>] = []
    /// Plans for closures made in generic code, by metadata and generic arguments.
    var genericPlans: [[UInt]: UnsafeMutablePointer<ObjectPlan>] = [:]
    /// The number of arguments of such a closure, by metadata.
    var argumentCounts: [UInt: Int] = [:]
    /// The offset of the first binding of such a closure, by metadata.
    var firstBindings: [UInt: UInt] = [:]
    private var arena: [UnsafeMutableRawPointer] = []

    /// The paths inside values, by number.
    private(set) var labels: [String] = []
    private var labelNumbers: [String: Int32] = [:]
    /// The limitations, by number.
    private(set) var limitations: [HeapLimitation] = []
    private var limitationNumbers: [HeapLimitation: Int32] = [:]

    /// The number of walks, of searches through all memory, and of objects read as holders: tests bound them.
    var work = (walks: 0, passes: 0, objects: 0)

    /// The names of the program, loaded on first use.
    private(set) lazy var symbols = HeapSymbols()
    /// The type descriptors of the program's modules, by name; looked up for noncopyable types only.
    var descriptors = DescriptorNames()
    /// The memory that can be read at the moment.
    let memory = MemoryMap()
    let string = Metadata(String.self)
    let nativeObject = TypeResolver.builtin("Bo")
    let unknownObject = TypeResolver.builtin("BO")
    let bridgeObject = TypeResolver.builtin("Bb")

    init() {}

    deinit {
        valuePlans.free()
        objectPlans.free()
        for memory in arena { memory.deallocate() }
    }

    /// The number of a label.
    func label(_ text: String) -> Int32 {
        if let number = labelNumbers[text] { return number }
        let number = Int32(labels.count)
        labels.append(text)
        labelNumbers[text] = number
        return number
    }

    /// The number of a limitation.
    func limitation(_ reason: HeapLimitation.Reason, _ subject: String) -> Int32 {
        let limitation = HeapLimitation(reason, subject)
        if let number = limitationNumbers[limitation] { return number }
        let number = Int32(limitations.count)
        limitations.append(limitation)
        limitationNumbers[limitation] = number
        return number
    }

    /// Keeps `elements` as long as the plans live.
    func store<Element: BitwiseCopyable>(_ elements: [Element]) -> UnsafeMutableBufferPointer<Element> {
        if elements.isEmpty { return UnsafeMutableBufferPointer(start: nil, count: 0) }
        let memory = UnsafeMutableBufferPointer<Element>.allocate(capacity: elements.count)
        _ = memory.initialize(from: elements)
        if let start = memory.baseAddress { arena.append(UnsafeMutableRawPointer(start)) }
        return memory
    }

    /// Keeps `plan` as long as the plans live.
    func store<Plan: BitwiseCopyable>(plan: Plan) -> UnsafeMutablePointer<Plan> {
        let memory = UnsafeMutablePointer<Plan>.allocate(capacity: 1)
        memory.initialize(to: plan)
        arena.append(UnsafeMutableRawPointer(memory))
        return memory
    }

    // MARK: - Values

    /// Whether there is a plan for values of the type.
    func knowsValue(_ metadata: UInt) -> Bool { valuePlans.find(metadata) >= 0 }

    /// The plan for values of the type.
    @inline(__always) func valuePlan(_ metadata: UInt) -> UnsafeMutablePointer<ValuePlan> {
        let number = valuePlans.find(metadata)
        return number >= 0 ? valuePlanList[Int(number)] : makeValuePlan(metadata)
    }

    @inline(never) private func makeValuePlan(_ address: UInt) -> UnsafeMutablePointer<ValuePlan> {
        let metadata = Metadata(address)
        var layout = ValueLayout()
        append(metadata, to: &layout)
        let witnesses = metadata.witnesses
        let hasWitnesses = witnesses.table != 0
        let plan = store(
            plan: ValuePlan(
                metadata: address, stride: hasWitnesses ? witnesses.stride : 8,
                alignMask: hasWitnesses ? witnesses.alignMask : 7, operations: store(layout.operations)))
        _ = valuePlans.findOrInsert(address, Int32(valuePlanList.count))
        valuePlanList.append(plan)
        return plan
    }

    // MARK: - Objects

    /// The plan for objects with this metadata; nil if there is none yet.
    @inline(__always) func knownPlan(_ metadata: UInt) -> UnsafeMutablePointer<ObjectPlan>? {
        let number = objectPlans.find(metadata)
        return number >= 0 ? objectPlanList[Int(number)] : nil
    }

    /// The plan for the object at `address`, whose metadata must be valid.
    @inline(__always) func plan(for address: UInt) -> UnsafeMutablePointer<ObjectPlan> {
        let metadata = Memory.word(address)
        let plan = knownPlan(metadata) ?? makeObjectPlan(Metadata(metadata))
        return plan.pointee.isGeneric ? genericPlan(for: address, plan) : plan
    }

    @inline(never) private func makeObjectPlan(_ metadata: Metadata) -> UnsafeMutablePointer<ObjectPlan> {
        let plan = store(plan: objectPlan(metadata))
        _ = objectPlans.findOrInsert(metadata.address, Int32(objectPlanList.count))
        objectPlanList.append(plan)
        return plan
    }
}

/// The operations of a plan that is being made.
struct ValueLayout {
    var operations: [Operation] = []
    /// The depth at which types are nested.
    var depth = 0

    mutating func append(
        _ kind: Operation.Kind, _ offset: UInt, _ label: Int32, limitation: Int32 = -1, metadata: UInt = 0,
        payload: UnsafeMutablePointer<ValuePlan>? = nil, cases: UnsafeMutablePointer<CasePlan>? = nil, count: Int = 0
    ) {
        operations.append(
            Operation(
                kind: kind, label: label, limitation: limitation, offset: offset, metadata: metadata, payload: payload,
                cases: cases, count: count))
    }
}

extension Plans {
    /// The kind of memory at `address`. A shared variable counts as a closure, because both look the same.
    func kind(of address: UInt) -> HeapObject.Kind {
        guard isObject(address) else { return .unknown }
        let plan = plan(for: address)
        switch plan.pointee.kind {
        case .instance: return plan.pointee.isStorage ? .storage : .instance
        case .context: return .closure
        case .genericBox: return .box
        case .error: return .error
        case .task: return .task
        case .unknown: return .unknown
        }
    }

    /// Whether the object at `address` is a context with several captures: that of a shared variable has one.
    func hasSeveralCaptures(_ address: UInt) -> Bool {
        guard isObject(address), plan(for: address).pointee.kind == .context else { return false }
        return CaptureDescriptor(ofContext: Metadata(Memory.word(address))).map { $0.captureCount > 1 } ?? false
    }

    /// Whether the object at `address` is an instance of a class of the system: its code is not the program's to change.
    func isOfSystem(_ address: UInt) -> Bool {
        guard isObject(address), plan(for: address).pointee.kind == .instance,
            let module = Metadata(Memory.word(address)).classChain.first?.descriptor.module
        else { return false }
        return Self.systemModules.contains(module)
    }

    static let systemModules: Set<String> = [
        "Swift", "_Concurrency", "_StringProcessing", "Synchronization", "Distributed", "Observation", "Dispatch",
        "Foundation", "FoundationEssentials", "FoundationNetworking", "FoundationInternationalization", "Combine",
        "OpenCombine", "SwiftUI", "SwiftUICore", "SwiftData", "UIKit", "UIKitCore", "AppKit", "CoreData",
    ]

    /// The type of the object at `address`, without its module: "LoginModel", "closure(Int, LoginModel)", "box(Int)".
    func typeName(of address: UInt, isClosure: Bool = true) -> String {
        guard isObject(address) else { return "unknown" }
        let metadata = Metadata(Memory.word(address))
        let plan = plan(for: address)
        switch plan.pointee.kind {
        case .instance: return metadata.name
        case .context:
            let captures = plan.pointee.captures < 0 ? "?" : labels[Int(plan.pointee.captures)]
            return (isClosure ? "closure" : "box") + "(\(captures))"
        case .genericBox:
            return "box(\(Metadata(Memory.word(metadata.address &+ 16)).name))"
        case .error:
            let type = Memory.word(address &+ 16)
            return memory.isType(type) ? "error(\(Metadata(type).name))" : "error"
        case .task: return "Task"
        case .unknown: return "unknown"
        }
    }
}
