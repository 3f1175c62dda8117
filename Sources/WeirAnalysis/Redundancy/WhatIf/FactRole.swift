import WeirTrace

/// What a fact means when it is played again.
enum FactRole: Equatable {
    /// It follows from others, or changes nothing.
    case nothing
    /// A value was written into a node that holds one.
    case write(node: Int, RecordedValue)
    /// A node without a current value gave one to all subscribers.
    case broadcast(node: Int, RecordedValue)
    /// A cold node gave a value to its one subscriber.
    case cold(node: Int, RecordedValue, to: Int)
    /// A new subscriber was given the value that was there.
    case replay(node: Int, RecordedValue, to: Int)
    /// An operator let nothing through.
    case stopped(node: Int, isEqual: Bool)
    /// What a combiner computed, or what a batch gave out at its end.
    case result(node: Int)
    /// A combiner took note of an input and did not compute.
    case waiting(node: Int)
    case delivery(subscription: Int, RecordedValue)
    /// A subscription was told of a completion or failure.
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
