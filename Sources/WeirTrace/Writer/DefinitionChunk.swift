import CWeir

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Writes definitions into a chunk of one thread.
///
/// A *group* is the strings that a definition needs and the definition itself; `hasRoom` promises room for one.
final class DefinitionChunk {
    let chunk: TraceWriter.Chunk
    let generation: UInt32
    private let committed: UnsafeMutablePointer<UInt32>
    private let payload: UnsafeMutableRawPointer
    @exclusivity(unchecked) private var cursor: UnsafeMutableRawPointer
    private let end: UnsafeMutableRawPointer
    @exclusivity(unchecked) private var lastString: UInt64 = 0
    /// A table of `literalSlots` slots, indexed by address.
    private let literals: UnsafeMutablePointer<LiteralSlot>
    private static var literalSlots: UInt { 64 }
    @exclusivity(unchecked) private var strings: [String: UInt64] = [:]

    private struct LiteralSlot {
        /// 0: the slot is free. A number, because comparing optional pointers takes twice as long.
        var address: UInt = 0
        var id: UInt64 = 0
    }

    /// The longest string in UTF-8 bytes; longer strings are cut.
    static let longestString = TraceFormat.longestString
    /// The longest value in a definition, in bytes.
    static let longestValue = 8192
    private static let groupRoom = 4 * (longestString + 32) + longestValue + 64

    init(_ chunk: TraceWriter.Chunk) {
        self.chunk = chunk
        generation = chunk.generation
        committed = chunk.committed
        payload = chunk.base + TraceFormat.chunkHeaderLength
        cursor = chunk.base + TraceFormat.chunkHeaderLength
        end = chunk.base + TraceFormat.chunkSize
        literals = .allocate(capacity: Int(Self.literalSlots))
        literals.initialize(repeating: LiteralSlot(), count: Int(Self.literalSlots))
    }

    deinit { literals.deallocate() }

    /// Continues the string ids of the previous chunk.
    func inherit(_ other: DefinitionChunk) {
        lastString = other.lastString
        literals.update(from: other.literals, count: Int(Self.literalSlots))
        strings = other.strings
    }

    var hasRoom: Bool { end - cursor >= Self.groupRoom }

    func commit() {
        weir_store_release_u32(committed, UInt32(truncatingIfNeeded: cursor - payload).littleEndian)
    }

    // MARK: Records

    /// Writes a record: its tag, its length, its payload.
    @inline(__always)
    func record(_ tag: TraceFormat.DefinitionTag, _ payload: (inout UnsafeMutableRawPointer) -> Void) {
        cursor.storeBytes(of: tag.rawValue, as: UInt8.self)
        // The length is written once the payload is known: a varint of two bytes suffices up to 16 383.
        let body = cursor + 3
        var last = body
        payload(&last)
        let length = last - body
        precondition(length < 1 << 14, "a definition of \(length) bytes has no room")
        cursor.storeBytes(of: UInt8(truncatingIfNeeded: length) | 0x80, toByteOffset: 1, as: UInt8.self)
        cursor.storeBytes(of: UInt8(truncatingIfNeeded: length >> 7), toByteOffset: 2, as: UInt8.self)
        cursor = last
    }

    // MARK: Strings

    /// The id of a string literal, found by address, so that a call site does not pay for hashing its text.
    @inline(__always)
    func id(ofLiteral text: UnsafePointer<UInt8>) -> UInt64 {
        let slot = slot(of: UInt(bitPattern: text))
        if _fastPath(slot.pointee.address == UInt(bitPattern: text)) { return slot.pointee.id }
        return id(ofNew: text, slot)
    }

    @inline(never)
    private func id(ofNew text: UnsafePointer<UInt8>, _ slot: UnsafeMutablePointer<LiteralSlot>) -> UInt64 {
        let length = strlen(UnsafeRawPointer(text).assumingMemoryBound(to: CChar.self))
        let id = define(UnsafeRawBufferPointer(start: text, count: length))
        slot.pointee = LiteralSlot(address: UInt(bitPattern: text), id: id)
        return id
    }

    /// The id of a type's name, found by the type, so that the name is generated only once; 0: none.
    @inline(__always)
    func id(ofType type: Any.Type?) -> UInt64 {
        guard let type else { return 0 }
        let address = unsafeBitCast(type, to: UInt.self)
        let slot = slot(of: address)
        if _fastPath(slot.pointee.address == address) { return slot.pointee.id }
        return id(ofNew: type, address, slot)
    }

    @inline(never)
    private func id(
        ofNew type: Any.Type, _ address: UInt, _ slot: UnsafeMutablePointer<LiteralSlot>
    ) -> UInt64 {
        let id = id(ofText: RuntimeNames.distinctName(of: type))
        slot.pointee = LiteralSlot(address: address, id: id)
        return id
    }

    private func slot(of address: UInt) -> UnsafeMutablePointer<LiteralSlot> {
        literals + Int(bitPattern: address >> 3 & (Self.literalSlots - 1))
    }

    /// The id of a string; 0 for none.
    @inline(__always)
    func id(of text: String?) -> UInt64 { text.map(id(ofText:)) ?? 0 }

    @inline(never)
    private func id(ofText text: String) -> UInt64 {
        if let known = strings[text] { return known }
        // Memory must not grow with a program that has endlessly many labels.
        if strings.count >= 4096 { strings.removeAll(keepingCapacity: true) }
        var copy = text
        let id = copy.withUTF8 { define(UnsafeRawBufferPointer($0)) }
        strings[text] = id
        return id
    }

    private func define(_ text: UnsafeRawBufferPointer) -> UInt64 {
        lastString += 1
        let id = lastString
        record(.string) { body in
            Varint.write(id, &body)
            let kept = UnsafeRawBufferPointer(rebasing: text.prefix(Self.longestString))
            if let base = kept.baseAddress { body.copyMemory(from: base, byteCount: kept.count) }
            body += kept.count
        }
        return id
    }
}
