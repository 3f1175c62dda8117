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
        /// The properties of superclasses too. A write is caused by what is being delivered where it is made. One of an
        /// equal value is a refresh as any other, as it is to the views of the model: `weir redundant` tells it. What
        /// the subscribers of `$name` do is not caused by that; put `.traced("…")` after `$name` for this.
        ///
        /// As the property's publisher has it, a write is told before it is stored, and the present values are not
        /// told. The model is not held, but what its properties hold is, until the result is cancelled or released:
        /// best by the model itself, as above. Called twice, it records twice. To be called where the properties may be
        /// read. A model whose `objectWillChange` is its own: of its properties, Combine may tell only those that
        /// somebody has subscribed to before.
        ///
        /// Cost: one reflection of the model; for each property, three allocations and two more for the subscription. A
        /// write is one call of a closure more and, while nothing is recorded, a predictable branch.
        ///
        /// - Parameters:
        ///   - name: instead of the type's name.
        ///   - hidden: names of properties whose values stay out of every trace. If one of them is not found, all
        ///     stay out: a misspelt name must not tell a password.
        /// - Returns: what ends it.
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

    /// A property of a model, of whatever type its value is.
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
