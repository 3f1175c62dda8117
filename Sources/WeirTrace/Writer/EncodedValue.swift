import CWeir

/// The form and value of something to be recorded, in the caller's memory if they fit.
struct EncodedValue {
    /// The number of bytes that fit into a compact record beside its other parts.
    static let room = 80
    /// The number of bytes of memory that a value is given, for the text of a structure, too.
    static let memory = StructureFields.mostRoom + 16

    private let base: UnsafeMutableRawPointer
    private var end: UnsafeMutableRawPointer
    /// The bytes of a longer value, instead of the caller's memory.
    private var long: [UInt8]?

    /// - Parameter memory: at least `memory` bytes.
    init(in memory: UnsafeMutableRawBufferPointer) {
        base = memory.baseAddress.unsafelyUnwrapped
        end = base
    }

    /// Whether it is in the caller's memory.
    var isInMemory: Bool { long == nil }
    /// Whether it needs more room than a compact record has.
    var isLong: Bool { long != nil || end - base > Self.room }
    var count: Int { long?.count ?? end - base }

    var bytes: [UInt8] { long ?? Array(UnsafeRawBufferPointer(start: base, count: end - base)) }

    func copy(to place: inout UnsafeMutableRawPointer) {
        if let long {
            long.withUnsafeBytes { place.copyMemory(from: $0.baseAddress.unsafelyUnwrapped, byteCount: $0.count) }
        } else {
            place.copyMemory(from: base, byteCount: end - base)
        }
        place += count
    }

    // MARK: Writing, once

    mutating func put(_ form: TraceFormat.ValueForm) { ValueEncoding.put(form, &end) }

    mutating func signed(_ number: Int64) { ValueEncoding.signed(number, &end) }

    mutating func unsigned(_ number: UInt64) { ValueEncoding.unsigned(number, &end) }

    /// Writes a value of a type that may be written inline; false, without writing, for a long string.
    @inline(__always)
    mutating func inline<Value>(_ value: UnsafeRawPointer, as: Value.Type) -> Bool {
        ValueEncoding.writeInline(value.assumingMemoryBound(to: Value.self).pointee, &end)
    }

    mutating func fingerprint(of hash: UInt64, _ keeper: ThreadKeeper) {
        put(.fingerprint)
        putNumber(hash, keeper)
    }

    /// - Parameter hash: the hash of the whole value, if its case has a payload and the value is hashable.
    mutating func enumCase(
        _ name: UnsafeBufferPointer<UInt8>, _ payload: TraceFormat.PayloadForm, hash: UInt64? = nil,
        _ keeper: ThreadKeeper
    ) {
        let count = 1 + (hash == nil ? 0 : 8) + name.count
        guard count + 3 <= Self.room else {
            var bytes = [TraceFormat.ValueForm.enumCase.rawValue]
            Varint.append(UInt64(count), to: &bytes)
            bytes.append(payload.rawValue)
            if let hash { withUnsafeBytes(of: keeper.fingerprint(of: hash).littleEndian) { bytes += $0 } }
            bytes += name
            long = bytes
            return
        }
        put(.enumCase)
        Varint.write(UInt64(count), &end)
        end.storeBytes(of: payload.rawValue, as: UInt8.self)
        end += 1
        if let hash { putNumber(hash, keeper) }
        end.copyMemory(from: name.baseAddress.unsafelyUnwrapped, byteCount: name.count)
        end += name.count
    }

    mutating func description(_ text: String, _ keeper: ThreadKeeper) {
        string(text, whole: .description, cut: .cutDescription, limit: keeper.descriptionLimit, keeper)
    }

    /// A description, and the fingerprint of the value by its hash.
    mutating func description(_ text: String, hash: UInt64, _ keeper: ThreadKeeper) {
        long = Self.description(
            text, limit: keeper.descriptionLimit, fingerprint: keeper.fingerprint(of: hash))
    }

    /// The fields of a structure as a description, with the fingerprint of the value if it is hashable.
    mutating func structure(
        _ value: UnsafeRawPointer, _ fields: StructureFields, hash: UInt64?, _ keeper: ThreadKeeper
    ) {
        end = fields.record(value, hash: hash, at: end, keeper)
    }

    /// The form and contents of a description with the fingerprint of its value.
    static func description(_ text: String, limit: Int, fingerprint: UInt64) -> [UInt8] {
        var text = text
        return text.withUTF8 { utf8 in
            let isCut = utf8.count > limit
            let kept = isCut ? ShortDescription.bytes(of: utf8, limit: limit) : Array(utf8)
            var bytes = [TraceFormat.ValueForm.hashedDescription.rawValue]
            Varint.append(UInt64(9 + kept.count), to: &bytes)
            withUnsafeBytes(of: fingerprint.littleEndian) { bytes += $0 }
            bytes.append(isCut ? 1 : 0)
            return bytes + kept
        }
    }

    /// The number of bytes of the longest beginning within `limit` that ends with a whole character.
    static func characters(_ utf8: UnsafeBufferPointer<UInt8>, limit: Int) -> Int {
        var kept = min(utf8.count, limit)
        while kept < utf8.count && kept > 0 && utf8[kept] & 0xC0 == 0x80 { kept -= 1 }
        return kept
    }

    mutating func string(
        _ value: String, whole: TraceFormat.ValueForm, cut: TraceFormat.ValueForm, limit: Int,
        _ keeper: ThreadKeeper
    ) {
        var text = value
        text.withUTF8 { utf8 in
            let kept = Self.characters(utf8, limit: limit)
            let isCut = kept < utf8.count
            if !isCut, kept + 2 <= Self.room, let bytes = utf8.baseAddress {
                put(whole)
                Varint.write(UInt64(kept), &end)
                end.copyMemory(from: bytes, byteCount: kept)
                end += kept
                return
            }
            var bytes = [isCut ? cut.rawValue : whole.rawValue]
            if isCut, cut == .cutDescription {
                let short = ShortDescription.bytes(of: utf8, limit: limit)
                Varint.append(UInt64(short.count), to: &bytes)
                bytes += short
            } else {
                Varint.append(UInt64(kept), to: &bytes)
                bytes += utf8[..<kept]
            }
            if isCut {
                var hasher = Hasher()
                value.hash(into: &hasher)
                let hash = UInt64(bitPattern: Int64(hasher.finalize()))
                withUnsafeBytes(of: keeper.fingerprint(of: hash).littleEndian) { bytes += $0 }
            }
            long = bytes
        }
    }

    mutating func all(_ bytes: [UInt8]) { long = bytes }

    private mutating func putNumber(_ hash: UInt64, _ keeper: ThreadKeeper) {
        end.storeBytes(of: keeper.fingerprint(of: hash).littleEndian, as: UInt64.self)
        end += 8
    }
}
