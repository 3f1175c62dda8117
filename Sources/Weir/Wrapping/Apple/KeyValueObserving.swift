#if canImport(ObjectiveC)
import Foundation
import ObjectiveC

// No CI compiles this file: there is no Objective-C where Weir is built and tested.
extension NSObjectProtocol where Self: NSObject {
    /// A signal of a property's changes by key-value observing, recorded under `name`.
    ///
    /// ```swift
    /// player.signal(for: \.rate, "rate").subscribe { rate in label.text = "\(rate)" }
    /// ```
    /// Cold: each subscriber has its own observation, which ends with its subscription or with the object; nothing here holds
    /// the object. The property must be observable: `@objc dynamic`, or documented as observable. Values are delivered on the
    /// thread that writes the property. Equal values are delivered too; ``Signal/removeDuplicates(file:line:)`` omits them.
    ///
    /// - Parameters:
    ///   - name: the name in traces; nil: the line of the call, or the property of an adopted model that holds the signal.
    ///   - initial: whether the current value is delivered first.
    ///   - privacy: `.private` keeps values out of every trace.
    public func signal<Value>(
        for keyPath: KeyPath<Self, Value>, _ name: String? = nil, initial: Bool = false,
        privacy: TracePrivacy = .public, file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<Value> {
        Signal(named: name, privacy: privacy, file: file, line: line) { [weak self] subscriber in
            guard let self else { return nil }
            // It is notified on the writing thread, like the property's other observers.
            nonisolated(unsafe) let subscriber = subscriber
            let observation = self.observe(keyPath, options: initial ? [.initial, .new] : .new) { _, change in
                if let value = change.newValue { subscriber.next(value) }
            }
            return Disposable(heldBy: self, observation) { observation in observation.invalidate() }
        }
    }
}
#endif
