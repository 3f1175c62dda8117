import CWeir

/// Encodes values as bytes of a record.
///
/// The type tests are constants in specialized callers, so recording an `Int` costs as much as writing a varint.
public enum ValueEncoding {
    /// The longest string, in UTF-8 bytes, that a record holds whole under the policy `scalars`.
    public static let longestInlineString = 64

    /// Whether values of the type can be written inline.
    @inlinable @inline(__always)
    public static func mayBeInline<Value>(_: Value.Type) -> Bool {
        Value.self == Int.self || Value.self == Bool.self || Value.self == String.self
            || Value.self == Double.self || Value.self == Void.self || Value.self == UInt.self
            || Value.self == Int32.self || Value.self == Int64.self || Value.self == UInt8.self
            || Value.self == UInt32.self || Value.self == UInt64.self || Value.self == Float.self
    }

    /// Writes form and value at `end` and advances it; false, without writing, for a long string.
    ///
    /// It takes at most 66 bytes. Precondition: `mayBeInline(Value.self)`.
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
        Varint.writeShort(Varint.zigzag(number), &end)
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

    /// The form and value of anything, for a definition, off the hot path.
    static func bytes<Value>(of value: Value, keeper: ThreadKeeper) -> [UInt8] {
        withUnsafeTemporaryAllocation(byteCount: EncodedValue.memory, alignment: 8) { room in
            var encoded = EncodedValue(in: room)
            withUnsafePointer(to: value) { keeper.encode(UnsafeRawPointer($0), of: Value.self, to: &encoded) }
            return encoded.bytes
        }
    }
}

/// A type that provides its own description for traces.
///
/// The description is used under the policies `scalars`, `described` and `encoded`, on the thread that emits. It should be
/// fast and must not write to observables.
public protocol TraceValueConvertible {
    /// The readable text for the trace.
    var traceDescription: String { get }
}
