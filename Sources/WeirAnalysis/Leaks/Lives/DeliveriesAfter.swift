import WeirTrace

/// Counts the values that subscriptions delivered after given checkpoints, up to the judged moment.
struct DeliveriesAfter {
    /// The sums, in the order of the requests.
    private(set) var counts: [UInt64]

    /// Each request maps subscriptions to the index of the checkpoint after which their deliveries count.
    init(_ requests: [[UInt32: Int]], in reader: TraceReader, _ pass: LeakPass) {
        counts = .init(repeating: 0, count: requests.count)
        guard requests.contains(where: { !$0.isEmpty }) else { return }
        // `delivered` counts so far by subscription; `beginning` lists by checkpoint the subscriptions counted from there.
        var delivered: [UInt32: UInt64] = [:]
        var beginning: [Int: [(request: Int, subscription: UInt32)]] = [:]
        for (request, subscriptions) in requests.enumerated() {
            for (subscription, checkpoint) in subscriptions {
                delivered[subscription] = 0
                beginning[checkpoint, default: []].append((request, subscription))
            }
        }
        var checkpoints = 0
        var before = counts
        reader.forEachEvent { event in
            switch event.kind {
            case .checkpoint:
                for (request, subscription) in beginning[checkpoints] ?? [] {
                    before[request] &+= delivered[subscription] ?? 0
                }
                checkpoints += 1
                return pass.judged.map { checkpoints <= $0 } ?? true
            case .deliveryBegan, .deliveryNext:
                if event.subject != 0, !event.deliversEnd, let known = delivered[event.subject] {
                    delivered[event.subject] = known + 1
                }
            default: break
            }
            return true
        }
        for (request, subscriptions) in requests.enumerated() {
            for (subscription, checkpoint) in subscriptions where checkpoint < checkpoints {
                counts[request] &+= delivered[subscription] ?? 0
            }
            counts[request] &-= min(before[request], counts[request])
        }
    }
}
