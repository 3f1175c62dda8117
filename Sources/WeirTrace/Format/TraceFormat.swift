/// The constants of the trace file, version 1; 'The trace file, byte for byte' explains them.
public enum TraceFormat {
    /// The first eight bytes of a trace.
    public static let magic: [UInt8] = [0x57, 0x45, 0x49, 0x52, 0x0D, 0x0A, 0x1A, 0x0A]
    /// The version of the format that this module writes, and the newest that it reads.
    public static let version: UInt16 = 1
    /// Bytes before the first chunk.
    public static let headerLength = 4096
    /// The size of a chunk in bytes, including its header.
    public static let chunkSize = 65536
    /// Bytes of a chunk's header.
    public static let chunkHeaderLength = 64
    /// The text of the stimulus around what a task without a cause does, in a recording whose stimuli await.
    package static let untracedTask = "cause unknown: an untraced task"
    /// The limit for a text among the definitions, in UTF-8 bytes.
    ///
    /// Writers and readers cut longer texts, because many definitions may refer to one text.
    public static let longestString = 1024
    /// The first four bytes of a chunk in use ("chnk").
    public static let chunkMagic: UInt32 = 0x6B6E_6863

    /// Byte offsets of the fields of the file header.
    public enum HeaderField {
        // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
        public static let version = 8, headerLength = 10, chunkSize = 12, processID = 16, clock = 20,
            valuePolicy = 21, flags = 22, ticksPerSecond = 24, startTicks = 32, startWallClock = 40,
            byteLimit = 48, program = 56, checksum = 4032, lost = 4040, lostComplement = 4048,
            state = 4056, stateComplement = 4060, closedLength = 4064, closedLengthComplement = 4072,
            overwritten = 4080, overwrittenComplement = 4088
    }

    /// Byte offsets of the fields of a chunk header.
    public enum ChunkField {
        // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
        public static let magic = 0, content = 4, headerLength = 6, thread = 8, generation = 12, serial = 16,
            firstSequence = 24, baseTicks = 32, committed = 40, sealed = 44, checksum = 48, headerCheck = 56,
            systemThread = 60
    }

    /// The content of a chunk.
    public enum Content: UInt8, Sendable {
        case events = 1
        case definitions = 2
    }

    /// State of the file.
    public enum State: UInt32, Sendable {
        case beingWritten = 1
        case closed = 2
    }

    /// Tags of the records in a chunk of definitions.
    public enum DefinitionTag: UInt8, Sendable {
        case string = 1
        case node = 2
        case subscription = 3
        case object = 4
        case intention = 5
        case snapshotPart = 6
        case executorSpan = 7
        case writeSite = 8
    }

    /// Flags above the kind in an event's tag byte.
    public enum EventFlag {
        /// The record carries its time.
        public static let stamped: UInt8 = 0x80
        /// Deliveries follow: the record opens a frame.
        public static let delivers: UInt8 = 0x40
        /// The current value, given to a new subscriber.
        public static let replayed: UInt8 = 0x20
        /// The bits of the kind.
        public static let kindMask: UInt8 = 0x1F
    }

    /// The recorded form of an enum case's payload.
    public enum PayloadForm: UInt8, Sendable {
        /// The case has no payload.
        case none = 0
        /// A fingerprint of the whole value.
        case fingerprint = 1
        /// The case has a payload, of which nothing is recorded.
        case unknown = 2
        /// The case has no payload, but another enum of the same node may have a case with the same name.
        case noneOfAnyEnum = 3
    }

    /// Forms of a recorded value.
    public enum ValueForm: UInt8, Sendable {
        case notRecorded = 0
        case withheld = 1
        case void = 2
        case `nil` = 3
        case `false` = 4
        case `true` = 5
        case signed = 6
        case unsigned = 7
        case double = 8
        case float = 9
        case string = 10
        case cutString = 11
        case fingerprint = 12
        case description = 13
        case cutDescription = 14
        case opaque = 15
        case enumCase = 32
        case hashedDescription = 33
    }
}

/// The kind of a record in an event chunk: a fact in the past tense.
public enum EventKind: UInt8, CaseIterable, Sendable {
    case emitted = 1
    case suppressed = 2
    case deliveryBegan = 3
    case deliveryNext = 4
    case deliveryEnded = 5
    case subscriptionStarted = 6
    case subscriptionEnded = 7
    case nodeCreated = 8
    case nodeReleased = 9
    case completed = 10
    case failed = 11
    /// The program called a write of a node; the event that comes of it follows. Only in a recording with write sites.
    case written = 12
    case context = 16
    case eventsLost = 17
    case stimulusBegan = 18
    case stimulusEnded = 19
    case frame = 20
    case checkpoint = 21
    case objectTracked = 22
    case objectReleased = 23
    case hopBegan = 24
    case hopEnded = 25
    case batchBegan = 26
    case batchEnded = 27
    /// An object is expected to be gone by the next checkpoint.
    case objectExpected = 28
    /// The heap was walked; the parts of the snapshot are among the definitions.
    case snapshotTaken = 29
    /// A value or an end waits for the actor of a handler; the hop to the actor, if there is one, has its own record.
    case hopScheduled = 30
}

/// The kind of a node in the data-flow graph.
public enum NodeKind: UInt8, CaseIterable, Sendable {
    case observable = 1
    case emitter = 2
    case combiner = 3
    case observer = 4
    /// A cold signal: its source runs once for each subscription.
    case source = 5
    case command = 6
    case channel = 7
    case array = 8
    /// A property to which a signal is bound by key path.
    case binding = 9
    /// An observable of another library, reported through a probe.
    case foreign = 10
    /// A run of a command, which replays its values and its end to each subscriber.
    case execution = 11
    // Operators, with their established names.
    case map = 16
    case compactMap = 17
    case filter = 18
    case removeDuplicates = 19
    case scan = 20
    case flatMap = 21
    case combineLatest = 22
    case zip = 23
    case merge = 24
    case concat = 25
    case startWith = 26
    case withLatest = 27
    case take = 28
    case skip = 29
    case takeUntil = 30
    case skipUntil = 31
    case throttle = 32
    case debounce = 33
    case delay = 34
    case timeout = 35
    case buffer = 36
    case sample = 37
    case retry = 38
    case `catch` = 39
    case materialize = 40
    case dematerialize = 41
    case share = 42
    case replay = 43
    case onEvent = 44
    case deliver = 45
    case subscribe = 46
    case disclose = 47
    /// The current value of an observable, then its changes.
    case current = 48
    /// The changes of an observable array.
    case changes = 49
    case reduce = 50
    case collect = 51
    case last = 52
    case race = 53
    case multicast = 54
    case print = 55
}

/// The reason why a value was suppressed.
public enum SuppressionReason: UInt8, CaseIterable, Sendable {
    /// Equal to the current value.
    case equal = 1
    /// A filter did not let it pass.
    case filtered = 2
    /// It waits for other inputs, or for the turn to settle.
    case waiting = 3
    /// The command or node is disabled.
    case disabled = 4
    /// There is no subscriber.
    case noSubscriber = 5
    /// Part of a batch, which delivers only the last value.
    case batched = 6
    /// A newer value of the same node was delivered in the meantime.
    case superseded = 7
    /// The node had completed or failed before.
    case afterCompletion = 8
    /// The node or its subscription was disposed.
    case disposed = 9
    /// A feedback loop kept changing; it was left unsettled.
    case unsettled = 10
    /// The command, or the signal that `flatMap(.first)` listens to, is still executing.
    case executing = 11
    /// This side of a channel sent the value itself.
    case echoed = 12
}

/// The reason why a subscription ended.
public enum SubscriptionEndReason: UInt8, CaseIterable, Sendable {
    /// Its `Disposable` was disposed.
    case disposed = 1
    /// The bag that held it was emptied or released.
    case bag = 2
    /// Its source was released.
    case sourceReleased = 3
    /// The source completed.
    case completed = 4
    /// The source failed.
    case failed = 5
    /// The source failed, and the subscription has no handler for failures.
    case failedUnhandled = 6
    /// The target of the binding was released before the value came.
    case targetReleased = 7
}

/// How much of each value a trace contains.
public enum ValuePolicy: UInt8, CaseIterable, Sendable {
    /// No values.
    case none = 0
    /// Numbers, Bool and short strings as they are; other values by fingerprint where `Hashable`.
    case scalars = 1
    /// As `scalars`, and a description of every other value.
    case described = 2
    /// Encoded, so that a run can be repeated.
    case encoded = 3
}

/// The clock that produced the times of a trace.
public enum TraceClockKind: UInt8, CaseIterable, Sendable {
    /// The processor's tick counter.
    case ticks = 1
    /// The system's monotonic clock.
    case monotonic = 2
    /// A virtual clock, installed by the program.
    case virtual = 3
}
