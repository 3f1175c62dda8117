import WeirReport
import WeirTrace

/// The kinds of event, as a command line names them: one by one, or in groups.
enum EventKinds {
    private static let groups: [(name: String, kinds: Set<EventKind>)] = [
        ("delivery", [.deliveryBegan, .deliveryNext, .deliveryEnded]),
        ("ending", [.completed, .failed]),
        ("subscription", [.subscriptionStarted, .subscriptionEnded]),
        ("node", [.nodeCreated, .nodeReleased]),
        ("stimulus", [.stimulusBegan, .stimulusEnded]),
        ("hop", [.hopScheduled, .hopBegan, .hopEnded]),
        ("batch", [.batchBegan, .batchEnded]),
        ("object", [.objectTracked, .objectReleased, .objectExpected]),
    ]

    private static let kinds = EventKind.allCases.filter { $0 != .context }

    static let names = Wording.lines(kinds.map(\.name), width: 100)
    static let groupNames = Wording.list(groups.map(\.name), "and")

    /// The event kinds that a word names; letter case is ignored.
    static func named(_ word: String) throws(UsageError) -> Set<EventKind> {
        let folded = word.lowercased()
        if let kind = kinds.first(where: { $0.name.lowercased() == folded }) { return [kind] }
        if let group = groups.first(where: { $0.name == folded }) { return group.kinds }
        throw .unknownKind(word, nearest: UsageError.nearest(word, kinds.map(\.name) + groups.map(\.name)))
    }
}
