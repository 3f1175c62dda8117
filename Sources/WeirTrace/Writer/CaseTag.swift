/// Reads the tag of an enum or optional: a number for each case, those with a payload first.
///
/// Made once for a type. A trivial type: copies cost no reference counting.
struct CaseTag {
    private typealias Function = @convention(c) (UnsafeRawPointer, UnsafeRawPointer) -> UInt32

    private let function: Function
    private let type: UnsafeRawPointer

    /// Nil if the type does not provide tags.
    init?(of type: UnsafeRawPointer) {
        guard Self.isAvailable, let tag = CaseTag(unchecked: type) else { return nil }
        self = tag
    }

    init?(of type: Any.Type) { self.init(of: unsafeBitCast(type, to: UnsafeRawPointer.self)) }

    /// Reads the function in the type's value witness table, which precedes its metadata.
    private init?(unchecked type: UnsafeRawPointer) {
        #if _ptrauth(_arm64e)
        return nil
        #else
        let word = MemoryLayout<UInt>.size
        let table = (type - word).load(as: UnsafeRawPointer.self)
        // Eight functions and two sizes precede these flags; the functions for enums follow.
        guard table.load(fromByteOffset: 10 * word, as: UInt32.self) & 0x20_0000 != 0 else { return nil }
        function = table.load(fromByteOffset: 11 * word, as: Function.self)
        self.type = type
        #endif
    }

    /// The tag of the value at `value`, which must be of the type.
    @inline(__always)
    func callAsFunction(_ value: UnsafeRawPointer) -> UInt32 { function(value, type) }

    private enum Trial { case first(Int), second(AnyObject), third, fourth }

    /// Whether types provide tags in the expected place.
    private static let isAvailable: Bool = {
        func tags<Value>(_ values: [Value]) -> [UInt32?] {
            let tag = CaseTag(unchecked: unsafeBitCast(Value.self as Any.Type, to: UnsafeRawPointer.self))
            return values.map { value in withUnsafePointer(to: value) { value in tag.map { $0(value) } } }
        }
        return tags([Trial.third, .fourth, .first(-1), .first(1)]) == [2, 3, 0, 0]
            && tags([1, nil] as [Int?]) == [0, 1]
    }()
}
