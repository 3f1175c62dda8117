import Observation
import Testing
import Weir
import WeirTestSupport
import WeirTesting
import WeirTrace

@Observable
private final class Note {
    var text = ""
    var count: Int { text.count }
    init(_ text: String = "") { self.text = text }
}

private struct Page {
    var number = 0
    var lines = ["a"]
    var best: Int? = 1
    var notes = [Note("in a structure")]
}

private struct Team {
    var notes = [7: Note("of a team")]
    subscript(id id: Int) -> Note { notes[id]! }
}

extension Dictionary {
    fileprivate subscript(forced key: Key) -> Value { self[key]! }
}

extension Array where Element == Note {
    fileprivate subscript(named text: String) -> Note { first { $0.text == text }! }
}

private final class Key: Hashable {
    static func == (left: Key, right: Key) -> Bool { left === right }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

@Observable
private final class Index {
    var byKey: [Key: Page] = [:]
    var notes = [Note("first")]
    subscript(at place: Int) -> Note { notes[place] }
}

@Observable
private class Shelf {
    var notes = [Note("inherited")]
    var accounts = ["a": Page(), "b": Page()]
}

@Observable
private final class Desk: Shelf {
    var selected: Note? = Note("selected")
    var byName = ["a": Note("of a"), "b": Note("of b")]
    var grid = [[1, 2], [3]]
    var pages = [Page(number: 1), Page(number: 2)]
    var current = Page()
    var page: Page? = Page(number: 3)
    var drawer = Drawer()
    var team = Team()
    subscript(at place: Int) -> Note { notes[place] }
}

@Observable
private final class Drawer {
    var notes = [Note("first"), Note("second")]
    var top = Note("top")
}

extension Everything {
    /// Paths to objects that may be missing.
    @Suite(.ahead) struct ObservedPathTests {
        /// Empties the desk, and fills it again with other values.
        private func change(_ desk: Desk, _ time: VirtualScheduler) {
            desk.selected = nil
            desk.byName = [:]
            desk.grid = [[]]
            desk.pages = []
            desk.current = Page(lines: [], best: nil, notes: [])
            desk.page = nil
            desk.team.notes = [:]
            desk.drawer.notes = []
            desk.notes = []
            time.runUntilIdle()
            desk.selected = Note("another")
            desk.byName = ["a": Note("another a"), "b": Note("another b")]
            desk.grid = [[1, 7], [8]]
            desk.pages = [Page(number: 4), Page(number: 5)]
            desk.page = Page(number: 6)
            desk.drawer.notes = [Note(), Note("another second")]
            desk.notes = [Note("another inherited")]
            time.runUntilIdle()
        }

        @Test func `A path that leads nowhere for a while is followed again when it leads somewhere`() throws {
            let (desk, time) = (Desk(), VirtualScheduler())
            let recording = try record {
                Trace.observe(
                    desk, \.selected!.text, \.byName["b"]!.text, \.byName["a"]!.text, \.grid[0][1], \.grid[1][0],
                    \.drawer.notes[1].text, \.drawer.notes[1].count, \.notes[0].text, on: time)
                change(desk, time)
            }
            let texts = Set(recording.definitions.nodes.values.compactMap(\.label).filter { $0.hasPrefix("\\") })
            #expect(
                texts == [
                    "\\Desk.selected!.text", "\\Desk.byName[…]!.text", "\\Desk.byName[… 2]!.text",
                    "\\Desk.grid[0][1]", "\\Desk.grid[1][0]", "\\Desk.drawer.notes[1].text",
                    "\\Desk.drawer.notes[…].count", "\\Desk.notes[…].text",
                ])
            #expect(recording.emissions(of: "\\Desk.selected!.text") == [.string("another")])
            #expect(recording.emissions(of: "\\Desk.byName[…]!.text") == [.string("another b")])
            #expect(recording.emissions(of: "\\Desk.byName[… 2]!.text") == [.string("another a")])
            #expect(recording.emissions(of: "\\Desk.grid[0][1]") == [.signed(7)])
            #expect(recording.emissions(of: "\\Desk.grid[1][0]") == [.signed(8)])
            #expect(recording.emissions(of: "\\Desk.drawer.notes[1].text") == [.string("another second")])
            #expect(recording.emissions(of: "\\Desk.drawer.notes[…].count") == [.signed(14)])
            #expect(recording.emissions(of: "\\Desk.notes[…].text") == [.string("another inherited")])
        }

        @Test func `A path through a structure in a list is followed while the list is as long as it was`() throws {
            let (desk, time) = (Desk(), VirtualScheduler())
            let recording = try record {
                Trace.observe(desk, \.pages[0].number, \.pages[1].number, \.page!.number, on: time)
                change(desk, time)
                desk.pages.removeLast()
                desk.pages[0].number = 9
                time.runUntilIdle()
            }
            #expect(recording.emissions(of: "\\Desk.pages[…].number") == [.signed(4)])
            #expect(recording.emissions(of: "\\Desk.pages[… 2].number") == [.signed(5)])
            #expect(recording.emissions(of: "\\Desk.page!.number") == [.signed(6)])
        }

        @Test func `What is always there needs no guard`() throws {
            let (desk, time) = (Desk(), VirtualScheduler())
            let recording = try record {
                Trace.observe(desk, \.drawer.top.count, \.current.number, \.drawer.notes.count, on: time)
                desk.drawer.top.text = "abcd"
                desk.current.number = 5
                desk.drawer.notes = []
                time.runUntilIdle()
            }
            #expect(recording.emissions(of: "Desk.drawer.top.count").last == .signed(4))
            #expect(recording.emissions(of: "Desk.current.number").last == .signed(5))
            #expect(recording.emissions(of: "Desk.drawer.notes.count").last == .signed(0))
        }

        @Test func `A path of which nobody can tell whether it leads somewhere is not read, and that is said`()
            async throws
        {
            let said = try SaidText()
            await #expect(processExitsWith: .success) { [path = said.path as String] in
                SaidText.hear(in: path)
                let (desk, time) = (Desk(), VirtualScheduler())
                let start = desk.byName.startIndex
                let recording = try record {
                    for _ in 0..<2 {
                        Trace.observe(
                            desk, \.current.lines[0], \.current.best!, \.pages[1].lines[0], \.current.notes[0].text,
                            \.team[id: 7].text, \.byName[forced: "a"].text, \.byName[start].value.text,
                            \.notes[named: "inherited"].text, \.[at: 0].text, \.selected!.text, on: time)
                    }
                    Everything.ObservedPathTests().change(desk, time)
                }
                #expect(recording.emissions(of: "\\Desk.selected!.text") == [.string("another")])
            }
            let lines = try said.text.split(separator: "\n").filter { $0.contains("is not observed") }
            #expect(lines.count == 9 && lines.allSatisfy { $0.hasPrefix("weir: \\Desk.") }, "\(lines)")
        }

        @Test func `What is said of a class follows no subscript of a model, which need not hold in each`() throws {
            let (index, time) = (Index(), VirtualScheduler())
            index.notes = []
            _ = try record {
                Trace.observe(Index.self, \.[at: 0].text, private: \.[at: 1], on: time)
                Trace.adopt(index)
                time.runUntilIdle()
            }
        }

        @Test func `Private is a path whatever its index is called`() throws {
            let (desk, time) = (Desk(), VirtualScheduler())
            let recording = try record {
                // The same path of a subclass is a different one, recognised by its name.
                Trace.observe(Shelf.self, private: \.accounts["a"]!.number, on: time)
                Trace.observe(desk, \.accounts["b"]!.number, \.accounts["a"]!.number, on: time)
                desk.accounts["a"]!.number = 9
                time.runUntilIdle()
            }
            let values = recording.events.filter { $0.kind == .emitted }.map(\.value)
            #expect(values.contains(.withheld) && !values.contains(.signed(9)))
        }

        @Test func `A path keeps no other key, and its search is no read of the program's`() throws {
            let time = VirtualScheduler()
            var index: Index! = Index()
            var key: Key! = Key()
            weak let named = key
            weak var other: Key?
            let changes = Locked(0)
            _ = try record {
                do {
                    let second = Key()
                    other = second
                    index.byKey = [key: Page(), second: Page()]
                }
                withObservationTracking {
                    Trace.observe(index, \.byKey[key]!.number, on: time)
                } onChange: {
                    changes.change { $0 += 1 }
                }
                index.byKey = [:]
                time.runUntilIdle()
            }
            #expect(other == nil && changes.value == 0)
            (index, key) = (nil, nil)
            #expect(named == nil, "what is known of key paths keeps none")
        }

        @Test func `What is observed before a recording begins is said when it does`() async throws {
            let said = try SaidText()
            await #expect(processExitsWith: .success) { [path = said.path as String] in
                SaidText.hear(in: path)
                let (desk, time) = (Desk(), VirtualScheduler())
                Trace.observe(desk, \.current.best!, on: time)
                _ = try record {}
                _ = try record {}
            }
            let lines = try said.text.split(separator: "\n")
            #expect(lines.count { $0.contains("is not observed") } == 1, "\(lines)")
        }

        @Test func `Written through a wrapper and gone before it is looked at`() throws {
            let (desk, time) = (Desk(), VirtualScheduler())
            let recording = try record {
                let view = Trace.wrap(desk)
                Trace.observe(desk, \.drawer.notes, on: time)
                view[dynamicMember: \.current.notes[0].text] = "new"
                view[dynamicMember: \.selected!.text] = "changed"
                view[dynamicMember: \.drawer.notes[0]] = Note("other")
                desk.selected = nil
                desk.drawer.notes = []
                desk.current.notes = []
                time.runUntilIdle()
                Trace.adopt(desk)
            }
            #expect(recording.emissions(of: "\\Desk.selected!.text") == [.string("changed")])
        }
    }
}
