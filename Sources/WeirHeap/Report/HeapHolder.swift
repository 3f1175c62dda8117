/// What holds an object from outside the walked objects.
public enum HeapHolder: Sendable, Hashable {
    /// A static or global variable, by its name: "static Session.shared", "global session".
    case variable(String)
    /// A guess: a task, then the task that it waits for, and so on; empty if the work of the first is unknown.
    ///
    /// If a child task holds the object, the first is the outermost of its parents.
    case task([HeapTask])
    /// A guess: the result of a task that has ended.
    case taskResult
    /// A guess: a closure with a known line, which a timer, a queue or other C code keeps.
    case closure(HeapFunction)
}

/// The work of a suspended task, read from its frames.
public struct HeapTask: Sendable, Hashable {
    /// The reason why the function of the program waits.
    public enum Wait: UInt8, Sendable {
        /// A function of a library, or a continuation that may end when the task is cancelled.
        case library = 0
        /// A continuation that the function made itself. Cancelling the task does not resume it.
        case continuation = 1
        /// The function has no frame above it: the compiler may have inlined what waits.
        case unknown = 2
        /// Another task.
        case task = 3
        /// The next element of a sequence: the function loops over the elements.
        case element = 4
        /// A child task of its group.
        case group = 5
        /// Its child task of an `async let`.
        case asyncLet = 6
    }

    /// The innermost function of the program, with a known line and not Weir's own.
    public var function: HeapFunction
    /// The closure with which the task was made, the outermost function of the program; nil: it is unknown.
    public var maker: HeapFunction?
    /// The reason why it waits.
    public var wait: Wait

    /// A task.
    public init(function: HeapFunction, maker: HeapFunction?, wait: Wait) {
        self.function = function
        self.maker = maker
        self.wait = wait
    }
}
