#if Recording
/// Whether tracked objects of a type became more from each checkpoint of one name to the next.
///
/// If so, the end of the recording searches for what holds them.
struct TrackedGrowth {
    private struct Rounds {
        var count = 0
        /// The live objects by type at the last checkpoint.
        var last: [ObjectIdentifier: Int] = [:]
        /// The types of which there were more at each checkpoint than at the one before.
        var risen: Set<ObjectIdentifier> = []
    }

    private var session: UInt32 = 0
    private var rounds: [String: Rounds] = [:]
    private static let mostNames = 1000, leastRounds = 3

    /// Takes note of a checkpoint with the numbers of live objects by type.
    mutating func add(_ counts: [ObjectIdentifier: Int], at name: String, in session: UInt32) {
        if self.session != session { (self.session, rounds) = (session, [:]) }
        guard rounds.count < Self.mostNames || rounds[name] != nil else { return }
        var known = rounds[name] ?? Rounds()
        let risen = counts.filter { $0.value > known.last[$0.key, default: 0] }.keys
        known.risen = known.count > 1 ? known.risen.intersection(risen) : Set(risen)
        known.count += 1
        known.last = counts
        rounds[name] = known
    }

    /// Whether objects of any type became more in this recording.
    func isThere(in session: UInt32) -> Bool {
        self.session == session
            && rounds.values.contains { $0.count >= Self.leastRounds && !$0.risen.isEmpty }
    }
}
#endif
