import WeirAnalysis
import WeirReport
import WeirTrace

/// `weir redact`: a copy of a trace that can be shared.
enum RedactCommand: Subcommand {
    static let grammar = CommandGrammar(
        name: "redact", summary: "Copy a trace without values, to share it.", arguments: ["TRACE"],
        options: [
            .init(name: "output", short: "o", placeholder: "COPY", help: "Write the copy here; must not exist yet."),
            .init(name: "all", help: "Remove the values of all nodes."),
            .init(
                name: "node", placeholder: "NAME", isRepeatable: true,
                help: "Remove the values of this node, and of all nodes that they reach; repeatable."),
            .init(
                name: "type", placeholder: "TYPE", isRepeatable: true,
                help: "The same for the nodes whose values are of this type, or contain it; repeatable."),
            .init(
                name: "keep", placeholder: "NAME", isRepeatable: true,
                help: "Keep the values of this node, whatever they are made of; repeatable."),
            .init(
                name: "keep-texts",
                help: "Keep the names of stimuli and checkpoints, and the reasons of intended(…)."),
            CommandGrammar.format,
            CommandGrammar.strict,
            CommandGrammar.color,
        ],
        details: """
            The nodes are private in the copy, as if the program had declared them so: it holds no value of them, no length, no
            fingerprint and no size. Everything else stays: structure, times, call sites, names and causes.

            Values flow. So a node loses its values, too, if a removed value may have reached it: operators, combiners, targets of
            bind, and every node that was made or written while a removed value was being delivered. It is not followed into work
            that a handler gave to a task or queue, through disclosed(), nor into combiners with privacy: .public. Use --keep for
            a node that reveals nothing of the secret, such as a Bool. Values of other nodes go where they equal removed ones. Nodes
            from which a removed value came are listed, as they may hold a part of it.

            A key in a name goes with the value of its collection: Vault.byCard[private].amount. Names of stimuli and checkpoints
            may quote any value, so they become '[private 1]', '[private 2]' and so on; equal ones stay equal.

            A node is named as `weir info` names it. TYPE Card is also found in Card?, [Card] and [String: Card].
            Of a damaged trace all values are removed, as it is not certain which node a value is of.

              weir redact TRACE -o COPY --all                                   for a bug report
              weir redact TRACE -o COPY --node password --keep passwordValid    one secret, and what is made of it
            """)

    static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
        let format = try arguments.choice("format", OutputFormat.self) ?? .text
        let style = try console.style(arguments)
        let path = try arguments.tracePath()
        guard ["all", "node", "type"].contains(where: arguments.has) else { throw UsageError.nothingToRedact }
        guard let copy = arguments.value("output") else {
            throw UsageError.missingArgument("-o COPY", command: grammar.name)
        }
        // Checked before a long pass: an existing file is neither replaced nor read.
        try NewFile.check(copy)
        let reader = try TraceReader(path: path)
        let request = try request(arguments, try reader.definitions(), path)
        let redaction = try console.showingProgress(of: path) { report throws(TraceError) in
            try Redaction(request, of: reader, reporting: report)
        }
        let file = try NewFile(copy)
        let counts: RedactionCounts
        do throws(TraceCopyError) {
            counts = try console.showingProgress(of: path) { report throws(TraceCopyError) in
                try redaction.write(reader, to: file.descriptor, reporting: report)
            }
            try file.close()
        } catch {
            file.remove()
            throw Failure(code: .outputFailed, sentence: Wording.copyFailed(copy, error.code))
        }
        let report = RedactionReport(redaction, counts, path: path, copy: copy)
        switch format {
        case .text: try console.show(report.text(style: style))
        case .json: try console.output.write(report.json.indentedText + "\n")
        }
        return try console.conclude(reader, path, arguments)
    }

    private static func request(
        _ arguments: ParsedArguments, _ definitions: TraceDefinitions, _ path: String
    ) throws(UsageError) -> Redaction.Request {
        let directory = NodeDirectory(definitions)
        func nodes(_ option: String) throws(UsageError) -> Set<UInt32> {
            var ids: Set<UInt32> = []
            for name in arguments.values[option] ?? [] {
                if name.isEmpty { throw .badValue(option: option, value: name, expected: "a node's name or number") }
                ids.formUnion(try directory.ids(named: name, in: path))
            }
            return ids
        }
        var request = Redaction.Request()
        request.hidesAll = arguments.has("all")
        request.nodes = try nodes("node")
        request.kept = try nodes("keep")
        if let both = request.nodes.intersection(request.kept).min() {
            throw .contradiction("node \(definitions.name(ofNode: both))", "keep")
        }
        let types = Redaction.Types(definitions)
        for type in arguments.values["type"] ?? [] where types.nodes(of: type).isEmpty {
            throw .unknownType(type, trace: path, nearest: types.nearest(to: type), known: Array(types.all.prefix(6)))
        }
        request.types = arguments.values["type"] ?? []
        request.keepsTexts = arguments.has("keep-texts")
        return request
    }
}
