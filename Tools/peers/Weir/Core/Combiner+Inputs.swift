// One overload for each number of inputs. A parameter pack would say it once, but code over packs is not specialised
// (Swift 6.3): reading two inputs took twenty times as long.

extension Combiner {
    /// Depends on one observable from now on, and on nothing else; evaluates at their next updates, not now.
    @inlinable
    public func combine<A>(
        _ a: Observable<A>,
        file: StaticString = #fileID, line: UInt = #line, transform: @escaping (A) -> Value
    ) {
        let a = cell(a)
        replace(by: [a], file: file, line: line) {
            unsafeDowncast($0, to: Combiner<Value>.self).write(transform(a.value))
        }
    }

    /// Depends on two observables from now on, and on nothing else; evaluates at their next updates, not now.
    @inlinable
    public func combine<A, B>(
        _ a: Observable<A>, _ b: Observable<B>,
        file: StaticString = #fileID, line: UInt = #line, transform: @escaping (A, B) -> Value
    ) {
        let (a, b) = (cell(a), cell(b))
        replace(by: [a, b], file: file, line: line) {
            unsafeDowncast($0, to: Combiner<Value>.self).write(transform(a.value, b.value))
        }
    }

    /// Depends on three observables from now on, and on nothing else; evaluates at their next updates, not now.
    @inlinable
    public func combine<A, B, C>(
        _ a: Observable<A>, _ b: Observable<B>, _ c: Observable<C>,
        file: StaticString = #fileID, line: UInt = #line, transform: @escaping (A, B, C) -> Value
    ) {
        let (a, b, c) = (cell(a), cell(b), cell(c))
        replace(by: [a, b, c], file: file, line: line) {
            unsafeDowncast($0, to: Combiner<Value>.self).write(transform(a.value, b.value, c.value))
        }
    }

    /// Depends on four observables from now on, and on nothing else; evaluates at their next updates, not now.
    @inlinable
    public func combine<A, B, C, D>(
        _ a: Observable<A>, _ b: Observable<B>, _ c: Observable<C>, _ d: Observable<D>,
        file: StaticString = #fileID, line: UInt = #line, transform: @escaping (A, B, C, D) -> Value
    ) {
        let (a, b, c, d) = (cell(a), cell(b), cell(c), cell(d))
        replace(by: [a, b, c, d], file: file, line: line) {
            unsafeDowncast($0, to: Combiner<Value>.self).write(transform(a.value, b.value, c.value, d.value))
        }
    }

    /// Depends on five observables from now on, and on nothing else; evaluates at their next updates, not now.
    @inlinable
    public func combine<A, B, C, D, E>(
        _ a: Observable<A>, _ b: Observable<B>, _ c: Observable<C>, _ d: Observable<D>, _ e: Observable<E>,
        file: StaticString = #fileID, line: UInt = #line, transform: @escaping (A, B, C, D, E) -> Value
    ) {
        let (a, b, c, d, e) = (cell(a), cell(b), cell(c), cell(d), cell(e))
        replace(by: [a, b, c, d, e], file: file, line: line) {
            unsafeDowncast($0, to: Combiner<Value>.self).write(transform(a.value, b.value, c.value, d.value, e.value))
        }
    }

    /// Depends on six observables from now on, and on nothing else; evaluates at their next updates, not now.
    @inlinable
    public func combine<A, B, C, D, E, F>(
        _ a: Observable<A>, _ b: Observable<B>, _ c: Observable<C>, _ d: Observable<D>, _ e: Observable<E>,
        _ f: Observable<F>,
        file: StaticString = #fileID, line: UInt = #line, transform: @escaping (A, B, C, D, E, F) -> Value
    ) {
        let (a, b, c, d, e) = (cell(a), cell(b), cell(c), cell(d), cell(e))
        let f = cell(f)
        replace(by: [a, b, c, d, e, f], file: file, line: line) {
            let value = transform(a.value, b.value, c.value, d.value, e.value, f.value)
            unsafeDowncast($0, to: Combiner<Value>.self).write(value)
        }
    }

    /// Depends on seven observables from now on, and on nothing else; evaluates at their next updates, not now.
    @inlinable
    public func combine<A, B, C, D, E, F, G>(
        _ a: Observable<A>, _ b: Observable<B>, _ c: Observable<C>, _ d: Observable<D>, _ e: Observable<E>,
        _ f: Observable<F>, _ g: Observable<G>,
        file: StaticString = #fileID, line: UInt = #line, transform: @escaping (A, B, C, D, E, F, G) -> Value
    ) {
        let (a, b, c, d, e) = (cell(a), cell(b), cell(c), cell(d), cell(e))
        let (f, g) = (cell(f), cell(g))
        replace(by: [a, b, c, d, e, f, g], file: file, line: line) {
            let value = transform(a.value, b.value, c.value, d.value, e.value, f.value, g.value)
            unsafeDowncast($0, to: Combiner<Value>.self).write(value)
        }
    }

    /// Depends on eight observables from now on, and on nothing else; evaluates at their next updates, not now.
    @inlinable
    public func combine<A, B, C, D, E, F, G, H>(
        _ a: Observable<A>, _ b: Observable<B>, _ c: Observable<C>, _ d: Observable<D>, _ e: Observable<E>,
        _ f: Observable<F>, _ g: Observable<G>, _ h: Observable<H>,
        file: StaticString = #fileID, line: UInt = #line, transform: @escaping (A, B, C, D, E, F, G, H) -> Value
    ) {
        let (a, b, c, d, e) = (cell(a), cell(b), cell(c), cell(d), cell(e))
        let (f, g, h) = (cell(f), cell(g), cell(h))
        replace(by: [a, b, c, d, e, f, g, h], file: file, line: line) {
            let value = transform(a.value, b.value, c.value, d.value, e.value, f.value, g.value, h.value)
            unsafeDowncast($0, to: Combiner<Value>.self).write(value)
        }
    }

    /// Depends on nine observables from now on, and on nothing else; evaluates at their next updates, not now.
    @inlinable
    public func combine<A, B, C, D, E, F, G, H, I>(
        _ a: Observable<A>, _ b: Observable<B>, _ c: Observable<C>, _ d: Observable<D>, _ e: Observable<E>,
        _ f: Observable<F>, _ g: Observable<G>, _ h: Observable<H>, _ i: Observable<I>,
        file: StaticString = #fileID, line: UInt = #line, transform: @escaping (A, B, C, D, E, F, G, H, I) -> Value
    ) {
        let (a, b, c, d, e) = (cell(a), cell(b), cell(c), cell(d), cell(e))
        let (f, g, h, i) = (cell(f), cell(g), cell(h), cell(i))
        replace(by: [a, b, c, d, e, f, g, h, i], file: file, line: line) {
            let value = transform(a.value, b.value, c.value, d.value, e.value, f.value, g.value, h.value, i.value)
            unsafeDowncast($0, to: Combiner<Value>.self).write(value)
        }
    }

    /// Depends on ten observables from now on, and on nothing else; evaluates at their next updates, not now.
    @inlinable
    public func combine<A, B, C, D, E, F, G, H, I, J>(
        _ a: Observable<A>, _ b: Observable<B>, _ c: Observable<C>, _ d: Observable<D>, _ e: Observable<E>,
        _ f: Observable<F>, _ g: Observable<G>, _ h: Observable<H>, _ i: Observable<I>, _ j: Observable<J>,
        file: StaticString = #fileID, line: UInt = #line, transform: @escaping (A, B, C, D, E, F, G, H, I, J) -> Value
    ) {
        let (a, b, c, d, e) = (cell(a), cell(b), cell(c), cell(d), cell(e))
        let (f, g, h, i, j) = (cell(f), cell(g), cell(h), cell(i), cell(j))
        replace(by: [a, b, c, d, e, f, g, h, i, j], file: file, line: line) {
            let value = transform(
                a.value, b.value, c.value, d.value, e.value, f.value, g.value, h.value, i.value, j.value)
            unsafeDowncast($0, to: Combiner<Value>.self).write(value)
        }
    }
}
