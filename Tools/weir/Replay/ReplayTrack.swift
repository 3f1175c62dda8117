import WeirReport
import WeirTrace

/// The whole trace as a bar in the terminal: the stimuli, and the moment of the replay.
struct ReplayTrack {
    /// The number of all events.
    let events: UInt64
    /// Positions of stimuli, in order; of many that no bar can show apart, one.
    let stimuli: [UInt64]

    /// Reads the whole trace once; a record costs some nanoseconds, and a bar no more than `ThinnedPositions.most` steps.
    init(_ reader: TraceReader) {
        var events: UInt64 = 0
        var stimuli = ThinnedPositions()
        reader.forEachRecordRun { run in
            var cursor = run.cursor
            repeat {
                guard Self.isSound(cursor) else {
                    run.stop(at: cursor)
                    return true
                }
                events += 1
                if cursor.rawKind == EventKind.stimulusBegan.rawValue { stimuli.append(events) }
            } while run.advance(&cursor)
            return true
        }
        (self.events, self.stimuli) = (events, stimuli.positions)
    }

    /// Whether the body of a record is complete.
    private static func isSound(_ cursor: RecordCursor) -> Bool {
        switch cursor.kind {
        case .stimulusBegan, .checkpoint, .hopBegan, .hopScheduled, .snapshotTaken: cursor.isSoundRare
        case .context: cursor.openFrames != nil
        default: true
        }
    }

    init(events: UInt64, stimuli: [UInt64]) { (self.events, self.stimuli) = (events, stimuli) }

    /// "━╋━━━━●───┼─────  40 %": what has happened is heavy, crosses are stimuli, the dot is the moment.
    func bar(_ position: UInt64, columns: Int, style: Style) -> String {
        guard events > 0, columns >= 12 else { return "" }
        let percent = UInt64((Double(min(position, events)) / Double(events) * 100).rounded(.down))
        let label = "\(percent) %"
        let width = columns - 6
        func column(_ position: UInt64) -> Int {
            min(width - 1, Int(Double(min(position, events)) / Double(events) * Double(width - 1)))
        }
        let now = column(position)
        var crossed = [Bool](repeating: false, count: width)
        for stimulus in stimuli { crossed[column(stimulus)] = true }
        let past = crossed[..<now].map { $0 ? "╋" : "━" }.joined()
        let future = crossed[(now + 1)...].map { $0 ? "┼" : "─" }.joined()
        let indent = String(repeating: " ", count: 6 - label.count)
        return past + style(.strong, "●") + style(.faint, future + indent + label)
    }
}

/// Ascending positions, at most `most` of them, evenly thinned: of those that are too near each other, the first one is kept.
struct ThinnedPositions {
    /// More than a bar has columns.
    static let most = 8192

    private(set) var positions: [UInt64] = []
    private var step: UInt64 = 1

    mutating func append(_ position: UInt64) {
        if let last = positions.last, last / step == position / step { return }
        positions.append(position)
        while positions.count > Self.most {
            step *= 2
            var kept: [UInt64] = []
            for position in positions where kept.last.map({ $0 / step != position / step }) ?? true {
                kept.append(position)
            }
            positions = kept
        }
    }
}
