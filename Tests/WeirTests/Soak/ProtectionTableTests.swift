import Foundation
import Testing

/// The table of protections that `Tools/protections/run.sh` removes, each alone, to see that random programs notice.
struct ProtectionTableTests {
    @Test func `each protection of the table stands once in its file`() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let table = try String(contentsOf: root.appending(path: "Tools/protections/protections.txt"), encoding: .utf8)
        let lines = table.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        var names: [String] = []
        var place = 0
        while place + 3 < lines.count {
            let (name, file, text, without) = (lines[place], lines[place + 1], lines[place + 2], lines[place + 3])
            let source = try String(contentsOf: root.appending(path: file), encoding: .utf8)
            #expect(source.components(separatedBy: text).count == 2, "\(name)")
            #expect(text != without, "\(name)")
            names.append(name)
            // An empty line follows each entry.
            #expect(place + 4 >= lines.count || lines[place + 4].isEmpty, "\(name)")
            place += 5
        }
        #expect(names.count >= 16 && Set(names).count == names.count)
    }
}
