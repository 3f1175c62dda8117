/// The frames of a suspended task, from the function that it resumes outwards.
///
/// Follows the runtime's layout on 64-bit platforms. A task has the function to resume and its frame. A frame has the caller's
/// frame and the function to resume there. Use the result only as a name: the memory may be older than what the task does now.
struct TaskFrames {
    /// Addresses of code, innermost first.
    let functions: [UInt]

    private static let resumption: UInt = 56
    private static let most = 64

    /// Reads the frames of the task at an address; empty if the memory does not have this layout.
    init(of task: UInt, _ memory: MemoryMap) {
        var functions: [UInt] = []
        var place = task &+ Self.resumption
        guard memory.isReadable(place, 16) else {
            self.functions = []
            return
        }
        var (function, frame) = (Memory.word(place), Memory.word(place &+ 8))
        while function != 0, functions.count < Self.most {
            functions.append(function)
            place = frame
            guard place & 7 == 0, place >= Memory.leastAddress, memory.isReadable(place, 16) else { break }
            (frame, function) = (Memory.word(place), Memory.word(place &+ 8))
        }
        self.functions = functions
    }

    /// The innermost function that has a known line and is not Weir's own: "closure #1 in Feed.listen()".
    func firstOfProgram(_ symbols: HeapSymbols) -> String? {
        for address in functions {
            let function = symbols.function(at: address)
            guard let name = function.name, function.line != nil, let file = function.file, !file.hasPrefix("Weir/")
            else { continue }
            return name
        }
        return nil
    }
}
