import Weir

// Downloads that finish in any order.

@MainActor final class Downloads {
    let progress = Observable<[Int: Int]>([:])
    let done = Observable<Set<Int>>([])
    var tasks: [Task<Void, Never>] = []
    func start(_ id: Int, _ ms: Int) {
        progress.value[id] = 0
        tasks.append(
            Task {
                for p in 1...3 {
                    try? await Task.sleep(for: .milliseconds(ms))
                    progress.value[id] = p * 33
                }
                batch {
                    progress.value[id] = nil
                    _ = done.modify { $0.insert(id) }
                }
            })
    }
}

@MainActor func downloads() async {
    let m = Downloads()
    Trace.adopt(m)
    let bag = DisposeBag()
    m.progress.subscribe { _ in }.disposed(by: bag)
    m.done.subscribe { _ in }.disposed(by: bag)
    for (i, ms) in [(1, 40), (2, 22), (3, 31)] {
        Trace.stimulus("download \(i)") { m.start(i, ms) }
        try? await Task.sleep(for: .milliseconds(25))
    }
    for t in m.tasks { await t.value }
}

// A feed of messages with a badge.

@MainActor final class Feed {
    let messages = Observable<[String]>([])
    let unread = Observable(0)
    let online = Observable(false)
}

@MainActor func feed() async {
    let m = Feed()
    Trace.adopt(m)
    let badge: ReadOnlyObservable<String> = .combine(m.unread, m.online) { $1 ? "\($0)" : "-" }
    let bag = DisposeBag()
    m.messages.map { $0.suffix(3).joined() }.subscribe { _ in }.disposed(by: bag)
    badge.subscribe { _ in }.disposed(by: bag)
    Trace.stimulus("connect") { m.online.value = true }
    for i in 1...5 {
        await Task { @MainActor in
            batch {
                m.messages.value.append("m\(i)")
                m.unread.value += 1
            }
        }.value
        try? await Task.sleep(for: .milliseconds(25))
    }
    Trace.stimulus("read") { m.unread.value = 0 }
}
