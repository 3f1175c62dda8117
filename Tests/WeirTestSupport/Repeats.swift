import Foundation

/// How often tests repeat on random input.
///
/// `WEIR_SEEDS=10` in the environment repeats them ten times as often, as `.ci/thorough` does.
public enum Repeats {
    /// What `WEIR_SEEDS` says, or one.
    public static let factor = ProcessInfo.processInfo.environment["WEIR_SEEDS"].flatMap(UInt64.init) ?? 1

    /// `count` repetitions, or that many times the factor.
    public static func count(_ count: Int) -> Int { count * Int(factor) }

    /// The seeds from the first one on.
    public static func seeds(_ count: Int, from first: UInt64 = 0) -> Range<UInt64> {
        first..<first + UInt64(Repeats.count(count))
    }

    /// Everything where the tests repeat more often than usual, otherwise the chosen part.
    public static func part<Element>(of all: [Element], where isChosen: (Element) -> Bool) -> [Element] {
        factor > 1 ? all : all.filter(isChosen)
    }
}
