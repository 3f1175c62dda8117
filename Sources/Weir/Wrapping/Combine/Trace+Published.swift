#if canImport(Combine)
import Combine

extension Trace {
    /// Records every write of every `@Published` property of `model` ('LoginModel.name'), wherever it is made;
    /// adopts the model.
    ///
    /// ```swift
    /// init() {
    ///     Trace.observePublished(of: self, hiding: ["password"]).store(in: &cancellables)
    /// }
    /// ```
    /// This includes the properties of superclasses. A write is caused by the delivery during which it is made. A write of an
    /// equal value is a refresh like any other, because the views of the model refresh too: `weir redundant` reports it.
    /// Effects of the subscribers of `$name` are not caused by it; put `.traced("…")` after `$name` for that.
    ///
    /// Like the property's publisher, it reports a write before the value is stored, and does not report the current values.
    /// The model is not held, but the values of its properties are, until the result is cancelled or released: best by the
    /// model itself, as above. Two calls record every write twice. Call it where the properties may be read. If a model has
    /// its own `objectWillChange`, Combine may report only those of its properties that already had a subscriber.
    ///
    /// Cost: one reflection of the model; for each property, three allocations and two more for the subscription. A write
    /// costs one more call of a closure and, while nothing is recorded, a predictable branch.
    ///
    /// - Parameters:
    ///   - name: replaces the type's name.
    ///   - hidden: names of properties whose values stay out of every trace. If one of them is not found, all values stay
    ///     out: a misspelt name must not disclose a password.
    /// - Returns: the cancellable that ends it.
    public static func observePublished<Model: ObservableObject>(
        of model: Model, as name: String? = nil, hiding hidden: Set<String> = [], file: StaticString = #fileID,
        line: UInt = #line
    ) -> AnyCancellable {
        adopt(model, as: name)
        // Makes each property's storage a publisher, which a copy of the property shares.
        _ = model.objectWillChange
        var properties: [(name: String, property: any PublishedProperty)] = []
        var mirror: Mirror? = Mirror(reflecting: model)
        while let current = mirror {
            for child in current.children {
                guard let property = child.value as? any PublishedProperty, let stored = child.label else {
                    continue
                }
                properties.append((stored.hasPrefix("_") ? String(stored.dropFirst()) : stored, property))
            }
            mirror = current.superclassMirror
        }
        let hidesAll = !hidden.isSubset(of: properties.map(\.name))
        let owner = name ?? String(describing: type(of: model))
        let observations = properties.map { known in
            known.property.observe(
                as: "\(owner).\(known.name)",
                privacy: hidesAll || hidden.contains(known.name) ? .private : .public, file: file, line: line)
        }
        return AnyCancellable { for observation in observations { observation.cancel() } }
    }
}

/// A property of a model, with any type of value.
private protocol PublishedProperty {
    func observe(as name: String, privacy: TracePrivacy, file: StaticString, line: UInt) -> AnyCancellable
}

extension Published: PublishedProperty {
    func observe(as name: String, privacy: TracePrivacy, file: StaticString, line: UInt) -> AnyCancellable {
        var copy = self
        let probe = TraceProbe(
            name, of: Value.self, technique: .published, privacy: privacy, file: file, line: line)
        let subscription = probe.subscribed(file: file, line: line)
        let sink = copy.projectedValue.dropFirst().sink { value in subscription.emitted(value) }
        return AnyCancellable {
            sink.cancel()
            subscription.disposed()
        }
    }
}
#endif
