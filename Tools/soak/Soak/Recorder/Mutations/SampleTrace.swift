import Foundation
import WeirTrace

/// A sound trace, the source of damaged ones.
struct SampleTrace {
    let name: String
    let bytes: [UInt8]
    /// Names of its nodes.
    let nodes: [String]
    /// Names of its stimuli, and some that do not exist.
    let stimuli: [String]

    /// Traces of every kind: with snapshots, errors, hops and several threads; of a wrapped flight recorder; of a killed program.
    static func all(_ place: SoakPlace) throws -> [SampleTrace] {
        let programs = [
            ["login", "published"], ["login", "cured"], ["dice"], ["travel"], ["form"], ["lookup"], ["signin", "weir"],
            ["signin", "traced"], ["signin", "observable"], ["signin", "async"],
        ]
        let folder = URL(fileURLWithPath: place.program).deletingLastPathComponent().path
        var samples: [SampleTrace] = []
        for words in programs {
            let program = "\(folder)/weir-\(words[0])"
            guard FileManager.default.isExecutableFile(atPath: program) else {
                throw SoakError("\(program) is missing: build it with swift build -c release")
            }
            samples.append(
                try recorded(words.joined(separator: " "), place) { path in
                    let arguments = Array(words.dropFirst())
                    let own = ["WEIR_TRACE": path, "WEIR_CLOCK": "virtual", "WEIR_LIMIT": "1MiB"]
                    return try SoakChild(
                        program, arguments, environment: own, limits: SoakChild.Limits(), errors: place.path("errors"))
                })
        }
        for kind in SampleProgram.Kind.allCases {
            samples.append(
                try recorded("\(kind)", place) {
                    try place.child(.mutations, seed: UInt64(kind.rawValue), path: $0)
                })
        }
        return samples
    }

    private static func recorded(
        _ name: String, _ place: SoakPlace, _ start: (String) throws -> SoakChild
    ) throws -> SampleTrace {
        let path = place.path("sample.weir")
        let ending = try start(path).end(by: SoakClock.now + 60)
        defer { unlink(path) }
        do {
            let reader = try TraceReader(path: path)
            let names = Set(try reader.definitions().nodes.values.map(\.name)).sorted()
            var stimuli: Set<String> = []
            reader.forEachEvent { event in
                if event.kind == .stimulusBegan { stimuli.insert(event.text) }
                return stimuli.count < 20
            }
            return SampleTrace(
                name: name, bytes: Array(try Data(contentsOf: URL(fileURLWithPath: path))),
                nodes: Array(names.prefix(40)) + ["nobody"], stimuli: stimuli.sorted() + ["nothing"])
        } catch {
            throw SoakError("the sample '\(name)' \(ending.words), and has no trace: \(error)")
        }
    }
}
