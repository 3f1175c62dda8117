import WeirTrace

/// `growth`: lines of the program of which each checkpoint of one name finds more alive.
enum GrowthRule {
    static func instances(_ pass: LeakPass) -> [LeakInstance] {
        pass.lives.lines.growths.map { growth in
            var words = [LeakSignature.Word(text: growth.checkpoint)]
            switch growth.line {
            case .nodes(let rawKind, let site): words.append(.init(text: "nodes \(rawKind)", site: site))
            case .subscriptions(let site): words.append(.init(text: "subscriptions", site: site))
            case .objects(let type, let label): words.append(.init(text: "objects \(type ?? "") \(label ?? "")"))
            }
            var found = LeakInstance(rule: .growth, signature: LeakSignature(words), example: .growth(growth))
            found.weight = UInt64(max(0, growth.last - growth.first))
            return found
        }
    }
}
