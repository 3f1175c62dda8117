/// The code that a batch runs.
enum Side: String, CaseIterable {
    case openCombine = "opencombine"
    case weirOff = "weir-off"
    case weirTraced = "weir-traced"
}
