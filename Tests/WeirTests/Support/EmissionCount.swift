import WeirTrace

extension TraceReader {
    /// The number of emissions. Reads every record, but decodes no value: several times as fast as `forEachEvent`.
    var emissionCount: Int {
        var count = 0
        forEachRecordRun { run in
            var cursor = run.cursor
            repeat { count += cursor.kind == .emitted ? 1 : 0 } while run.advance(&cursor)
            return true
        }
        return count
    }
}
