import WeirTrace

/// A key path that leads to an element of an array, or to a property of one: `\.items[0].quantity`.
///
/// A key path does not tell its index. It is found by building the same one, from what a first read of it reads.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
struct ElementPath {
    /// Most indices that are tried.
    private static let mostIndices = 1000

    let name: String?
    /// Whether a model has that element now; to read it would end the program, where there is none.
    let isThere: (AnyObject) -> Bool

    /// Nil: it leads to no element, or which one cannot be found.
    init?<Model, Value>(_ keyPath: KeyPath<Model, Value>, in model: AnyObject) {
        guard KeyPathName.mayTrap(keyPath), let object = model as? Model,
            let accesses = AccessList.accesses(of: { _ = object[keyPath: keyPath] })
        else { return nil }
        let paths = accesses.map(\.keyPath)
        for array in paths where type(of: array).rootType == Model.self {
            guard let list = type(of: array).valueType as? any ElementList.Type,
                let count = Self.count(of: array, in: model)
            else { continue }
            for index in 0..<min(count, Self.mostIndices) {
                guard let element = array.appending(path: list.path(to: index)) else { continue }
                let ends = [element] + paths.compactMap { element.appending(path: $0) }
                guard ends.contains(where: { $0 == keyPath }) else { continue }
                name = KeyPathName.of(keyPath)?.replacing(KeyPathName.unknownIndex, by: "[\(index)]")
                isThere = { Self.count(of: array, in: $0).map { index < $0 } ?? false }
                return
            }
        }
        return nil
    }

    private static func count(of array: AnyKeyPath, in model: AnyObject) -> Int? {
        func counted<Root>(_ root: Root) -> Int? { (root[keyPath: array] as? any Collection)?.count }
        return _openExistential(model, do: counted)
    }
}

private protocol ElementList {
    static func path(to index: Int) -> AnyKeyPath
}

extension Array: ElementList {
    static func path(to index: Int) -> AnyKeyPath { \[Element].[index] }
}

extension String {
    /// With the first `part` replaced.
    fileprivate func replacing(_ part: String, by other: String) -> String {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(part) { return self[..<start] + other + self[start...].dropFirst(part.count) }
            formIndex(after: &start)
        }
        return self
    }
}
