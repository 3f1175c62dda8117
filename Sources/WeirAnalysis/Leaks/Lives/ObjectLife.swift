import WeirTrace

/// The recorded life of a tracked object.
struct ObjectLife: Equatable {
    /// The checkpoint by which it should have been gone.
    enum Deadline: Comparable {
        /// The checkpoint at this index.
        case checkpoint(Int)
        /// The end of the recording.
        case end
    }

    let id: UInt32
    var life = Life.unmentioned
    /// How many checkpoints had been taken when it began.
    var bornAfter: Int32 = 0
    /// Whether it should be released by the next checkpoint.
    var isExpected = false
    /// The first deadline that it missed.
    var missed: Deadline?

    /// Whether it was released too late.
    var isLate: Bool { missed != nil && life == .ended }
}

/// Whether something has begun or ended.
enum Life: UInt8 {
    case unmentioned, alive, ended
}
