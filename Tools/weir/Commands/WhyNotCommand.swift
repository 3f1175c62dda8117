import WeirAnalysis
import WeirReport
import WeirTrace

/// `weir why-not`: why a value did not change.
enum WhyNotCommand: Subcommand {
    static let grammar = CommandGrammar(
        name: "why-not", summary: "Say why a value did not change: what the stimulus reached, and where it stopped.",
        arguments: ["TRACE", "NODE"],
        options: [
            .init(
                name: "after", placeholder: "TIME|STIMULUS|EVENT",
                help:
                    "Explain what followed this stimulus: its number, part of its text, or the first one from this time on; or what followed this event: a stimulus, an emission, a suppressed value, a completion or a failure."
            ),
            CommandGrammar.format,
            CommandGrammar.strict,
            CommandGrammar.color,
        ],
        details: """
            Without --after, the command takes the last stimulus of the trace, or the last emission without a cause if the
            trace, or a long trace in its last 2 million events, has no stimulus. If several contain the text, it takes the
            last of them; if none does, the last call of the callback with this name. Work that the stimulus passed to
            other threads counts as its effect. Each '✗' is a node where the effects stopped on a path to the node, the
            nearest first; '→' says what would have had to be different there.

            A handler that sets an observable makes a dependency without a subscription. The command knows it only if
            the trace contains a write by that handler. In a trace of more than some 4 million events it looks for writes
            from 2 million events before the stimulus on, and in all events only if these do not tell where it stopped, or
            if --after is the number or text of a stimulus. A handler is named by its line, as for `weir why`: the answer
            says if it was not subscribed then.
            """)

    static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
        let format = try arguments.choice("format", OutputFormat.self) ?? .text
        let style = try console.style(arguments)
        let path = try arguments.tracePath()
        let text = arguments.value("after") ?? ""
        let occasion = try occasion(arguments)
        let reader = try TraceReader(path: path)
        let topology = Topology(try reader.definitions())
        let asked = try AskedNodes(arguments.positional[1], topology.definitions, path)
        let result: WhyNot
        do {
            do { result = try Timeline.whyNot(reader, asked.question, after: occasion) } catch WhyNotError
                .noSuchStimulus
            {
                guard case .stimulus(.text(let name)) = occasion,
                    let emission = reader.lastRootEmission(of: name, topology)
                else { throw WhyNotError.noSuchStimulus }
                result = try Timeline.whyNot(reader, asked.question, after: .emission(emission.beginning))
            }
        } catch let error as WhyNotError {
            throw try usageError(for: error, text, arguments.positional[1], reader, path, console)
        }
        if case .emission(let id) = occasion, !explained.contains(result.stimulus.kind) {
            throw UsageError.badValue(
                option: "after", value: id.description,
                expected:
                    "a time (12ms), a stimulus (its number, or a part of its text), or the event of a stimulus, an emission, a suppressed value, a completion or a failure"
            )
        }
        var report = WhyNotReport(result, topology, timeScale: TimeScale(reader.header))
        report.losses = TraceLosses(reader)
        switch format {
        case .text:
            if let sentence = asked.sentence(of: result) { try console.show(sentence + "\n\n") }
            try console.show(report.text(style: style))
            if case .unconnected = result.outcome, occasion == .last, result.stimulusNumber ?? 0 > 1 {
                try console.show(
                    "\nThis is the last stimulus. To ask about another, use --after with its number or text.\n")
            }
        case .json: try console.output.write(report.json.indentedText + "\n")
        }
        return try console.conclude(reader, path, arguments)
    }

    private static let explained: Set<EventKind> = [.stimulusBegan, .emitted, .suppressed, .completed, .failed]

    private static func occasion(_ arguments: ParsedArguments) throws(UsageError) -> Timeline.Occasion {
        switch try Moments.moment("after", arguments) {
        case nil, .end: .last
        case .time(let time): .after(time)
        case .stimulus(let stimulus): .stimulus(stimulus)
        case .event(let id): .emission(id)
        }
    }

    private static func usageError(
        for error: WhyNotError, _ text: String, _ node: String, _ reader: TraceReader, _ path: String,
        _ console: Console
    ) throws(TraceError) -> UsageError {
        switch error {
        case .noSuchStimulus:
            try Moments.usageError(for: .noSuchStimulus, of: text, reader, path, console)
        case .noStimulusAfter(let last): .noStimulusAfter(text, trace: path, last: last)
        case .nothingHappened: .nothingHappened(trace: path)
        case .undefinedNode: .unknownNode(node, trace: path, nearest: [])
        }
    }
}
