/// Makes the fingerprints of findings: a hash of the rule and the signature without its lines.
///
/// Findings that differ only in lines are numbered in the order of their signatures.
struct LeakFingerprints {
    /// In the order of the examples.
    private(set) var texts: [String]

    init(_ examples: [LeakInstance]) {
        let hashes = examples.map { $0.signature.hash(rule: $0.rule) }
        texts = hashes.map { StableHash.digits($0.value) }
        let places = examples.indices.sorted { examples[$0].signature < examples[$1].signature }
        var ordinals: [StableHash: Int] = [:]
        for place in places {
            let ordinal = ordinals[hashes[place], default: 0]
            ordinals[hashes[place]] = ordinal + 1
            guard ordinal > 0 else { continue }
            var hash = hashes[place]
            hash.add(String(ordinal))
            texts[place] = StableHash.digits(hash.value)
        }
    }
}
