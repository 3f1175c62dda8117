/// The exported symbols of a Mach-O image as a tree of their names, for an image whose table has been stripped.
///
/// Source: `mach-o/loader.h`, 'The symbols exported by a dylib are encoded in a trie', and the reader in dyld. A node is visited
/// once, so a damaged tree with cycles ends.
struct ExportTree {
    /// The exported symbols, written as those of a table.
    struct Table {
        var symbols: [UInt8] = []
        var names: [UInt8] = [0]
    }

    private static let longestName = 1 << 16
    /// Beyond this the tree is not from a linker: the paths to its nodes share most of their text.
    private static let mostNameBytes = 1 << 26
    private static let kindMask: UInt64 = 0x3, reexported: UInt64 = 0x8

    private struct Branch {
        var node: Int
        /// The length of the name on the way to the node's parent.
        var parent: Int
        var label: Range<Int>
    }

    /// The symbols of code and data in this image, of whose header the address is known.
    static func table(_ tree: UnsafeRawBufferPointer, headerAddress: UInt64, sectionEnds: [UInt64]) -> Table {
        var table = Table()
        // The root is often at 0, and no branch leads there.
        var visited: Set<Int> = [0]
        var name: [UInt8] = []
        // Depth first: the name before a branch is still there when its turn comes.
        var branches = [Branch(node: 0, parent: 0, label: 0..<0)]
        while let branch = branches.popLast(), table.names.count < mostNameBytes {
            name.removeLast(name.count - branch.parent)
            name += tree[branch.label]
            var cursor = ByteCursor(tree, at: branch.node)
            let size = cursor.variable()
            var symbol = cursor.slice(size)
            if size > 0 { add(name, &symbol, headerAddress, sectionEnds, &table) }
            for _ in 0..<cursor.byte() {
                let start = cursor.position
                let label = start..<start + cursor.text().count
                let node = cursor.variable()
                guard !cursor.isBroken, let node = Int(exactly: node), node < tree.count else { break }
                guard name.count + label.count <= longestName, visited.insert(node).inserted else { continue }
                branches.append(Branch(node: node, parent: name.count, label: label))
            }
        }
        return table
    }

    private static func add(
        _ name: [UInt8], _ symbol: inout ByteCursor, _ headerAddress: UInt64, _ sectionEnds: [UInt64],
        _ table: inout Table
    ) {
        let flags = symbol.variable()
        // Neither of another image, nor of a thread, nor a constant.
        guard flags & kindMask == 0, flags & reexported == 0 else { return }
        let address = headerAddress &+ symbol.variable()
        // The section is not stored; it is the one that ends first after the address.
        guard !symbol.isBroken,
            let section = sectionEnds.indices.filter({ sectionEnds[$0] > address }).min(by: {
                sectionEnds[$0] < sectionEnds[$1]
            }), let place = UInt32(exactly: table.names.count)
        else { return }
        withUnsafeBytes(of: place.littleEndian) { table.symbols += $0 }
        table.symbols += [0x0f, UInt8(section + 1), 0, 0]
        withUnsafeBytes(of: address.littleEndian) { table.symbols += $0 }
        table.names += name
        table.names.append(0)
    }
}
