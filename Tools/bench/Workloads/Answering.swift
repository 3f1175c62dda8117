import Foundation

/// Times the answers of the command `weir` about traces, in turn with `sha256sum` over the same files.
struct Answering {
    let isQuick: Bool
    let paths: [String]

    private var rounds: Int { isQuick ? 3 : 5 }

    /// One question to `weir`.
    private struct Question {
        let name: String
        let arguments: [String]
        /// The most time that it may take, in units of `sha256sum`'s time.
        let atMost: Double
        /// Whether exit status 1 (findings) is a valid answer.
        var mayFind = false
        /// Whether its time and memory have goals.
        var hasGoals = false
    }

    func measure() throws -> Report.Section {
        var section = Report.Section(title: "Answers of weir, medians")
        guard let weir = Self.command else {
            Console.error("there is no weir beside this program: build it with swift build -c release")
            return section
        }
        for path in paths {
            for question in try questions(path) { section.rows.append(try row(question, weir, path)) }
        }
        return section
    }

    /// The path of `weir` beside this program; nil if it is missing.
    static var command: String? {
        guard let own = Bundle.main.executablePath else { return nil }
        return Child.find(URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent("weir").path)
    }

    private func questions(_ path: String) throws -> [Question] {
        let middle = try TraceMiddle(path)
        let node = "\(middle.busiestNode)"
        return [
            Question(
                name: "replay --at TIME, in the middle of \(middle.events) events",
                arguments: ["replay", path, "--at", "\(middle.nanoseconds)ns"], atMost: 1),
            Question(name: "replay --at EVENT", arguments: ["replay", path, "--at", "\(middle.event)"], atMost: 1),
            Question(name: "info", arguments: ["info", path], atMost: 1),
            Question(name: "graph", arguments: ["graph", path], atMost: 1),
            Question(name: "events --kind KIND", arguments: ["events", path, "--kind", "suppressed"], atMost: 1),
            Question(name: "redundant", arguments: ["redundant", path], atMost: 1.5, mayFind: true),
            Question(name: "why NODE", arguments: ["why", path, node], atMost: 0.1),
            Question(name: "why-not NODE", arguments: ["why-not", path, node], atMost: 0.1),
        ]
        .map { question in
            var question = question
            // In a short trace the start of the program takes longer than the answer.
            question.hasGoals = middle.events >= 10_000_000
            return question
        }
    }

    private func row(_ question: Question, _ weir: String, _ path: String) throws -> Report.Row {
        var (answering, hashing, ratio, memory) = (Sample(), Sample(), Sample(), Sample())
        for _ in 0..<rounds {
            guard
                let answer = try Child.measure(weir, question.arguments, highestStatus: question.mayFind ? 1 : 0)
            else {
                throw BenchmarkError("weir \(question.arguments.joined(separator: " ")) failed")
            }
            answering.add(answer.milliseconds)
            memory.add(answer.mebibytes)
            guard let hash = try Child.measure("sha256sum", [path]) else { continue }
            hashing.add(hash.milliseconds)
            ratio.add(answer.milliseconds / hash.milliseconds)
        }
        let isCompared = !hashing.values.isEmpty
        return Report.Row(
            name: question.name,
            figures: [
                Figure("weir", answering.median, "ms"), Figure("sha256sum", isCompared ? hashing.median : nil, "ms"),
                Figure(
                    "weir/sha256sum", isCompared ? ratio.median : nil, "",
                    atMost: question.hasGoals ? question.atMost : nil),
                Figure("peak memory", memory.maximum, "MiB", atMost: question.hasGoals ? 200 : nil),
            ])
    }
}
