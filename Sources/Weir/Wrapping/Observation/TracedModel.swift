import CWeirCore
import Observation
import WeirRecording

extension Trace {
    /// A view of an observable model through which reads and writes are traced, by the names of the properties.
    ///
    /// ```swift
    /// let form = Trace.wrap(model, private: \.password)
    /// form.name = "Maruko"  // the model's 'name' is written, and 'LoginModel.name' emits
    /// ```
    /// A model has one node for each property, however often it is wrapped, observed or rendered; `Trace.adopt` names the node,
    /// before or after. Only the wrapper holds the model. See ``TracedModel``.
    ///
    /// - Parameter hidden: properties whose values never reach a trace, in all models of the class, from now on.
    @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
    public static func wrap<Model: AnyObject & Observation.Observable, each Hidden>(
        _ model: Model, private hidden: repeat KeyPath<Model, each Hidden>, file: StaticString = #fileID,
        line: UInt = #line
    ) -> TracedModel<Model> {
        #if Recording
        Bootstrap.run()
        let record = hiding(repeat each hidden, of: model, file: file, line: line)
        return TracedModel(model, record, file: file, line: line)
        #else
        return TracedModel(model)
        #endif
    }
}

/// A view of an observable model through which reads and writes are traced; see `Trace.wrap`.
///
/// A write is recorded as an emission of the property's node, or as suppressed if the value equals the previous one; the write is
/// made either way. Effects inside it (a `didSet`, writes to Weir's observables) are caused by it. A read of a computed property
/// records its inputs, and whether its value has changed since. A read in the body of a `Trace.render`, like any other read
/// there, makes an edge of the graph.
///
/// Use it where the model may be used: it adds no lock. Cost while nothing is recorded: that of an access by key path, about 60
/// ns more for a read and 100 ns for a write, and two predictable branches. While recording, a write looks its key path up, reads
/// the former value, and compares; a change in place, such as `append`, copies.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
@dynamicMemberLookup
public struct TracedModel<Model: AnyObject & Observation.Observable> {
    /// The model itself.
    public let model: Model
    #if Recording
    let record: ModelRecord
    let file: StaticString
    let line: UInt

    init(_ model: Model, _ record: ModelRecord, file: StaticString, line: UInt) {
        self.model = model
        self.record = record
        self.file = file
        self.line = line
    }
    #else
    init(_ model: Model) { self.model = model }
    #endif

    /// The value of a read-only property.
    @inlinable
    public subscript<Value>(dynamicMember keyPath: KeyPath<Model, Value>) -> Value {
        @inline(__always) get {
            #if Recording
            return _fastPath(weir_recording() == 0) ? model[keyPath: keyPath] : read(keyPath)
            #else
            return model[keyPath: keyPath]
            #endif
        }
    }

    /// The value of a property.
    @inlinable
    public subscript<Value>(dynamicMember keyPath: ReferenceWritableKeyPath<Model, Value>) -> Value {
        @inline(__always) get {
            #if Recording
            return _fastPath(weir_recording() == 0) ? model[keyPath: keyPath] : read(keyPath)
            #else
            return model[keyPath: keyPath]
            #endif
        }
        @inline(__always) nonmutating set {
            if _fastPath(weir_recording() == 0 && !weir_renders_run_at_once()) {
                model[keyPath: keyPath] = newValue
            } else {
                write(newValue, keyPath)
            }
        }
        nonmutating _modify {
            if _fastPath(weir_recording() == 0 && !weir_renders_run_at_once()) {
                yield &model[keyPath: keyPath]
            } else {
                var value = copy(keyPath)
                defer { write(value, keyPath) }
                yield &value
            }
        }
    }

    #if Recording
    @usableFromInline @inline(never)
    func read<Value>(_ keyPath: KeyPath<Model, Value>) -> Value {
        // An observable of Weir is a node itself.
        if Value.self is Node.Type { return model[keyPath: keyPath] }
        return record.property(keyPath, file: file, line: line).read(model)
    }
    #endif

    /// A copy of the value, to be changed in place.
    @usableFromInline @inline(never)
    func copy<Value>(_ keyPath: KeyPath<Model, Value>) -> Value {
        #if Recording
        return AccessList.untracked { model[keyPath: keyPath] }
        #else
        return model[keyPath: keyPath]
        #endif
    }

    @usableFromInline @inline(never)
    func write<Value>(_ new: Value, _ keyPath: ReferenceWritableKeyPath<Model, Value>) {
        ObservedThread.current.wrapping {
            #if Recording
            guard weir_recording() != 0 else { return model[keyPath: keyPath] = new }
            let old = AccessList.untracked { model[keyPath: keyPath] }
            record.property(keyPath, file: file, line: line).write(new, old: old) { model[keyPath: keyPath] = new }
            #else
            model[keyPath: keyPath] = new
            #endif
        }
    }
}

@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
extension TracedModel: Sendable where Model: Sendable {}
