// One overload for each number of inputs. A parameter pack would need only one, but code over packs is not specialised (Swift
// 6.3): reading two inputs took twenty times as long.

extension Combining {
    /// Depends on this observable only, from now on; evaluates at its next update, not now.
    @inlinable
    public func combine<A>(
        _ a: ReadOnlyObservable<A>,
        file: StaticString = #fileID, line: UInt = #line, transform: @escaping @Sendable (A) -> Value
    ) {
        combine(a, since: nil, file: file, line: line, transform: transform)
    }

    @inlinable
    func combine<A>(
        _ a: ReadOnlyObservable<A>, since: UInt32?,
        file: StaticString, line: UInt, transform: @escaping @Sendable (A) -> Value
    ) {
        let a = cell(a)
        replace(by: [a], since: since, file: file, line: line) {
            $1.evaluate(for: $0) { transform(a.value) }
        }
    }

    /// Depends on these two observables only, from now on; evaluates at their next updates, not now.
    @inlinable
    public func combine<A, B>(
        _ a: ReadOnlyObservable<A>, _ b: ReadOnlyObservable<B>,
        file: StaticString = #fileID, line: UInt = #line, transform: @escaping @Sendable (A, B) -> Value
    ) {
        combine(a, b, since: nil, file: file, line: line, transform: transform)
    }

    @inlinable
    func combine<A, B>(
        _ a: ReadOnlyObservable<A>, _ b: ReadOnlyObservable<B>, since: UInt32?,
        file: StaticString, line: UInt, transform: @escaping @Sendable (A, B) -> Value
    ) {
        let (a, b) = (cell(a), cell(b))
        replace(by: [a, b], since: since, file: file, line: line) {
            $1.evaluate(for: $0) { transform(a.value, b.value) }
        }
    }

    /// Depends on these three observables only, from now on; evaluates at their next updates, not now.
    @inlinable
    public func combine<A, B, C>(
        _ a: ReadOnlyObservable<A>, _ b: ReadOnlyObservable<B>, _ c: ReadOnlyObservable<C>,
        file: StaticString = #fileID, line: UInt = #line, transform: @escaping @Sendable (A, B, C) -> Value
    ) {
        combine(a, b, c, since: nil, file: file, line: line, transform: transform)
    }

    @inlinable
    func combine<A, B, C>(
        _ a: ReadOnlyObservable<A>, _ b: ReadOnlyObservable<B>, _ c: ReadOnlyObservable<C>, since: UInt32?,
        file: StaticString, line: UInt, transform: @escaping @Sendable (A, B, C) -> Value
    ) {
        let (a, b, c) = (cell(a), cell(b), cell(c))
        replace(by: [a, b, c], since: since, file: file, line: line) {
            $1.evaluate(for: $0) { transform(a.value, b.value, c.value) }
        }
    }

    /// Depends on these four observables only, from now on; evaluates at their next updates, not now.
    @inlinable
    public func combine<A, B, C, D>(
        _ a: ReadOnlyObservable<A>, _ b: ReadOnlyObservable<B>, _ c: ReadOnlyObservable<C>, _ d: ReadOnlyObservable<D>,
        file: StaticString = #fileID, line: UInt = #line, transform: @escaping @Sendable (A, B, C, D) -> Value
    ) {
        combine(a, b, c, d, since: nil, file: file, line: line, transform: transform)
    }

    @inlinable
    func combine<A, B, C, D>(
        _ a: ReadOnlyObservable<A>, _ b: ReadOnlyObservable<B>, _ c: ReadOnlyObservable<C>, _ d: ReadOnlyObservable<D>,
        since: UInt32?,
        file: StaticString, line: UInt, transform: @escaping @Sendable (A, B, C, D) -> Value
    ) {
        let (a, b, c, d) = (cell(a), cell(b), cell(c), cell(d))
        replace(by: [a, b, c, d], since: since, file: file, line: line) {
            $1.evaluate(for: $0) { transform(a.value, b.value, c.value, d.value) }
        }
    }

    /// Depends on these five observables only, from now on; evaluates at their next updates, not now.
    @inlinable
    public func combine<A, B, C, D, E>(
        _ a: ReadOnlyObservable<A>, _ b: ReadOnlyObservable<B>, _ c: ReadOnlyObservable<C>, _ d: ReadOnlyObservable<D>,
        _ e: ReadOnlyObservable<E>,
        file: StaticString = #fileID, line: UInt = #line, transform: @escaping @Sendable (A, B, C, D, E) -> Value
    ) {
        combine(a, b, c, d, e, since: nil, file: file, line: line, transform: transform)
    }

    @inlinable
    func combine<A, B, C, D, E>(
        _ a: ReadOnlyObservable<A>, _ b: ReadOnlyObservable<B>, _ c: ReadOnlyObservable<C>, _ d: ReadOnlyObservable<D>,
        _ e: ReadOnlyObservable<E>, since: UInt32?,
        file: StaticString, line: UInt, transform: @escaping @Sendable (A, B, C, D, E) -> Value
    ) {
        let (a, b, c, d, e) = (cell(a), cell(b), cell(c), cell(d), cell(e))
        replace(by: [a, b, c, d, e], since: since, file: file, line: line) {
            $1.evaluate(for: $0) { transform(a.value, b.value, c.value, d.value, e.value) }
        }
    }

    /// Depends on these six observables only, from now on; evaluates at their next updates, not now.
    @inlinable
    public func combine<A, B, C, D, E, F>(
        _ a: ReadOnlyObservable<A>, _ b: ReadOnlyObservable<B>, _ c: ReadOnlyObservable<C>, _ d: ReadOnlyObservable<D>,
        _ e: ReadOnlyObservable<E>,
        _ f: ReadOnlyObservable<F>,
        file: StaticString = #fileID, line: UInt = #line, transform: @escaping @Sendable (A, B, C, D, E, F) -> Value
    ) {
        combine(a, b, c, d, e, f, since: nil, file: file, line: line, transform: transform)
    }

    @inlinable
    func combine<A, B, C, D, E, F>(
        _ a: ReadOnlyObservable<A>, _ b: ReadOnlyObservable<B>, _ c: ReadOnlyObservable<C>, _ d: ReadOnlyObservable<D>,
        _ e: ReadOnlyObservable<E>,
        _ f: ReadOnlyObservable<F>, since: UInt32?,
        file: StaticString, line: UInt, transform: @escaping @Sendable (A, B, C, D, E, F) -> Value
    ) {
        let (a, b, c, d, e) = (cell(a), cell(b), cell(c), cell(d), cell(e))
        let f = cell(f)
        replace(by: [a, b, c, d, e, f], since: since, file: file, line: line) {
            $1.evaluate(for: $0) {
                transform(a.value, b.value, c.value, d.value, e.value, f.value)
            }
        }
    }

    /// Depends on these seven observables only, from now on; evaluates at their next updates, not now.
    @inlinable
    public func combine<A, B, C, D, E, F, G>(
        _ a: ReadOnlyObservable<A>, _ b: ReadOnlyObservable<B>, _ c: ReadOnlyObservable<C>, _ d: ReadOnlyObservable<D>,
        _ e: ReadOnlyObservable<E>,
        _ f: ReadOnlyObservable<F>, _ g: ReadOnlyObservable<G>,
        file: StaticString = #fileID, line: UInt = #line, transform: @escaping @Sendable (A, B, C, D, E, F, G) -> Value
    ) {
        combine(a, b, c, d, e, f, g, since: nil, file: file, line: line, transform: transform)
    }

    @inlinable
    func combine<A, B, C, D, E, F, G>(
        _ a: ReadOnlyObservable<A>, _ b: ReadOnlyObservable<B>, _ c: ReadOnlyObservable<C>, _ d: ReadOnlyObservable<D>,
        _ e: ReadOnlyObservable<E>,
        _ f: ReadOnlyObservable<F>, _ g: ReadOnlyObservable<G>, since: UInt32?,
        file: StaticString, line: UInt, transform: @escaping @Sendable (A, B, C, D, E, F, G) -> Value
    ) {
        let (a, b, c, d, e) = (cell(a), cell(b), cell(c), cell(d), cell(e))
        let (f, g) = (cell(f), cell(g))
        replace(by: [a, b, c, d, e, f, g], since: since, file: file, line: line) {
            $1.evaluate(for: $0) {
                transform(a.value, b.value, c.value, d.value, e.value, f.value, g.value)
            }
        }
    }

    /// Depends on these eight observables only, from now on; evaluates at their next updates, not now.
    @inlinable
    public func combine<A, B, C, D, E, F, G, H>(
        _ a: ReadOnlyObservable<A>, _ b: ReadOnlyObservable<B>, _ c: ReadOnlyObservable<C>, _ d: ReadOnlyObservable<D>,
        _ e: ReadOnlyObservable<E>,
        _ f: ReadOnlyObservable<F>, _ g: ReadOnlyObservable<G>, _ h: ReadOnlyObservable<H>,
        file: StaticString = #fileID, line: UInt = #line,
        transform: @escaping @Sendable (A, B, C, D, E, F, G, H) -> Value
    ) {
        combine(a, b, c, d, e, f, g, h, since: nil, file: file, line: line, transform: transform)
    }

    @inlinable
    func combine<A, B, C, D, E, F, G, H>(
        _ a: ReadOnlyObservable<A>, _ b: ReadOnlyObservable<B>, _ c: ReadOnlyObservable<C>, _ d: ReadOnlyObservable<D>,
        _ e: ReadOnlyObservable<E>,
        _ f: ReadOnlyObservable<F>, _ g: ReadOnlyObservable<G>, _ h: ReadOnlyObservable<H>, since: UInt32?,
        file: StaticString, line: UInt, transform: @escaping @Sendable (A, B, C, D, E, F, G, H) -> Value
    ) {
        let (a, b, c, d, e) = (cell(a), cell(b), cell(c), cell(d), cell(e))
        let (f, g, h) = (cell(f), cell(g), cell(h))
        replace(by: [a, b, c, d, e, f, g, h], since: since, file: file, line: line) {
            $1.evaluate(for: $0) {
                transform(a.value, b.value, c.value, d.value, e.value, f.value, g.value, h.value)
            }
        }
    }

    /// Depends on these nine observables only, from now on; evaluates at their next updates, not now.
    @inlinable
    public func combine<A, B, C, D, E, F, G, H, I>(
        _ a: ReadOnlyObservable<A>, _ b: ReadOnlyObservable<B>, _ c: ReadOnlyObservable<C>, _ d: ReadOnlyObservable<D>,
        _ e: ReadOnlyObservable<E>,
        _ f: ReadOnlyObservable<F>, _ g: ReadOnlyObservable<G>, _ h: ReadOnlyObservable<H>, _ i: ReadOnlyObservable<I>,
        file: StaticString = #fileID, line: UInt = #line,
        transform: @escaping @Sendable (A, B, C, D, E, F, G, H, I) -> Value
    ) {
        combine(a, b, c, d, e, f, g, h, i, since: nil, file: file, line: line, transform: transform)
    }

    @inlinable
    func combine<A, B, C, D, E, F, G, H, I>(
        _ a: ReadOnlyObservable<A>, _ b: ReadOnlyObservable<B>, _ c: ReadOnlyObservable<C>, _ d: ReadOnlyObservable<D>,
        _ e: ReadOnlyObservable<E>,
        _ f: ReadOnlyObservable<F>, _ g: ReadOnlyObservable<G>, _ h: ReadOnlyObservable<H>, _ i: ReadOnlyObservable<I>,
        since: UInt32?,
        file: StaticString, line: UInt, transform: @escaping @Sendable (A, B, C, D, E, F, G, H, I) -> Value
    ) {
        let (a, b, c, d, e) = (cell(a), cell(b), cell(c), cell(d), cell(e))
        let (f, g, h, i) = (cell(f), cell(g), cell(h), cell(i))
        replace(by: [a, b, c, d, e, f, g, h, i], since: since, file: file, line: line) {
            $1.evaluate(for: $0) {
                transform(a.value, b.value, c.value, d.value, e.value, f.value, g.value, h.value, i.value)
            }
        }
    }

    /// Depends on these ten observables only, from now on; evaluates at their next updates, not now.
    @inlinable
    public func combine<A, B, C, D, E, F, G, H, I, J>(
        _ a: ReadOnlyObservable<A>, _ b: ReadOnlyObservable<B>, _ c: ReadOnlyObservable<C>, _ d: ReadOnlyObservable<D>,
        _ e: ReadOnlyObservable<E>,
        _ f: ReadOnlyObservable<F>, _ g: ReadOnlyObservable<G>, _ h: ReadOnlyObservable<H>, _ i: ReadOnlyObservable<I>,
        _ j: ReadOnlyObservable<J>,
        file: StaticString = #fileID, line: UInt = #line,
        transform: @escaping @Sendable (A, B, C, D, E, F, G, H, I, J) -> Value
    ) {
        combine(a, b, c, d, e, f, g, h, i, j, since: nil, file: file, line: line, transform: transform)
    }

    @inlinable
    func combine<A, B, C, D, E, F, G, H, I, J>(
        _ a: ReadOnlyObservable<A>, _ b: ReadOnlyObservable<B>, _ c: ReadOnlyObservable<C>, _ d: ReadOnlyObservable<D>,
        _ e: ReadOnlyObservable<E>,
        _ f: ReadOnlyObservable<F>, _ g: ReadOnlyObservable<G>, _ h: ReadOnlyObservable<H>, _ i: ReadOnlyObservable<I>,
        _ j: ReadOnlyObservable<J>, since: UInt32?,
        file: StaticString, line: UInt, transform: @escaping @Sendable (A, B, C, D, E, F, G, H, I, J) -> Value
    ) {
        let (a, b, c, d, e) = (cell(a), cell(b), cell(c), cell(d), cell(e))
        let (f, g, h, i, j) = (cell(f), cell(g), cell(h), cell(i), cell(j))
        replace(by: [a, b, c, d, e, f, g, h, i, j], since: since, file: file, line: line) {
            $1.evaluate(for: $0) {
                transform(a.value, b.value, c.value, d.value, e.value, f.value, g.value, h.value, i.value, j.value)
            }
        }
    }
}
