import WeirAnalysis
import WeirTrace

/// A line of the program, with its file in the repository.
struct SitePlace {
    let site: TraceSite
    let resolution: SourceTree.Resolution

    /// The path of the file relative to the source root; nil: unknown or ambiguous.
    var path: String? { if case .path(let path) = resolution { path } else { nil } }

    /// "Sources/Login/LoginView.swift:12"; without a path, the line as the trace has it.
    var text: String { TerminalText.escaped("\(path ?? site.file):\(site.line)") }
}

extension SourceTree {
    /// The place of a line in the repository.
    func place(of site: TraceSite) -> SitePlace { SitePlace(site: site, resolution: resolve(site.file)) }

    /// The place at which a finding is shown; nil: no line of it is known.
    func place(of entry: CheckTable<FindingStory>.Entry) -> SitePlace? { entry.finding.sites.first.map(place(of:)) }

    /// The files at which findings are shown and that several paths may have, sorted.
    func ambiguousFiles(of entries: some Sequence<CheckTable<FindingStory>.Entry>) -> [(file: String, paths: [String])]
    {
        var found: [String: [String]] = [:]
        for entry in entries {
            guard let place = place(of: entry), case .ambiguous(let paths) = place.resolution else { continue }
            found[place.site.file] = paths
        }
        return found.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Text of the story of a finding, with paths in the repository instead of `#fileID`s.
    func located(_ text: String, of entry: CheckTable<FindingStory>.Entry) -> String {
        let sites = entry.finding.sites + entry.story.steps.compactMap(\.site)
        var text = text
        for file in Set(sites.map(\.file)).sorted() {
            guard case .path(let path) = resolve(file) else { continue }
            text = text.replacing(TerminalText.escaped(file) + ":", by: TerminalText.escaped(path) + ":")
        }
        return text
    }
}

extension String {
    /// The text with each occurrence of `old` that begins a word replaced.
    fileprivate func replacing(_ old: String, by new: String) -> String {
        var (result, rest) = ("", self[...])
        while let first = old.first, let start = rest.firstIndex(of: first) {
            let isWord =
                start == startIndex || !(self[index(before: start)].isLetter || self[index(before: start)] == "/")
            result += rest[..<start]
            rest = rest[start...]
            if isWord, rest.hasPrefix(old) {
                result += new
                rest = rest.dropFirst(old.count)
            } else {
                result.append(first)
                rest = rest.dropFirst()
            }
        }
        return result + rest
    }
}
