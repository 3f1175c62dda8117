import WeirAnalysis
import WeirReport
import WeirTrace

/// The view of the current moment: selection, filter, breakpoints, watches, reasons.
extension ReplaySession {
    func select(_ change: Int) {
        let places = places
        guard !places.isEmpty else { return }
        let row = max(0, min(places.count - 1, selection(in: places) + change))
        selected = (row, timeline.topology.nodeIDs[places[row]])
    }

    /// Selects a node; clears the filter if it hides the node.
    func select(node id: UInt32) {
        guard let place = timeline.topology.place(ofNode: id) else { return }
        if !places.contains(place) { filter = "" }
        if let row = places.firstIndex(of: place) { selected = (row, id) }
    }

    /// Shows only nodes with matching names; if there are none, nothing changes.
    func show(nodesNamed text: String) {
        guard text.isEmpty || !places(text).isEmpty else { return say("no node is named so") }
        (filter, selected) = (text, (0, nil))
        message = nil
    }

    func toggleAll() {
        showsAll.toggle()
        message = nil
    }

    /// Why the selected node has its value, as lines; nil if a message explains why there are none.
    func why() -> [String]? {
        guard let node = selectedNode else {
            say("no node is selected")
            return nil
        }
        guard let change = state.node(node)?.lastChange else {
            say("\(phrases.node(node)) has not changed")
            return nil
        }
        var lines: [String]?
        let position = timeline.position
        attempt { _ in
            guard let explanation = timeline.explanation(of: change), !timeline.wasInterrupted else { return true }
            let report = CauseReport(explanation, timeline.definitions, timeScale: timeline.timeScale)
            lines = report.text(style: request.style).split(separator: "\n", omittingEmptySubsequences: false)
                .dropLast().map(String.init)
            let goesOn = timeline.shallGoOn
            timeline.shallGoOn = nil
            timeline.move(to: position)
            timeline.shallGoOn = goesOn
            return true
        } orSay: {
            ""
        }
        return lines
    }

    func addBreak(_ text: String) { add(text, to: \.breaks, "breakpoints are cleared") }

    func addWatch(_ text: String) { add(text, to: \.watches, "watches are cleared") }

    /// Adds an expression to a list; an empty one clears the list.
    private func add(
        _ text: String, to list: ReferenceWritableKeyPath<ReplaySession, [NamedCondition]>, _ cleared: String
    ) {
        guard !text.isEmpty else {
            self[keyPath: list] = []
            return say(cleared)
        }
        do {
            let expression = try Expression(text)
            self[keyPath: list].append(try NamedCondition(text, expression, names))
            message = nil
        } catch let error as ExpressionError {
            say(Wording.problem(error))
        } catch let error as UsageError {
            say(Wording.sentence(for: error))
        } catch { say(Wording.unexpected(error)) }
    }
}
