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

    /// Whether the object at `address` is an instance of a class of the system: its code is not the program's to change.
    func isOfSystem(_ address: UInt) -> Bool {
        guard isObject(address), plan(for: address).pointee.kind == .instance,
            let module = Metadata(Memory.word(address)).classChain.first?.descriptor.module
        else { return false }
        return Self.systemModules.contains(module)
    }

    private static let systemModules: Set<String> = [
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
