import WeirAnalysis
import WeirTrace

extension EventPhrases {
    /// The event that opened a frame, in words, and the subscriber that is receiving its value.
    public func phrase(_ frame: OpenFrame) -> String {
        switch frame.opener {
        case .stimulusBegan: "stimulus “\(TerminalText.escaped(frame.text))”"
        case .hopBegan: frame.node == 0 ? "hop" : "hop: \(node(frame.node))"
        case .batchBegan: "batch"
        case .completed: "\(node(frame.node)) completed" + delivery(frame)
        case .failed: "\(node(frame.node)) failed" + delivery(frame)
        default: "\(node(frame.node)) emitted \(value(frame.value, ofNode: frame.node))" + delivery(frame)
        }
    }

    /// "LoginViewModel.username is "Maruko"", if the state knows the value.
    public func phrase(node id: UInt32, in state: TraceState) -> String {
        guard let node = state.node(id), node.value != .notRecorded || node.lastChange != nil else {
            return "\(self.node(id)) has no value"
        }
        return "\(self.node(id)) is \(value(node.value, ofNode: id))"
    }

    private func delivery(_ frame: OpenFrame) -> String {
        frame.subscription == 0 ? "" : " → \(subscriber(frame.subscription))"
    }
}
