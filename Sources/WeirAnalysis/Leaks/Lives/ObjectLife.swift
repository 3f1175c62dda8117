import WeirTrace

/// What a trace tells of the life of a tracked object.
struct ObjectLife: Equatable {
    /// The checkpoint by which it should have been gone.
    enum Deadline: Comparable {
        /// The checkpoint at this place.
        case checkpoint(Int)
        /// The end of the recording.
        case end
    }

    let id: UInt32
    var life = Life.unmentioned
    /// It is to be released by the next checkpoint.
    var isExpected = false
    /// The first deadline that it missed.
    var missed: Deadline?

    /// It was released, but too late.
    var isLate: Bool { missed != nil && life == .ended }
}

/// Whether something has begun and ended.
enum Life: UInt8 {
    case unmentioned, alive, ended
}
