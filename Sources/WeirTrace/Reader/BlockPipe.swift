import Dispatch

/// Hands blocks from a thread that fills them to the caller, in order; they are used again.
package final class BlockPipe<Block>: @unchecked Sendable {
    private let lock = SystemLock()
    // Under the lock.
    private var empty: [Block]
    /// In order.
    private var filled: [Block] = []
    private var isOver = false

    package init(_ blocks: [Block]) { empty = blocks }

    /// Calls `fill` on a second thread, which hands over blocks, and `take` with each of these on the calling thread.
    package func run(filling fill: (BlockPipe) -> Void, _ take: (Block) -> Void) {
        let group = DispatchGroup()
        withoutActuallyEscaping(fill) { fill in
            nonisolated(unsafe) let fill = fill
            DispatchQueue.global(qos: .userInitiated).async(group: group) {
                fill(self)
                self.change { self.isOver = true }
            }
            while let block = nextFilled() {
                take(block)
                change { empty.append(block) }
            }
            group.wait()
        }
    }

    /// Waits for an empty block.
    package func nextEmpty() -> Block {
        lock.withLock {
            while empty.isEmpty { lock.wait() }
            return empty.removeLast()
        }
    }

    package func handOver(_ block: Block) { change { filled.append(block) } }

    private func nextFilled() -> Block? {
        lock.withLock {
            while filled.isEmpty, !isOver { lock.wait() }
            return filled.isEmpty ? nil : filled.removeFirst()
        }
    }

    private func change(_ body: () -> Void) {
        lock.withLock {
            body()
            lock.broadcast()
        }
    }
}
