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
    /// Models that these properties hold, alone or in arrays, sets and dictionaries, also those that come later, are known by
    /// their place ('Cart.items[2].quantity'): of those, what a render or an observed computed property reads is observed, and
    /// what is said of their class (see the other `observe`).
    ///
    /// What is private here is private in all models of the class, from now on, whichever way they are written.
    ///
    /// Observed twice is observed once. The model is not held, and what this makes goes with it. A path through an index or an
    /// unwrapped optional is read here, so it must lead somewhere now; later, it is followed whenever it does; where it goes on
    /// in a structure or ends with what is computed, whenever the collection holds no less than now. Where that cannot be told (a
    /// list inside of a structure, a subscript of your own, a stripped program, Apple platforms), it is not observed, and a line
    /// on the standard error says so.
    ///
    /// Cost: a tracking of the Observation module for each property; while recording it is set up anew with each of its writes,
    /// which takes some microseconds. While nothing is recorded, only the first write of a property costs anything, and each one
    /// of what a computed property reads.
    ///
    /// - Parameters:
    ///   - hidden: properties that are observed too, and whose values never reach a trace; of a path, its last part, and what is stored
    ///     in a structure hides that.
    ///   - scheduler: where the model may be read, mostly `.main`. One that would run work inside of the write is not waited for.
    @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
    public static func observe<Model: AnyObject & Observation.Observable, each Value, each Hidden>(
        _ model: Model, _ properties: repeat KeyPath<Model, each Value>,
        private hidden: repeat KeyPath<Model, each Hidden>, on scheduler: any Scheduler = .main,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        Bootstrap.run()
        let record = hiding(repeat each hidden, of: model, file: file, line: line)
        repeat record.property(each properties, file: file, line: line).track(on: scheduler)
        repeat record.property(each hidden, file: file, line: line).track(on: scheduler)
    }

    /// Traces the writes of these properties in all models of a class, wherever Weir comes to know one.
    ///
    /// ```swift
    /// Trace.observe(CartItem.self, \.quantity, \.lineTotal, private: \.giftMessage)
    /// Trace.observe(Account.self, \.name, others: .private)
    /// Trace.adopt(cart)
    /// ```
    /// Once, when the program starts: then it holds for every model of the class, and of its subclasses, before the first value is
    /// recorded. Known are models that are adopted, observed or wrapped, what hangs on those, also what comes later, and what a render reads.
    /// Said later, it holds from then on, for known models too. What is said twice, or of a superclass too, adds up; what is private once
    /// stays so. See `observe` of one model for how writes are recorded.
    ///
    /// A path through an index or an unwrapped optional, which need not be there in every model, is not followed here.
    ///
    /// - Parameters:
    ///   - hidden: properties that are observed too, and whose values never reach a trace.
    ///   - others: whether the values of properties that are not named here may be recorded.
    ///   - scheduler: where the models may be read, mostly `.main`.
    @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
    public static func observe<Model: AnyObject & Observation.Observable, each Value, each Hidden>(
        _ type: Model.Type, _ properties: repeat KeyPath<Model, each Value>,
        private hidden: repeat KeyPath<Model, each Hidden>, others: TracePrivacy = .public,
        on scheduler: any Scheduler = .main, file: StaticString = #fileID, line: UInt = #line
    ) {
        Bootstrap.run()
        var (shown, secret): ([ObservedClasses.Declaration], [ObservedClasses.Declaration]) = ([], [])
        repeat shown.append(ObservedClasses.Declaration(each properties, on: scheduler, file: file, line: line))
        repeat secret.append(ObservedClasses.Declaration(each hidden, on: scheduler, file: file, line: line))
        ObservedClasses.shared.declare(of: type, followed: shown, hidden: secret, hidesOthers: others == .private)
    }

    /// The record of a model, in whose class these are private from now on.
    @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
    static func hiding<Model: AnyObject & Observation.Observable, each Hidden>(
        _ hidden: repeat KeyPath<Model, each Hidden>, of model: Model, file: StaticString, line: UInt
    ) -> ModelRecord {
        var secret: [ObservedClasses.Declaration] = []
        repeat secret.append(ObservedClasses.Declaration(each hidden, on: .main, file: file, line: line))
        ObservedClasses.shared.hide(secret, of: Model.self, model: model)
        let record = ModelRecords.shared.record(of: model)
        repeat _ = record.property(each hidden, privacy: .private, file: file, line: line)
        return record
    }
}
