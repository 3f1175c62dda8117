import WeirReport

/// A form of the result, and where it goes: `--output sarif=weir.sarif`.
struct CheckOutput {
    enum Format: String, CaseIterable {
        case text, json, sarif, junit, github, gitlab, markdown
    }

    let format: Format
    /// The file; nil: standard output.
    let file: OutputFile?

    /// The outputs that the options name; text goes to standard output unless another document does.
    static func all(_ arguments: ParsedArguments) throws(UsageError) -> [CheckOutput] {
        var outputs: [CheckOutput] = []
        for text in arguments.values["output"] ?? [] { outputs.append(try CheckOutput(text)) }
        // Text and annotations are lines of a log, and may follow each other; any other form is a whole document.
        let printed = outputs.filter { $0.file == nil }
        let document = printed.first { $0.format != .text && $0.format != .github }
        if let document {
            guard printed.count == 1 else {
                let other = printed.first { $0.format != document.format } ?? document
                throw .bothPrinted(document.format.rawValue, other.format.rawValue)
            }
        } else if !printed.contains(where: { $0.format == .text }) {
            outputs.insert(CheckOutput(format: .text, file: nil), at: 0)
        }
        return outputs
    }

    private init(format: Format, file: OutputFile?) {
        self.format = format
        self.file = file
    }

    private init(_ text: String) throws(UsageError) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let format = Format(rawValue: parts[0]) else {
            let names = Format.allCases.map(\.rawValue)
            throw .badValue(
                option: "output", value: text,
                expected: "\(Wording.list(names, "or")), or one of these with a file: sarif=weir.sarif",
                nearest: UsageError.nearest(parts[0], names).map { ([$0] + parts.dropFirst()).joined(separator: "=") })
        }
        if parts.count == 2, parts[1].isEmpty {
            throw .badValue(option: "output", value: text, expected: "a file after the '='")
        }
        self.format = format
        file = parts.count == 2 ? try OutputFile(parts[1]) : nil
    }

    /// Writes the report in this form.
    func write(_ report: CheckReport, top: Int?, style: Style, _ console: Console) throws {
        let text =
            switch format {
            case .text: report.text(limit: top ?? 50, style: file == nil ? style : .plain)
            case .json: report.json.indentedText + "\n"
            case .sarif: report.sarif(version: Tool.version).indentedText + "\n"
            case .junit: report.junit
            case .github: report.github
            case .gitlab: report.gitlab.indentedText + "\n"
            case .markdown: report.markdown
            }
        switch file {
        case let file?: try file.write(text)
        case nil where format == .text: try console.show(text)
        case nil: try console.output.write(text)
        }
    }
}
