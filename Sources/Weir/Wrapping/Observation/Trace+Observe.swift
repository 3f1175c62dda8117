import CWeir
import Observation
import WeirTrace

extension Trace {
    /// Traces the writes of these properties, wherever the program makes them.
    ///
    /// ```swift
    /// Trace.observe(model, \.name, \.isValid, private: \.password)
    /// model.name = "Maruko"
    /// ```
    /// The model announces a write before the value is stored; a trace holds it as an emission, with its value and with what
    /// was being delivered when it was made as its cause, as soon as it is over: at the next write of that property, at the end of the
    /// `Trace.stimulus` that it was made in, at `Trace.stop`, before a `Trace.render` that reads it runs again, or in a turn of
    /// `scheduler`. So what runs inside of such a write is not caused by it in a trace; through `Trace.wrap` it is. A property that is
    /// computed from others becomes a node that they feed; it is computed once in each such turn, and told as changed or equal.
    ///
    /// Observed twice is observed once. The model is not held, and what this makes goes with it. Cost: a tracking of the Observation
    /// module for each property, set up anew with each of its writes, recorded or not: some microseconds.
    ///
    /// - Parameters:
    ///   - hidden: properties that are observed too, and whose values never reach a trace, whichever way they are written.
    ///   - scheduler: where the model may be read, mostly `.main`. One that would run work inside of the write is not waited for.
    @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
    public static func observe<Model: AnyObject & Observation.Observable, each Value, each Hidden>(
        _ model: Model, _ properties: repeat KeyPath<Model, each Value>,
        private hidden: repeat KeyPath<Model, each Hidden>, on scheduler: any Scheduler = .main,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        let record = ModelRecords.shared.record(of: model)
        repeat _ = record.property(each hidden, privacy: .private, file: file, line: line)
        repeat record.property(each properties, file: file, line: line).track(on: scheduler)
        repeat record.property(each hidden, file: file, line: line).track(on: scheduler)
    }
}
