import Observation
import Testing
import WeirHeap
import WeirTesting
import WeirTrace

@testable import Weir

@Observable
private final class Pair {
    var left = 1
    var right = 2
}

private final class Count: @unchecked Sendable { var value = 0 }

extension Everything {
    /// The list of reads on a thread, on a system whose library names the functions for it and on one that does not.
    @Suite struct AccessListTests {
        private func keyPaths(_ accesses: [AccessList.Access]) -> Set<AnyKeyPath> { Set(accesses.map(\.keyPath)) }

        @Test(arguments: [true, false])
        func `Reads are known whether or not the list of a thread can be replaced`(usesSetter: Bool) throws {
            let list = try #require(AccessList(usesSetter: usesSetter))
            #expect(list.passesTrial())
            let (pair, changes) = (Pair(), Count())
            let (left, both): (Set<AnyKeyPath>, Set<AnyKeyPath>) = ([\Pair.left], [\Pair.left, \Pair.right])
            #expect(keyPaths(list.collect { _ = pair.left }.reads) == left)
            #expect(list.detached { pair.left + pair.right } == 3)
            withObservationTracking {
                #expect(list.passesTrial())
                #expect(list.accesses() == [])
                _ = pair.left
                list.detached { _ = pair.right }
                #expect(keyPaths(list.accesses()) == left)
                let (sum, reads) = list.collect {
                    list.collect { pair.left }.result + list.collect { pair.right }.result
                }
                #expect(sum == 3 && keyPaths(reads) == both)
                #expect(keyPaths(list.accesses()) == both)
            } onChange: {
                changes.value += 1
            }
            pair.right = 3
            #expect(changes.value == 1)
            withObservationTracking {
                list.detached { _ = pair.right }
                _ = list.collect { pair.left }
            } onChange: {
                changes.value += 1
            }
            pair.right = 4
            #expect(changes.value == 1)
            pair.left = 4
            #expect(changes.value == 2)
        }

        @Test func `The slot of the list is the one that points to a new list inside a tracking`() throws {
            let getter = try #require(AccessList.getter)
            let heap = UnsafeMutablePointer<UInt>.allocate(capacity: 1)
            heap.initialize(to: 0)
            defer { heap.deallocate() }
            /// Ten slots of a thread: the seventh has the list, others a cell of the heap and a number.
            func value(_ slot: Int) -> UnsafeMutableRawPointer? {
                switch slot {
                case 102: UnsafeMutableRawPointer(heap)
                case 103: UnsafeMutableRawPointer(bitPattern: 0x11)
                case 107: getter()
                default: nil
                }
            }
            #expect(AccessSlot.find(in: 100..<110, value: value) == 107)
            #expect(
                withObservationTracking {
                    AccessSlot.find(in: 100..<110, value: value)
                } onChange: {
                } == 107)
            #expect(AccessSlot.find(in: 100..<107, value: value) == nil)
            #expect(AccessSlot.find(in: 100..<110) { $0 > 107 ? getter() : value($0) } == nil)
            // It must be another one outside of the tracking.
            var calls = 0
            let changing = AccessSlot.find(in: 107..<108) { _ in
                calls += 1
                return calls == 3 ? UnsafeMutableRawPointer(heap) : getter()
            }
            #expect(changing == nil && calls == 3)
        }
    }

    /// What observing without a list of properties needs of the system, step by step: `Tools/mac-check` reports which one fails.
    @MainActor @Suite struct ObserveStepsTests {
        @Test func `1 A class of the program is in a loaded module`() {
            let type = unsafeBitCast(Pair.self as Any.Type, to: UInt.self)
            #expect(HeapSymbols().isInModule(type))
        }

        @Test func `2 The symbols of the program contain the getters of its properties`() {
            let found = PropertyGetter.all(of: Pair.self, HeapSymbols())
            #expect(Set(found.getters.map(\.name) + found.unreadable) == ["left", "right"])
            #expect([\Pair.left, \Pair.right].count == 2)
        }

        @Test func `3 The reads on a thread are known`() {
            #expect(AccessList.getter != nil, "neither the symbols nor the slots of the thread show the list")
            #expect(AccessList() != nil, "the list has another shape")
            #expect(AccessList.isAvailable, "the trial failed")
        }

        @Test func `4 Key paths have names`() {
            #expect(KeyPathName.of(\Pair.left) == "left")
        }

        @Test func `5 Observing without a list follows each property`() throws {
            let (pair, time) = (Pair(), VirtualScheduler())
            let recording = try record {
                Trace.observe(pair, on: time)
                Trace.stimulus("write") { (pair.left, pair.right) = (5, 6) }
            }
            #expect(recording.emissions(of: "Pair.left") == [.signed(5)])
            #expect(recording.emissions(of: "Pair.right") == [.signed(6)])
        }

        @Test func `6 The reads of a body are edges to it`() throws {
            let pair = Pair()
            let recording = try record {
                Trace.observe(pair)
                _ = withObservationTracking {
                    Trace.body("PairView") { pair.left }
                } onChange: {
                }
            }
            let edges = recording.definitions.subscriptions.values.compactMap { edge in
                edge.target.map { "\(recording.name(edge.source)) → \(recording.name($0))" }
            }
            #expect(edges == ["Pair.left → PairView"])
        }
    }
}

/// The parts for Apple platforms, type-checked against stand-ins for the declarations of the system that they use.
@Suite struct LoaderTypeTests {
    // An optimizing compiler leaves out the bodies of functions that no client can see, and with them their mistakes.
    #if os(Linux) && DEBUG
    private static let loader = """
        public struct mach_header {}
        public func _dyld_image_count() -> UInt32 { 0 }
        public func _dyld_get_image_header(_ image_index: UInt32) -> UnsafePointer<mach_header>! { nil }
        public func _dyld_get_image_vmaddr_slide(_ image_index: UInt32) -> Int { 0 }
        public func _dyld_get_image_name(_ image_index: UInt32) -> UnsafePointer<CChar>! { nil }
        """

    /// The functions for a thread's slots are those of POSIX.
    private static let threads = "@_exported import Glibc"

    private func check(_ files: [String], replacing text: String = "", with other: String = "") throws -> [String] {
        let modules = [try CompiledModule("MachO", Self.loader), try CompiledModule("Darwin", Self.threads)]
        let sources = try files.map { try DocumentationPage($0).text }.joined(separator: "\n")
        let compiled = try CompiledSource(
            text.isEmpty ? sources : sources.replacingOccurrences(of: text, with: other),
            options: ["-D", "Recording", "-package-name", "weir"] + modules.flatMap(\.importOptions))
        return compiled.errors
    }

    @Test func `What lists the loaded images fits the declarations of the system`() throws {
        let files = ["LoadedModule", "MachImage", "ByteCursor"].map { "Sources/WeirHeap/Symbols/\($0).swift" }
        #expect(try check(files) == [])
        // Nothing is hidden by a condition: a mistake is an error.
        let mistaken = try check(files, replacing: "_dyld_get_image_name", with: "_dyld_image_name")
        #expect(mistaken.first == "cannot find '_dyld_image_name' in scope")
    }

    @Test func `What reads the slots of a thread fits the declarations of the system`() throws {
        let file = "Sources/Weir/Wrapping/Observation/AccessSlot.swift"
        let list = "enum AccessList { typealias Getter = @convention(c) () -> UnsafeMutableRawPointer? }"
        let whole = ("import WeirRecording", "import WeirRecording\n" + list)
        #expect(try check([file], replacing: whole.0, with: whole.1) == [])
        // Nothing is hidden by a condition here either.
        let mistaken = try check([file], replacing: "pthread_getspecific(", with: "pthread_value(")
        #expect(mistaken.contains("cannot find 'pthread_value' in scope"))
    }
    #endif
}
