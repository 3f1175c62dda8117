import CWeirCore
import Observation
import WeirRecording

extension Trace {
    /// Traces the writes of these properties, or of all if none is named, wherever the program makes them.
    ///
    /// ```swift
    /// Trace.observe(model, private: \.password)
    /// Trace.observe(form, \.name, \.isValid)
    /// model.name = "Maruko"
    /// ```
    /// All: every stored property that the macro tracks, private ones and those of superclasses too, and all properties of the
    /// observable models that these hold, now or later. A computed property becomes a node if a render, a body or a listed
    /// property reads it. Weir finds them in the program's symbols, which exist unless the program is stripped: in its ELF file, or
    /// on Apple platforms in its Mach-O image, which no Mac has tested. A class that is generic or has no symbols is named once on
    /// the standard error: list its properties.
    ///
    /// The model announces a write before the value is stored. A trace holds it as an emission with its value; its cause is the
    /// delivery that was open at the write. It is recorded when the write is over: at the next write of that property, at the end
    /// of the `Trace.stimulus` that contains it, at `Trace.stop`, before a `Trace.render` that reads it runs again, or in a turn
    /// of `scheduler`. So, in a trace, such a write does not cause the effects inside it; a write through `Trace.wrap` does. A
    /// property that is computed from others becomes a node that they feed; it is computed once in each such turn, and recorded
    /// as changed or equal.
    ///
    /// Weir also knows the models that these properties hold, alone or in arrays, sets and dictionaries, now or later; they are
    /// named by their path ('Cart.items[2].quantity'). In these models Weir observes the properties that a render or an observed
    /// computed property reads, and those declared for their class (see the other `observe`).
    ///
    /// A property that is private here is private in all models of the class, from now on, however it is written.
    ///
    /// Observing a property twice has no further effect. The model is not held, and the observation ends with it. A path through
    /// an index or an unwrapped optional is read here, so its value must exist now. Later, the path is followed whenever its
    /// value exists; if it continues in a structure or ends with a computed property, whenever the collection holds no less than
    /// now. If that is unknown (a list inside a structure, a subscript of your own, a stripped program), the path is not observed,
    /// and a line on the standard error reports it.
    ///
    /// Cost: while recording, a tracking of the Observation module for each property, which each write sets up again in some
    /// microseconds. While nothing is recorded, none, except for the inputs of computed properties; after a recording, and on
    /// another scheduler than `.main`, the first write of each property. If a recording begins later, the values from before are
    /// found in the next turn of the main queue.
    ///
    /// - Parameters:
    ///   - hidden: properties that are observed too, and whose values never reach a trace. For a path, this applies to its last
    ///     part; for a part of a structure, to the whole structure.
    ///   - scheduler: where the model may be read, usually `.main`. A scheduler that would run work inside the write is not
    ///     waited for.
    @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
    public static func observe<Model: AnyObject & Observation.Observable, each Value, each Hidden>(
        _ model: Model, _ properties: repeat KeyPath<Model, each Value>,
        private hidden: repeat KeyPath<Model, each Hidden>, on scheduler: any Scheduler = .main,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        #if Recording
        Bootstrap.run()
        let record = hiding(repeat each hidden, of: model, file: file, line: line)
        var listed = 0
        for _ in repeat each properties { listed += 1 }
        repeat record.property(each properties, file: file, line: line).track(on: scheduler)
        repeat record.property(each hidden, file: file, line: line).track(on: scheduler)
        if listed == 0 { followAll(record, of: model, except: [], FollowRule(on: scheduler, file: file, line: line)) }
        #endif
    }

    /// Traces the writes of all stored properties but these; otherwise the same as `observe` without properties.
    ///
    /// ```swift
    /// Trace.observe(model, except: \.scrollOffset, private: \.password)
    /// ```
    /// A body that reads an excepted property still follows it. The models in it are followed like those in any other property.
    @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
    public static func observe<Model: AnyObject & Observation.Observable, First, each Excepted, each Hidden>(
        _ model: Model, except first: KeyPath<Model, First>, _ others: repeat KeyPath<Model, each Excepted>,
        private hidden: repeat KeyPath<Model, each Hidden>, on scheduler: any Scheduler = .main,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        #if Recording
        Bootstrap.run()
        let record = hiding(repeat each hidden, of: model, file: file, line: line)
        var excepted: [AnyKeyPath] = [first]
        repeat excepted.append(each others)
        repeat record.property(each hidden, file: file, line: line).track(on: scheduler)
        followAll(record, of: model, except: excepted, FollowRule(on: scheduler, file: file, line: line))
        #endif
    }

    /// Traces the writes of all stored properties in all models of these classes and their subclasses: one line for a module.
    ///
    /// ```swift
    /// Trace.observeModels(of: LoginModel.self, CartModel.self, ProfileModel.self)
    /// ```
    /// Call it when the program starts. It applies to each model of the classes from the moment at which Weir finds it: when it is
    /// adopted, observed or wrapped, or when a known model comes to hold it. Models that they hold are followed too. For privacy,
    /// declare properties with the other `observe`.
    @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
    public static func observeModels(
        of types: any (AnyObject & Observation.Observable).Type..., on scheduler: any Scheduler = .main,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        #if Recording
        Bootstrap.run()
        let rule = FollowRule(on: scheduler, file: file, line: line)
        for type in types { ObservedClasses.shared.declare(of: type, rule) }
        #endif
    }

    /// Traces the writes of these properties in all models of a class, wherever Weir finds one.
    ///
    /// ```swift
    /// Trace.observe(CartItem.self, \.quantity, \.lineTotal, private: \.giftMessage)
    /// Trace.observe(Account.self, \.name, others: .private)
    /// Trace.adopt(cart)
    /// ```
    /// Call it once, when the program starts: then it applies to every model of the class and of its subclasses, before the first
    /// value is recorded. Weir knows models that are adopted, observed or wrapped, models that these hold now or later, and
    /// models that a render reads. A later call applies from then on, to known models too. Several calls, also for a superclass,
    /// add up; a private property stays private. See `observe` of one model for how writes are recorded.
    ///
    /// A path through an index or an unwrapped optional, whose value may be missing in some models, is not followed here.
    ///
    /// - Parameters:
    ///   - hidden: properties that are observed too, and whose values never reach a trace.
    ///   - others: whether the values of properties that are not named here may be recorded.
    ///   - scheduler: where the models may be read, usually `.main`.
    @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
    public static func observe<Model: AnyObject & Observation.Observable, each Value, each Hidden>(
        _ type: Model.Type, _ properties: repeat KeyPath<Model, each Value>,
        private hidden: repeat KeyPath<Model, each Hidden>, others: TracePrivacy = .public,
        on scheduler: any Scheduler = .main, file: StaticString = #fileID, line: UInt = #line
    ) {
        #if Recording
        Bootstrap.run()
        var (shown, secret): ([ObservedClasses.Declaration], [ObservedClasses.Declaration]) = ([], [])
        repeat shown.append(ObservedClasses.Declaration(each properties, on: scheduler, file: file, line: line))
        repeat secret.append(ObservedClasses.Declaration(each hidden, on: scheduler, file: file, line: line))
        ObservedClasses.shared.declare(of: type, followed: shown, hidden: secret, hidesOthers: others == .private)
        #endif
    }
}

#if Recording
extension Trace {
    @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
    private static func followAll(
        _ record: ModelRecord, of model: AnyObject, except excepted: [AnyKeyPath], _ rule: FollowRule
    ) {
        record.followAll(by: rule, except: excepted)
        AdoptedModels.shared.lookAround(model, as: record.label)
    }

    /// The record of a model, in whose class these properties are private from now on.
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
#endif
