extension RemedyWords {
    /// Remedies for properties marked `@Traced`: the writer can compare values, and `$name` has Weir's operators.
    var ofTracedProperty: String? {
        switch kind {
        case .removeDuplicates:
            "write \(node) only when it is different, or .removeDuplicates() before the subscription\(at)\(caution)"
        case .settled, .computeOnce:
            "write \(node)\(made) once, when all that it is made of is known, and not from several handlers"
        case .deliver: "write \(node) on one actor, such as the main actor\(made)"
        default: nil
        }
    }
}
