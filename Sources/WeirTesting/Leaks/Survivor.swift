import Weir

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
