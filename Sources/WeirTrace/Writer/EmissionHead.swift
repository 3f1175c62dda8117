import CWeir

/// The codes with which an emission to one subscription begins, and their lengths, so that no emission computes these.
@frozen
public struct EmissionHead {
    @usableFromInline let node, subscription: UInt32
    @usableFromInline let nodeLength, subscriptionLength: UInt8

    /// The codes of the node and of the subscription, each with its length in bytes.
    @inlinable @inline(__always)
    public init(node: UInt32, _ nodeLength: UInt8, subscription: UInt32, _ subscriptionLength: UInt8) {
        (self.node, self.subscription) = (node, subscription)
        (self.nodeLength, self.subscriptionLength) = (nodeLength, subscriptionLength)
    }
}

extension ThreadLog {
    /// An emission, the frame that it opens, and the beginning of its only delivery.
    ///
    /// False: nothing was written, because the thread is not ready for `generation`, or because the value is a long string;
    /// `emitted(_:_:isPrivate:to:isTerminal:redefine:)` can write it. Precondition: the codes are those of `generation`, and
    /// `ValueEncoding.mayBeInline`.
    @inlinable @inline(__always)
    public func emitted<Value>(
        _ head: EmissionHead, _ value: Value, isPrivate: Bool, isTerminal: Bool, generation: UInt32
    ) -> Bool {
        guard _fastPath(fits(generation)) else { return false }
        let depth = depth
        if depth == 0 { noteExecutor() }
        let last = thread.pointee.last_stamp
        var end = begin()
        let tag = EventKind.emitted.rawValue | TraceFormat.EventFlag.delivers
        end.storeBytes(of: head.node.littleEndian, toByteOffset: 1, as: UInt32.self)
        if depth == 0 {
            end.storeBytes(of: tag | TraceFormat.EventFlag.stamped, as: UInt8.self)
            end += Int(head.nodeLength) &+ 1
            stamp(&end)
        } else {
            end.storeBytes(of: tag, as: UInt8.self)
            end += Int(head.nodeLength) &+ 1
        }
        if _fastPath(recordsValues && !isPrivate) {
            guard _fastPath(ValueEncoding.writeInline(value, &end)) else {
                thread.pointee.last_stamp = last
                weir_record_cancel(thread)
                return false
            }
        } else {
            ValueEncoding.put(recordsValues ? .withheld : .notRecorded, &end)
        }
        // Read once the record has begun: until then a signal handler may record.
        let sequence = thread.pointee.sequence &+ 1
        pushFrame(node: head.node, subscription: head.subscription, sequence: sequence, at: depth)
        thread.pointee.sequence = sequence &+ 1
        let began = EventKind.deliveryBegan.rawValue
        end.storeBytes(of: head.subscription.littleEndian, toByteOffset: 1, as: UInt32.self)
        if isTerminal && depth != 0 {
            end.storeBytes(of: began | TraceFormat.EventFlag.stamped, as: UInt8.self)
            end += Int(head.subscriptionLength) &+ 1
            stamp(&end)
        } else {
            end.storeBytes(of: began, as: UInt8.self)
            end += Int(head.subscriptionLength) &+ 1
        }
        commit(end)
        return true
    }
}
