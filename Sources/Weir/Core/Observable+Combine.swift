// One overload for each number of inputs; see Combiner+Inputs.swift.

extension ReadOnlyObservable {
    /// An observable whose value is computed from another, at once and then according to `strategy`.
    ///
    /// The transform also runs right away, for the first value. Pass `initial` to run it on updates only. Keep the result, or
    /// subscribe to it: the inputs keep it only while it has subscribers. At most ten inputs; for more, combine some of them
    /// first.
    ///
    /// - Parameter privacy: nil: private once an input is. `.public` discloses the value: traces may hold it although an input is
    ///   private, as with ``Signal/disclosed(file:line:)``.
    @inlinable
    public static func combine<A>(
        _ a: ReadOnlyObservable<A>, strategy: CombineStrategy = .every, privacy: TracePrivacy? = nil,
        file: StaticString = #fileID, line: UInt = #line, transform: @escaping @Sendable (A) -> Value
    ) -> Combiner<Value> {
        let since = a.stamp
        let first = transform(a.stored)
        let combiner = Combiner(first, strategy: strategy, privacy: privacy.of(a), file: file, line: line)
        combiner.combine(a, since: since, file: file, line: line, transform: transform)
        return combiner
    }

    /// An observable that holds `initial` until updates of its input let the transform run.
    @inlinable
    public static func combine<A>(
        _ a: ReadOnlyObservable<A>, initial: Value, strategy: CombineStrategy = .every, privacy: TracePrivacy? = nil,
        file: StaticString = #fileID, line: UInt = #line, transform: @escaping @Sendable (A) -> Value
    ) -> Combiner<Value> {
        let combiner = Combiner(initial, strategy: strategy, privacy: privacy, file: file, line: line)
        combiner.combine(a, file: file, line: line, transform: transform)
        return combiner
    }

    /// An observable whose value is computed from two others, at once and then according to `strategy`.
    @inlinable
    public static func combine<A, B>(
        _ a: ReadOnlyObservable<A>, _ b: ReadOnlyObservable<B>, strategy: CombineStrategy = .every,
        privacy: TracePrivacy? = nil,
        file: StaticString = #fileID, line: UInt = #line, transform: @escaping @Sendable (A, B) -> Value
    ) -> Combiner<Value> {
        let since = a.stamp &+ b.stamp
        let first = transform(a.stored, b.stored)
        let combiner = Combiner(first, strategy: strategy, privacy: privacy.of(a).of(b), file: file, line: line)
        combiner.combine(a, b, since: since, file: file, line: line, transform: transform)
        return combiner
    }

    /// An observable that holds `initial` until updates of two others let the transform run.
    @inlinable
    public static func combine<A, B>(
        _ a: ReadOnlyObservable<A>, _ b: ReadOnlyObservable<B>, initial: Value, strategy: CombineStrategy = .every,
        privacy: TracePrivacy? = nil,
        file: StaticString = #fileID, line: UInt = #line, transform: @escaping @Sendable (A, B) -> Value
    ) -> Combiner<Value> {
        let combiner = Combiner(initial, strategy: strategy, privacy: privacy, file: file, line: line)
        combiner.combine(a, b, file: file, line: line, transform: transform)
        return combiner
    }

    /// An observable whose value is computed from three others, at once and then according to `strategy`.
    @inlinable
    public static func combine<A, B, C>(
        _ a: ReadOnlyObservable<A>, _ b: ReadOnlyObservable<B>, _ c: ReadOnlyObservable<C>,
        strategy: CombineStrategy = .every,
        privacy: TracePrivacy? = nil,
        file: StaticString = #fileID, line: UInt = #line, transform: @escaping @Sendable (A, B, C) -> Value
    ) -> Combiner<Value> {
        let since = a.stamp &+ b.stamp &+ c.stamp
        let first = transform(a.stored, b.stored, c.stored)
        let combiner = Combiner(first, strategy: strategy, privacy: privacy.of(a).of(b).of(c), file: file, line: line)
        combiner.combine(a, b, c, since: since, file: file, line: line, transform: transform)
        return combiner
    }

    /// An observable that holds `initial` until updates of three others let the transform run.
    @inlinable
    public static func combine<A, B, C>(
        _ a: ReadOnlyObservable<A>, _ b: ReadOnlyObservable<B>, _ c: ReadOnlyObservable<C>, initial: Value,
        strategy: CombineStrategy = .every, privacy: TracePrivacy? = nil,
        file: StaticString = #fileID, line: UInt = #line, transform: @escaping @Sendable (A, B, C) -> Value
    ) -> Combiner<Value> {
        let combiner = Combiner(initial, strategy: strategy, privacy: privacy, file: file, line: line)
        combiner.combine(a, b, c, file: file, line: line, transform: transform)
        return combiner
    }

    /// An observable whose value is computed from four others, at once and then according to `strategy`.
    @inlinable
    public static func combine<A, B, C, D>(
        _ a: ReadOnlyObservable<A>, _ b: ReadOnlyObservable<B>, _ c: ReadOnlyObservable<C>, _ d: ReadOnlyObservable<D>,
        strategy: CombineStrategy = .every, privacy: TracePrivacy? = nil,
        file: StaticString = #fileID, line: UInt = #line, transform: @escaping @Sendable (A, B, C, D) -> Value
    ) -> Combiner<Value> {
        let since = a.stamp &+ b.stamp &+ c.stamp &+ d.stamp
        let first = transform(a.stored, b.stored, c.stored, d.stored)
        let combiner = Combiner(
            first, strategy: strategy, privacy: privacy.of(a).of(b).of(c).of(d), file: file, line: line)
        combiner.combine(a, b, c, d, since: since, file: file, line: line, transform: transform)
        return combiner
    }

    /// An observable that holds `initial` until updates of four others let the transform run.
    @inlinable
    public static func combine<A, B, C, D>(
        _ a: ReadOnlyObservable<A>, _ b: ReadOnlyObservable<B>, _ c: ReadOnlyObservable<C>, _ d: ReadOnlyObservable<D>,
        initial: Value,
        strategy: CombineStrategy = .every, privacy: TracePrivacy? = nil,
        file: StaticString = #fileID, line: UInt = #line, transform: @escaping @Sendable (A, B, C, D) -> Value
    ) -> Combiner<Value> {
        let combiner = Combiner(initial, strategy: strategy, privacy: privacy, file: file, line: line)
        combiner.combine(a, b, c, d, file: file, line: line, transform: transform)
        return combiner
    }

    /// An observable whose value is computed from five others, at once and then according to `strategy`.
    @inlinable
    public static func combine<A, B, C, D, E>(
        _ a: ReadOnlyObservable<A>, _ b: ReadOnlyObservable<B>, _ c: ReadOnlyObservable<C>, _ d: ReadOnlyObservable<D>,
        _ e: ReadOnlyObservable<E>,
        strategy: CombineStrategy = .every, privacy: TracePrivacy? = nil,
        file: StaticString = #fileID, line: UInt = #line, transform: @escaping @Sendable (A, B, C, D, E) -> Value
    ) -> Combiner<Value> {
        let since = a.stamp &+ b.stamp &+ c.stamp &+ d.stamp &+ e.stamp
        let first = transform(a.stored, b.stored, c.stored, d.stored, e.stored)
        let combiner = Combiner(
            first, strategy: strategy, privacy: privacy.of(a).of(b).of(c).of(d).of(e), file: file, line: line)
        combiner.combine(a, b, c, d, e, since: since, file: file, line: line, transform: transform)
        return combiner
    }

    /// An observable that holds `initial` until updates of five others let the transform run.
    @inlinable
    public static func combine<A, B, C, D, E>(
        _ a: ReadOnlyObservable<A>, _ b: ReadOnlyObservable<B>, _ c: ReadOnlyObservable<C>, _ d: ReadOnlyObservable<D>,
        _ e: ReadOnlyObservable<E>,
        initial: Value, strategy: CombineStrategy = .every, privacy: TracePrivacy? = nil,
        file: StaticString = #fileID, line: UInt = #line, transform: @escaping @Sendable (A, B, C, D, E) -> Value
    ) -> Combiner<Value> {
        let combiner = Combiner(initial, strategy: strategy, privacy: privacy, file: file, line: line)
        combiner.combine(a, b, c, d, e, file: file, line: line, transform: transform)
        return combiner
    }

    /// An observable whose value is computed from six others, at once and then according to `strategy`.
    @inlinable
    public static func combine<A, B, C, D, E, F>(
        _ a: ReadOnlyObservable<A>, _ b: ReadOnlyObservable<B>, _ c: ReadOnlyObservable<C>, _ d: ReadOnlyObservable<D>,
        _ e: ReadOnlyObservable<E>,
        _ f: ReadOnlyObservable<F>, strategy: CombineStrategy = .every, privacy: TracePrivacy? = nil,
        file: StaticString = #fileID, line: UInt = #line, transform: @escaping @Sendable (A, B, C, D, E, F) -> Value
    ) -> Combiner<Value> {
        let since = a.stamp &+ b.stamp &+ c.stamp &+ d.stamp &+ e.stamp &+ f.stamp
        let first = transform(a.stored, b.stored, c.stored, d.stored, e.stored, f.stored)
        let combiner = Combiner(
            first, strategy: strategy, privacy: privacy.of(a).of(b).of(c).of(d).of(e).of(f), file: file, line: line)
        combiner.combine(a, b, c, d, e, f, since: since, file: file, line: line, transform: transform)
        return combiner
    }

    /// An observable that holds `initial` until updates of six others let the transform run.
    @inlinable
    public static func combine<A, B, C, D, E, F>(
        _ a: ReadOnlyObservable<A>, _ b: ReadOnlyObservable<B>, _ c: ReadOnlyObservable<C>, _ d: ReadOnlyObservable<D>,
        _ e: ReadOnlyObservable<E>,
        _ f: ReadOnlyObservable<F>, initial: Value, strategy: CombineStrategy = .every, privacy: TracePrivacy? = nil,
        file: StaticString = #fileID, line: UInt = #line, transform: @escaping @Sendable (A, B, C, D, E, F) -> Value
    ) -> Combiner<Value> {
        let combiner = Combiner(initial, strategy: strategy, privacy: privacy, file: file, line: line)
        combiner.combine(a, b, c, d, e, f, file: file, line: line, transform: transform)
        return combiner
    }

    /// An observable whose value is computed from seven others, at once and then according to `strategy`.
    @inlinable
    public static func combine<A, B, C, D, E, F, G>(
        _ a: ReadOnlyObservable<A>, _ b: ReadOnlyObservable<B>, _ c: ReadOnlyObservable<C>, _ d: ReadOnlyObservable<D>,
        _ e: ReadOnlyObservable<E>,
        _ f: ReadOnlyObservable<F>, _ g: ReadOnlyObservable<G>, strategy: CombineStrategy = .every,
        privacy: TracePrivacy? = nil,
        file: StaticString = #fileID, line: UInt = #line, transform: @escaping @Sendable (A, B, C, D, E, F, G) -> Value
    ) -> Combiner<Value> {
        let since = a.stamp &+ b.stamp &+ c.stamp &+ d.stamp &+ e.stamp &+ f.stamp &+ g.stamp
        let first = transform(a.stored, b.stored, c.stored, d.stored, e.stored, f.stored, g.stored)
        let combiner = Combiner(
            first, strategy: strategy, privacy: privacy.of(a).of(b).of(c).of(d).of(e).of(f).of(g), file: file,
            line: line)
        combiner.combine(a, b, c, d, e, f, g, since: since, file: file, line: line, transform: transform)
        return combiner
    }

    /// An observable that holds `initial` until updates of seven others let the transform run.
    @inlinable
    public static func combine<A, B, C, D, E, F, G>(
        _ a: ReadOnlyObservable<A>, _ b: ReadOnlyObservable<B>, _ c: ReadOnlyObservable<C>, _ d: ReadOnlyObservable<D>,
        _ e: ReadOnlyObservable<E>,
        _ f: ReadOnlyObservable<F>, _ g: ReadOnlyObservable<G>, initial: Value, strategy: CombineStrategy = .every,
        privacy: TracePrivacy? = nil,
        file: StaticString = #fileID, line: UInt = #line, transform: @escaping @Sendable (A, B, C, D, E, F, G) -> Value
    ) -> Combiner<Value> {
        let combiner = Combiner(initial, strategy: strategy, privacy: privacy, file: file, line: line)
        combiner.combine(a, b, c, d, e, f, g, file: file, line: line, transform: transform)
        return combiner
    }

    /// An observable whose value is computed from eight others, at once and then according to `strategy`.
    @inlinable
    public static func combine<A, B, C, D, E, F, G, H>(
        _ a: ReadOnlyObservable<A>, _ b: ReadOnlyObservable<B>, _ c: ReadOnlyObservable<C>, _ d: ReadOnlyObservable<D>,
        _ e: ReadOnlyObservable<E>,
        _ f: ReadOnlyObservable<F>, _ g: ReadOnlyObservable<G>, _ h: ReadOnlyObservable<H>,
        strategy: CombineStrategy = .every,
        privacy: TracePrivacy? = nil,
        file: StaticString = #fileID, line: UInt = #line,
        transform: @escaping @Sendable (A, B, C, D, E, F, G, H) -> Value
    ) -> Combiner<Value> {
        let since = a.stamp &+ b.stamp &+ c.stamp &+ d.stamp &+ e.stamp &+ f.stamp &+ g.stamp &+ h.stamp
        let first = transform(a.stored, b.stored, c.stored, d.stored, e.stored, f.stored, g.stored, h.stored)
        let combiner = Combiner(
            first, strategy: strategy, privacy: privacy.of(a).of(b).of(c).of(d).of(e).of(f).of(g).of(h), file: file,
            line: line)
        combiner.combine(a, b, c, d, e, f, g, h, since: since, file: file, line: line, transform: transform)
        return combiner
    }

    /// An observable that holds `initial` until updates of eight others let the transform run.
    @inlinable
    public static func combine<A, B, C, D, E, F, G, H>(
        _ a: ReadOnlyObservable<A>, _ b: ReadOnlyObservable<B>, _ c: ReadOnlyObservable<C>, _ d: ReadOnlyObservable<D>,
        _ e: ReadOnlyObservable<E>,
        _ f: ReadOnlyObservable<F>, _ g: ReadOnlyObservable<G>, _ h: ReadOnlyObservable<H>, initial: Value,
        strategy: CombineStrategy = .every, privacy: TracePrivacy? = nil,
        file: StaticString = #fileID, line: UInt = #line,
        transform: @escaping @Sendable (A, B, C, D, E, F, G, H) -> Value
    ) -> Combiner<Value> {
        let combiner = Combiner(initial, strategy: strategy, privacy: privacy, file: file, line: line)
        combiner.combine(a, b, c, d, e, f, g, h, file: file, line: line, transform: transform)
        return combiner
    }

    /// An observable whose value is computed from nine others, at once and then according to `strategy`.
    @inlinable
    public static func combine<A, B, C, D, E, F, G, H, I>(
        _ a: ReadOnlyObservable<A>, _ b: ReadOnlyObservable<B>, _ c: ReadOnlyObservable<C>, _ d: ReadOnlyObservable<D>,
        _ e: ReadOnlyObservable<E>,
        _ f: ReadOnlyObservable<F>, _ g: ReadOnlyObservable<G>, _ h: ReadOnlyObservable<H>, _ i: ReadOnlyObservable<I>,
        strategy: CombineStrategy = .every, privacy: TracePrivacy? = nil,
        file: StaticString = #fileID, line: UInt = #line,
        transform: @escaping @Sendable (A, B, C, D, E, F, G, H, I) -> Value
    ) -> Combiner<Value> {
        let since =
            a.stamp &+ b.stamp &+ c.stamp &+ d.stamp &+ e.stamp &+ f.stamp &+ g.stamp &+ h.stamp
            &+ i.stamp
        let first = transform(a.stored, b.stored, c.stored, d.stored, e.stored, f.stored, g.stored, h.stored, i.stored)
        let combiner = Combiner(
            first, strategy: strategy, privacy: privacy.of(a).of(b).of(c).of(d).of(e).of(f).of(g).of(h).of(i),
            file: file, line: line)
        combiner.combine(a, b, c, d, e, f, g, h, i, since: since, file: file, line: line, transform: transform)
        return combiner
    }

    /// An observable that holds `initial` until updates of nine others let the transform run.
    @inlinable
    public static func combine<A, B, C, D, E, F, G, H, I>(
        _ a: ReadOnlyObservable<A>, _ b: ReadOnlyObservable<B>, _ c: ReadOnlyObservable<C>, _ d: ReadOnlyObservable<D>,
        _ e: ReadOnlyObservable<E>,
        _ f: ReadOnlyObservable<F>, _ g: ReadOnlyObservable<G>, _ h: ReadOnlyObservable<H>, _ i: ReadOnlyObservable<I>,
        initial: Value,
        strategy: CombineStrategy = .every, privacy: TracePrivacy? = nil,
        file: StaticString = #fileID, line: UInt = #line,
        transform: @escaping @Sendable (A, B, C, D, E, F, G, H, I) -> Value
    ) -> Combiner<Value> {
        let combiner = Combiner(initial, strategy: strategy, privacy: privacy, file: file, line: line)
        combiner.combine(a, b, c, d, e, f, g, h, i, file: file, line: line, transform: transform)
        return combiner
    }

    /// An observable whose value is computed from ten others, at once and then according to `strategy`.
    @inlinable
    public static func combine<A, B, C, D, E, F, G, H, I, J>(
        _ a: ReadOnlyObservable<A>, _ b: ReadOnlyObservable<B>, _ c: ReadOnlyObservable<C>, _ d: ReadOnlyObservable<D>,
        _ e: ReadOnlyObservable<E>,
        _ f: ReadOnlyObservable<F>, _ g: ReadOnlyObservable<G>, _ h: ReadOnlyObservable<H>, _ i: ReadOnlyObservable<I>,
        _ j: ReadOnlyObservable<J>,
        strategy: CombineStrategy = .every, privacy: TracePrivacy? = nil,
        file: StaticString = #fileID, line: UInt = #line,
        transform: @escaping @Sendable (A, B, C, D, E, F, G, H, I, J) -> Value
    ) -> Combiner<Value> {
        let since =
            a.stamp &+ b.stamp &+ c.stamp &+ d.stamp &+ e.stamp &+ f.stamp &+ g.stamp &+ h.stamp
            &+ i.stamp &+ j.stamp
        let first = transform(
            a.stored, b.stored, c.stored, d.stored, e.stored, f.stored, g.stored, h.stored, i.stored, j.stored)
        let combiner = Combiner(
            first, strategy: strategy, privacy: privacy.of(a).of(b).of(c).of(d).of(e).of(f).of(g).of(h).of(i).of(j),
            file: file, line: line)
        combiner.combine(a, b, c, d, e, f, g, h, i, j, since: since, file: file, line: line, transform: transform)
        return combiner
    }

    /// An observable that holds `initial` until updates of ten others let the transform run.
    @inlinable
    public static func combine<A, B, C, D, E, F, G, H, I, J>(
        _ a: ReadOnlyObservable<A>, _ b: ReadOnlyObservable<B>, _ c: ReadOnlyObservable<C>, _ d: ReadOnlyObservable<D>,
        _ e: ReadOnlyObservable<E>,
        _ f: ReadOnlyObservable<F>, _ g: ReadOnlyObservable<G>, _ h: ReadOnlyObservable<H>, _ i: ReadOnlyObservable<I>,
        _ j: ReadOnlyObservable<J>,
        initial: Value, strategy: CombineStrategy = .every, privacy: TracePrivacy? = nil,
        file: StaticString = #fileID, line: UInt = #line,
        transform: @escaping @Sendable (A, B, C, D, E, F, G, H, I, J) -> Value
    ) -> Combiner<Value> {
        let combiner = Combiner(initial, strategy: strategy, privacy: privacy, file: file, line: line)
        combiner.combine(a, b, c, d, e, f, g, h, i, j, file: file, line: line, transform: transform)
        return combiner
    }
}
