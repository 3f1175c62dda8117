import WeirTrace

/// The role of a fact in a replay.
enum FactRole: Equatable {
    /// It follows from other facts, or changes nothing.
    case nothing
    /// A value was written to a node that holds one.
    case write(node: Int, RecordedValue)
    /// A node without a current value gave one to all subscribers.
    case broadcast(node: Int, RecordedValue)
    /// A cold node gave a value to its one subscriber.
    case cold(node: Int, RecordedValue, to: Int)
    /// A new subscriber was given the current value.
    case replay(node: Int, RecordedValue, to: Int)
    /// An operator let no value through.
    case stopped(node: Int, isEqual: Bool)
    /// A combiner emitted its result, or a batch emitted at its end.
    case result(node: Int)
    /// A combiner noted an input and did not compute.
    case waiting(node: Int)
    case delivery(subscription: Int, RecordedValue)
    /// A value waits for the actor of a handler.
    case scheduled(RecordedValue)
    /// The actor calls a handler with a value that waited.
    case handedOver(RecordedValue, to: Int)
    /// A subscription was notified of a completion or failure.
    case endDelivery(subscription: Int)
    case settling
    case stimulus
    case batch
    case hop
    /// A completion or failure of a node.
    case ending(node: Int)
    case began(subscription: Int)
    case ended(subscription: Int, reason: UInt8)
    case created(node: Int, RecordedValue)
    /// Nodes were released, or objects tracked.
    case structure
    case mark
    case released(object: UInt32)
}
