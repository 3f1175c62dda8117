#if canImport(SwiftUI)
import SwiftUI

extension Binding where Value: Sendable {
    /// Reads and writes the value of `observable`: `TextField("Name", text: Binding(model.name))`.
    ///
    /// A body that reads it is updated when the value changes, as with an `@Observable` property (iOS 17, macOS 14, tvOS 17
    /// and watchOS 10).
    public init(_ observable: Observable<Value>) {
        self.init(get: { observable.value }, set: { observable.value = $0 })
    }
}
#endif
