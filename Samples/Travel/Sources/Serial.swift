import Dispatch

/// State that several threads change one at a time: requests are answered on the network's thread.
final class Serial<State>: @unchecked Sendable {  // The queue guards the state.
    private let queue = DispatchQueue(label: "state")
    private var state: State

    init(_ state: State) { self.state = state }

    func change<Result>(_ body: (inout State) -> Result) -> Result { queue.sync { body(&state) } }
}
