/// The small signs in front of figures and names.
enum SVGSign {
    /// New values emitted, values shown by a handler, suppressed values, withheld values.
    case emission, refresh, suppression, lock

    /// The sign in a square of eight, centred on the point.
    func drawn(x: Double, y: Double) -> String {
        let place = "transform=\"translate(\(SVGText.number(x)) \(SVGText.number(y)))\""
        return switch self {
        case .emission: "<path class=\"dot\" \(place) d=\"M-3-3.6L4 0L-3 3.6z\"/>"
        case .refresh:
            "<path class=\"sign\" \(place) d=\"M3.1-1.6A3.5 3.5 0 1 0 3.4 1\"/>"
                + "<path class=\"dot\" \(place) d=\"M4.6-4.2v4h-4z\"/>"
        case .suppression:
            "<path class=\"sign\" \(place) d=\"M-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0M-2.4 2.4L2.4-2.4\"/>"
        case .lock:
            "<path class=\"sign\" \(place) d=\"M-2-.5v-1.6a2 2 0 0 1 4 0v1.6\"/>"
                + "<path class=\"dot\" \(place) d=\"M-3.4-.8h6.8v4.8h-6.8z\"/>"
        }
    }
}
