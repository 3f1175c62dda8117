import CWeir

/// How values become bytes of a record.
///
/// The type tests are constants where the caller is specialised, so an `Int` costs what writing a varint costs.
public enum ValueEncoding {
    /// Longest string, in UTF-8 bytes, that a record holds whole under the policy `scalars`.
    public static let longestInlineString = 64

    /// Whether values of the type can be written without a call.
    @inlinable @inline(__always)
    static func mayBeInline<Value>(_: Value.Type) -> Bool {
        Value.self == Int.self || Value.self == Bool.self || Value.self == String.self
            || Value.self == Double.self || Value.self == Void.self || Value.self == UInt.self
            || Value.self == Int32.self || Value.self == Int64.self || Value.self == UInt8.self
            || Value.self == UInt32.self || Value.self == UInt64.self || Value.self == Float.self
    }

    /// Writes form and value at `end` and moves it on; false (nothing written) for a long string.
    ///
    /// Takes at most 66 bytes. Precondition: `mayBeInline(Value.self)`.
    @inlinable @inline(__always)
    static func writeInline<Value>(_ value: Value, _ end: inout UnsafeMutableRawPointer) -> Bool {
        if Value.self == Int.self {
            signed(Int64(unsafeBitCast(value, to: Int.self)), &end)
        } else if Value.self == Bool.self {
            let form: TraceFormat.ValueForm = unsafeBitCast(value, to: Bool.self) ? .true : .false
            put(form, &end)
        } else if Value.self == String.self {
            return string(unsafeBitCast(value, to: String.self), &end)
        } else if Value.self == Double.self {
            put(.double, &end)
            end.storeBytes(of: unsafeBitCast(value, to: Double.self).bitPattern.littleEndian, as: UInt64.self)
            end += 8
        } else if Value.self == Void.self {
            put(.void, &end)
        } else if Value.self == UInt.self {
            unsigned(UInt64(unsafeBitCast(value, to: UInt.self)), &end)
        } else if Value.self == Int32.self {
            signed(Int64(unsafeBitCast(value, to: Int32.self)), &end)
        } else if Value.self == Int64.self {
            signed(unsafeBitCast(value, to: Int64.self), &end)
        } else if Value.self == UInt8.self {
            unsigned(UInt64(unsafeBitCast(value, to: UInt8.self)), &end)
        } else if Value.self == UInt32.self {
            unsigned(UInt64(unsafeBitCast(value, to: UInt32.self)), &end)
        } else if Value.self == UInt64.self {
            unsigned(unsafeBitCast(value, to: UInt64.self), &end)
        } else if Value.self == Float.self {
            put(.float, &end)
            end.storeBytes(of: unsafeBitCast(value, to: Float.self).bitPattern.littleEndian, as: UInt32.self)
            end += 4
        }
        return true
    }

    @inlinable @inline(__always)
    static func put(_ form: TraceFormat.ValueForm, _ end: inout UnsafeMutableRawPointer) {
        end.storeBytes(of: form.rawValue, as: UInt8.self)
        end += 1
    }

    @inlinable @inline(__always)
    static func signed(_ number: Int64, _ end: inout UnsafeMutableRawPointer) {
        put(.signed, &end)
        Varint.write(Varint.zigzag(number), &end)
    }

    @inlinable @inline(__always)
    static func unsigned(_ number: UInt64, _ end: inout UnsafeMutableRawPointer) {
        put(.unsigned, &end)
        Varint.write(number, &end)
    }

    @usableFromInline
    static func string(_ value: String, _ end: inout UnsafeMutableRawPointer) -> Bool {
        var text = value
        let place = end
        let written = text.withUTF8 { bytes -> Int? in
            guard bytes.count <= longestInlineString else { return nil }
            place.storeBytes(of: TraceFormat.ValueForm.string.rawValue, as: UInt8.self)
            place.storeBytes(of: UInt8(bytes.count), toByteOffset: 1, as: UInt8.self)
            if let base = bytes.baseAddress { (place + 2).copyMemory(from: base, byteCount: bytes.count) }
            return bytes.count + 2
        }
        guard let written else { return false }
        end += written
        return true
    }

    // MARK: Out of line

    /// Form and value of anything, under the policy of the recording under way.
    static func bytes<Value>(of value: Value, keeper: ThreadKeeper) -> [UInt8] {
        guard let configuration = keeper.writer?.configuration, configuration.policy != .none else {
            return [TraceFormat.ValueForm.notRecorded.rawValue]
        }
        let numbers = keeper.writer?.fingerprints
        if let scalar = scalar(value, fingerprints: numbers) { return scalar }
        if let convertible = value as? any TraceValueConvertible {
            return text(
                convertible.traceDescription, whole: .description, cut: .cutDescription,
                limit: configuration.descriptionLimit, fingerprints: numbers)
        }
        if configuration.policy != .scalars {
            return text(
                String(describing: value), whole: .description, cut: .cutDescription,
                limit: configuration.descriptionLimit, fingerprints: numbers)
        }
        let own =
            EnumCase.of(value, &keeper.enumCases) ?? (value as? any OptionalValue)?.enumCase(&keeper.enumCases)
        if let own, !own.hasPayload { return enumCase(own.name, .none) }
        let error = value as? any Error
        let found = own ?? error.flatMap { EnumCase.of(error: $0, &keeper.enumCases) }
        if let found, !found.hasPayload { return enumCase(found.name, .noneOfAnyEnum) }
        // Errors are seldom made to be hashed: some of Foundation's stop the program.
        if error == nil, let hashable = value as? any Hashable {
            let whole = number(fingerprint(hashable, numbers))
            return found.map { enumCase($0.name, .fingerprint, whole) }
                ?? [TraceFormat.ValueForm.fingerprint.rawValue] + whole
        }
        return found.map { enumCase($0.name, .unknown) } ?? [TraceFormat.ValueForm.opaque.rawValue]
    }

    private static func enumCase(
        _ name: UnsafeBufferPointer<UInt8>, _ payload: TraceFormat.PayloadForm, _ fingerprint: [UInt8] = []
    ) -> [UInt8] {
        var bytes = [TraceFormat.ValueForm.enumCase.rawValue]
        Varint.append(UInt64(1 + fingerprint.count + name.count), to: &bytes)
        bytes.append(payload.rawValue)
        bytes += fingerprint
        bytes += name
        return bytes
    }

    private static func scalar<Value>(_ value: Value, fingerprints: FingerprintNumbers?) -> [UInt8]? {
        if mayBeInline(Value.self) {
            let bytes = withUnsafeTemporaryAllocation(byteCount: 80, alignment: 8) { buffer -> [UInt8]? in
                guard let base = buffer.baseAddress else { return nil }
                var end = base
                guard writeInline(value, &end) else { return nil }
                return Array(UnsafeRawBufferPointer(start: base, count: end - base))
            }
            if let bytes { return bytes }
        }
        if let string = value as? String {
            return text(
                string, whole: .string, cut: .cutString, limit: longestInlineString, fingerprints: fingerprints)
        }
        if let optional = value as? any OptionalValue {
            return optional.traceScalar(fingerprints) ?? nil
        }
        if let integer = value as? any BinaryInteger {
            var bytes: [UInt8] = []
            if let signed = Int64(exactly: integer) {
                bytes.append(TraceFormat.ValueForm.signed.rawValue)
                Varint.append(Varint.zigzag(signed), to: &bytes)
                return bytes
            }
            if let unsigned = UInt64(exactly: integer) {
                bytes.append(TraceFormat.ValueForm.unsigned.rawValue)
                Varint.append(unsigned, to: &bytes)
                return bytes
            }
        }
        return nil
    }

    fileprivate static func wrapped<Value>(_ value: Value, _ fingerprints: FingerprintNumbers?) -> [UInt8]? {
        scalar(value, fingerprints: fingerprints)
    }

    private static func text(
        _ value: String, whole: TraceFormat.ValueForm, cut: TraceFormat.ValueForm, limit: Int,
        fingerprints: FingerprintNumbers?
    ) -> [UInt8] {
        var text = value
        return text.withUTF8 { utf8 in
            var kept = min(utf8.count, limit)
            let isCut = kept < utf8.count
            // Never between the bytes of one character.
            while isCut && kept > 0 && utf8[kept] & 0xC0 == 0x80 { kept -= 1 }
            var bytes = [isCut ? cut.rawValue : whole.rawValue]
            Varint.append(UInt64(kept), to: &bytes)
            bytes += utf8[..<kept]
            if isCut { bytes += number(fingerprint(value, fingerprints)) }
            return bytes
        }
    }

    private static func fingerprint(_ value: any Hashable, _ numbers: FingerprintNumbers?) -> UInt64 {
        var hasher = Hasher()
        value.hash(into: &hasher)
        let hash = UInt64(bitPattern: Int64(hasher.finalize()))
        return numbers?.number(of: hash) ?? hash
    }

    private static func number(_ number: UInt64) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }
}

/// Lets a type say how it is logged.
///
/// Asked under the policies `scalars`, `described` and `encoded`, on the thread that emits; it should be quick and must
/// not write to observables.
public protocol TraceValueConvertible {
    /// What a person should read in the trace.
    var traceDescription: String { get }
}

private protocol OptionalValue {
    /// That of what it holds.
    func enumCase(_ cache: inout EnumCase.Cache) -> EnumCase?
    func traceScalar(_ fingerprints: FingerprintNumbers?) -> [UInt8]?
}

extension Optional: OptionalValue {
    fileprivate func enumCase(_ cache: inout EnumCase.Cache) -> EnumCase? {
        guard let self else { return nil }
        return EnumCase.of(self, &cache) ?? (self as? any OptionalValue)?.enumCase(&cache)
    }

    fileprivate func traceScalar(_ fingerprints: FingerprintNumbers?) -> [UInt8]? {
        guard let self else { return [TraceFormat.ValueForm.nil.rawValue] }
        return ValueEncoding.wrapped(self, fingerprints)
    }
}
