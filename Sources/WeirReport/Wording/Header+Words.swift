import WeirTrace

extension TraceClockKind {
    /// The clock in words.
    package var phrase: String {
        switch self {
        case .ticks: "the processor's tick counter"
        case .monotonic: "the system's monotonic clock"
        case .virtual: "virtual"
        }
    }

    /// The clock's name in JSON.
    package var jsonName: String {
        switch self {
        case .ticks: "ticks"
        case .monotonic: "monotonic"
        case .virtual: "virtual"
        }
    }
}

extension ValuePolicy {
    /// The policy's name on the command line and in JSON.
    package var name: String {
        switch self {
        case .none: "none"
        case .scalars: "scalars"
        case .described: "described"
        case .encoded: "encoded"
        }
    }

    /// The policy in words.
    package var phrase: String {
        switch self {
        case .none: "none: only that something changed"
        case .scalars: "scalars: numbers, Bool and short strings as they are"
        case .described: "described: every value, or a description of it"
        case .encoded: "encoded: every value, so that the run can be driven again"
        }
    }
}

extension TraceRedaction {
    /// The removed parts, in words.
    package var phrase: String {
        "a copy without the values of \(hidesAllValues ? "all" : "some") nodes"
            + (hidesTexts ? ", and without the names of stimuli and checkpoints" : "")
    }
}
