/// Whether the properties of observable models have their names in traces: where the compiler optimizes, it may leave none of the
/// symbols by which they are known.
#if DEBUG
    let hasPropertyNames = true
#else
    let hasPropertyNames = false
#endif
