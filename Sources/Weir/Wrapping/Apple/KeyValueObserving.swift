#if canImport(ObjectiveC)
    import Foundation
    import ObjectiveC

    // No CI compiles this file: there is no Objective-C where Weir is built and tested.
    extension NSObjectProtocol where Self: NSObject {
        /// What key-value observing tells of a property, recorded under `name`.
        ///
        /// ```swift
        /// player.signal(for: \.rate, "rate").subscribe { rate in label.text = "\(rate)" }
        /// ```
        /// Cold: each subscriber has an observation of its own, which ends with its subscription, or with the object, which
        /// nothing here holds. The property must be one that can be observed: `@objc dynamic`, or documented as such. Values come
        /// on the thread that writes the property. Equal ones come too; ``Signal/removeDuplicates(file:line:)`` leaves them out.
        ///
        /// - Parameters:
        ///   - name: what traces call it; nil: the line of the call, or the property of an adopted model that holds the signal.
        ///   - initial: whether the present value comes first.
        ///   - privacy: `.private` keeps values out of every trace.
        public func signal<Value>(
            for keyPath: KeyPath<Self, Value>, _ name: String? = nil, initial: Bool = false,
            privacy: TracePrivacy = .public, file: StaticString = #fileID, line: UInt = #line
        ) -> Signal<Value> {
            Signal(named: name, privacy: privacy, file: file, line: line) { [weak self] subscriber in
                guard let self else { return nil }
                // It is told on the thread that writes, as the property's other readers are.
                nonisolated(unsafe) let subscriber = subscriber
                let observation = self.observe(keyPath, options: initial ? [.initial, .new] : .new) { _, change in
                    if let value = change.newValue { subscriber.next(value) }
                }
                return Disposable(heldBy: self, observation) { observation in observation.invalidate() }
            }
        }
    }
#endif
