extension CraftedTrace {
    /// Subscriptions, objects, checkpoints and snapshots.
    static let lives = [
        CraftedTrace("one node, many subscriptions") { file, records in
            let handlers = UInt32(records / 4)
            file.node(1, kind: 2, "Wide.node")
            for handler in 1...handlers { file.subscription(handler, 1, line: Int(handler)) }
            for handler in 1...handlers { file.started(handler) }
            file.emitted(1, 1, to: 1...handlers)
            for handler in 1...handlers { file.ended(subscription: handler) }
        },
        CraftedTrace("subscriptions come and go") { file, records in
            // In each turn one more begins, and one emission reaches the last.
            let handlers = UInt32(records / 8)
            file.node(1, kind: 2, "Wide.node")
            for handler in 1...handlers { file.subscription(handler, 1, line: Int(handler)) }
            for handler in 1...handlers {
                file.started(handler)
                file.emitted(1, 1, to: [handler])
            }
            for handler in (1...handlers).reversed() { file.ended(subscription: handler) }
        },
        CraftedTrace("graph that changes") { file, records in
            // A chain of combiners, in which an edge ends and begins before each evaluation.
            let nodes = UInt32(records / 12)
            for node in 1...nodes {
                file.node(node, kind: node == 1 ? 1 : 3, "Changing.node\(node)", line: Int(node))
                if node > 1 { file.subscription(node, node - 1, node, line: Int(node)) }
            }
            for node in 2...nodes {
                file.ended(subscription: node)
                file.started(node)
                file.emitted(node - 1, 1, delivers: true)
                file.delivered(node)
                file.emitted(node, 1)
                file.ended()
            }
        },
        CraftedTrace("checkpoints") { file, records in
            let nodes = UInt32(records / 4)
            for node in 1...nodes {
                file.node(node, "Checkpoints.node\(node)", line: Int(node))
                file.object(node, "Type\(node % 1000)")
            }
            for number in 1...nodes {
                file.created(number)
                file.object(number, kind: 22)
                file.object(number, kind: 28)
                file.checkpoint("checkpoint \(number % 1500)")
            }
        },
        CraftedTrace("checkpoints of one name") { file, records in
            for number in 1...UInt32(records / 3) {
                file.node(number, "Checkpoints.node\(number)", line: Int(number))
                file.created(number)
                file.checkpoint("again")
            }
        },
        CraftedTrace("snapshots") { file, records in
            // Each checkpoint has a snapshot of a few objects that should be gone.
            for number in 1...UInt32(max(4, records / 20)) {
                file.object(number, "Screen")
                file.snapshotPart(number, CraftedSnapshot.screens(number, 1))
                file.object(number, kind: 22)
                file.object(number, kind: 28)
                file.checkpoint("closed \(number % 100)")
                file.snapshotTaken(number)
                file.checkpoint("later")
                file.object(number, kind: 23)
            }
        },
        CraftedTrace("one large snapshot") { file, records in
            let objects = UInt32(min(60_000, records / 4))
            for object in 1...objects {
                file.object(object, "Screen\(object)")
                file.object(object, kind: 22)
                file.object(object, kind: 28)
            }
            file.checkpoint("closed")
            file.snapshotTaken(1)
            let bytes = CraftedSnapshot.screens(1, objects)
            let parts = stride(from: 0, to: bytes.count, by: 8000).map { bytes[$0..<min($0 + 8000, bytes.count)] }
            for (place, part) in parts.enumerated() { file.snapshotPart(1, part: place, of: parts.count, Array(part)) }
        },
    ]
}

/// The bytes of a snapshot: objects, each held by the one before.
enum CraftedSnapshot {
    static func screens(_ first: UInt32, _ count: UInt32) -> [UInt8] {
        func text(_ text: String) -> [UInt8] { varint(UInt64(text.utf8.count)) + Array(text.utf8) }
        func record(_ body: [UInt8]) -> [UInt8] { varint(UInt64(body.count)) + body }
        var bytes: [UInt8] = varint(1) + varint(3) + text("Screen") + text("parent") + text("S.swift")
        bytes += varint(UInt64(count)) + varint(UInt64(count)) + varint(100) + varint(0) + varint(0)
        bytes += varint(UInt64(count))
        for place in 0..<count {
            // A typed instance that the trace knows, without label or site.
            let identity = [1, 0, 3] + varint(UInt64(first + place)) + varint(1) + varint(0) + varint(0) + varint(0)
            let holder = place == 0 ? 0 : UInt64(place)
            bytes += record(identity + varint(100) + varint(100) + varint(1) + varint(0) + varint(holder))
        }
        bytes += varint(UInt64(count - 1))
        for place in 1..<max(1, count) {
            let ends = varint(UInt64(place - 1)) + varint(UInt64(place))
            bytes += record(ends + varint(2) + [0, 0] + varint(0) + varint(3) + varint(7))
        }
        return bytes + varint(0) + varint(0)
    }
}
