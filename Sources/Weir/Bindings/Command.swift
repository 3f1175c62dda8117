import CWeir
import WeirTrace

/// What a user can do, and whether it can be done now and is being done.
///
/// ```swift
/// lazy var search = Command<String, [User]>(enabledIf: nameIsValid) { @MainActor [weak self] name in
///     self?.users(named: name) ?? .empty()
/// }
/// search.isEnabled.subscribe(initial: true) { button.isEnabled = $0 }
/// search.execute("Maruko")
/// ```
/// Executing runs the closure, and the signal that it returns, once: the result of `execute` replays that run to whoever
/// subscribes. A command that is disabled, or executing already, refuses: the result fails with a `CommandError`, and a
/// trace says which.
///
/// **Ownership.** The model holds its commands; so a closure must capture the model weakly. The command holds what enables
/// it, and what it executes. An execution that runs when its command is released is cancelled, unless somebody else
/// holds it; see `Execution`.
///
/// **Isolation.** A command that is made in an actor's isolation runs its closure there, and publishes `isExecuting`,
/// `isEnabled`, executions, values and errors there: at once where the code runs in that isolation, else a moment later. In
/// the initializer of a property Swift infers no isolation for a closure: say `@MainActor`, as above.
///
/// **Threads.** Every function may be called from any thread. Of threads that execute at the same time, one is accepted,
/// unless `allowsConcurrentExecution`.
public final class Command<Input, Output>: Node, Composite {
    /// Whether an execution is under way; false again before anybody hears of its end.
    public var isExecuting: ReadOnlyObservable<Bool> { executing }
    /// Whether `execute` would be accepted.
    public var isEnabled: ReadOnlyObservable<Bool> { enabled }
    private let executing: Observable<Bool>
    private let enabled: Observable<Bool>
    private let executionEmitter: Emitter<Signal<Output>>
    private let valueEmitter: Emitter<Output>
    private let errorEmitter: Emitter<any Error>

    private let home: CommandHome
    private let work: @Sendable (Input) -> Signal<Output>
    private let allowsConcurrentExecution: Bool
    private let isAllowed: @Sendable () -> Bool
    private var enabling: Disposable?
    private let running = Guarded<[ObjectIdentifier: Execution<Output>]>([:])
    /// What a trace knows the command by.
    private let identity: OperatorNode

    /// A command that executes what `work` returns.
    ///
    /// - Parameters:
    ///   - enabledIf: says whether it may execute. Until it has said anything, it may; an observable says so at once. After
    ///     its end, its last word holds.
    ///   - allowsConcurrentExecution: whether it may execute while it is executing.
    ///   - privacy: `.private` keeps inputs, what `work` makes of them, values and errors out of every trace. A command is private
    ///     from then on, too, when it is executed by the closure of an operator on a private signal; values and errors when `work`
    ///     returns a private signal.
    ///   - isolation: the actor in whose isolation the command publishes, unless `work` belongs to one; that of the caller.
    ///   - work: makes the signal that is executed; runs inside `execute` if that is called in the command's isolation.
    public init(
        enabledIf: Signal<Bool>? = nil, allowsConcurrentExecution: Bool = false, privacy: TracePrivacy = .public,
        isolation: (any Actor)? = #isolation, file: StaticString = #fileID, line: UInt = #line,
        @_inheritActorContext execute work: @escaping @Sendable @isolated(any) (Input) -> Signal<Output>
    ) {
        let actor = work.isolation ?? isolation
        self.work = Isolation.work(work)
        self.allowsConcurrentExecution = allowsConcurrentExecution
        let latest = Guarded(true)
        if let observable = enabledIf as? ReadOnlyObservable<Bool> {
            isAllowed = { observable.handedOut }
        } else {
            isAllowed = { latest.withState { $0 } }
        }
        executing = Observable(false, file: file, line: line)
        enabled = Observable(isAllowed(), file: file, line: line)
        executionEmitter = Emitter(file: file, line: line)
        valueEmitter = Emitter(privacy: privacy, file: file, line: line)
        errorEmitter = Emitter(privacy: privacy, file: file, line: line)
        identity = OperatorNode(
            .command, type: Input.self, isPrivate: privacy == .private, file: file.utf8Start,
            line: UInt32(clamping: line))
        home = CommandHome(actor, identity)
        super.init(file: file, line: line, privacy: privacy)
        identity.recordCreated()
        _ = isExecuting.attach(RelaySink(to: isEnabled) { [weak self] _ in self?.publishEnabled() })
        if let enabledIf { enabled.isFed(by: enabledIf, through: self) }
        enabling = enabledIf?.attach(
            RelaySink(to: isEnabled) { [weak self] isAllowed in
                latest.withState { $0 = isAllowed }
                self?.home.publish { self?.publishEnabled() }
            })
    }

    deinit {
        enabling?.dispose()
        enabled.isNoLongerFed(through: self)
    }

    // MARK: What others hear

    /// Each execution, as it begins. Its failure completes the signal here, and goes to `errors`: so a flattened stream of
    /// executions survives it. The result of `execute` fails.
    public var executions: Signal<Signal<Output>> { executionEmitter }
    /// The values of all executions.
    public var values: Signal<Output> { valueEmitter }
    /// The errors with which executions have failed; does not fail itself. What was refused is not among them.
    public var errors: Signal<any Error> { errorEmitter }

    // MARK: Executing

    /// Executes at once, or refuses.
    @discardableResult
    public func execute(
        _ input: Input, file: StaticString = #fileID, line: UInt = #line
    ) -> Execution<Output> {
        if PrivateMaking.isUnderWay { becomePrivate() }
        let execution = Execution<Output>(isPrivate: isPrivate, file: file, line: line) { [weak self] in
            self?.forget($0)
        }
        if let refusal = claim(execution) {
            if weir_recording() != 0 { identity.recordSuppressed(refusal.reason) }
            execution.finish(.failed(refusal))
            return execution
        }
        if weir_recording() != 0 { label(execution) }
        let (values, errors) = (valueEmitter, errorEmitter)
        _ = execution.attach(
            RelaySink(to: values, failing: errors) { [home] value in
                home.publish { values.emit(value) }
            } end: { [home] ending in
                if case .failed(let error) = ending { home.publish { errors.emit(error) } }
            })
        let start = RelaySink<Input>(to: execution) { [self] in begin(execution, with: $0) }
        start.comes(from: identity)
        home.publish { start.emit(input) }
        return execution
    }

    /// Takes the execution in, or says why not.
    private func claim(_ execution: Execution<Output>) -> CommandError? {
        let isAllowed = isAllowed()
        return running.withState { running in
            if !running.isEmpty && !allowsConcurrentExecution { return .executing }
            if !isAllowed { return .disabled }
            running[ObjectIdentifier(execution)] = execution
            return nil
        }
    }

    /// At home.
    private func begin(_ execution: Execution<Output>, with input: Input) {
        publishExecuting()
        executionEmitter.emit(
            Operator(.catch, CompleteOnFailure(), to: execution, file: execution.file, line: execution.line))
        // It may have been cancelled while it waited for the actor.
        if !execution.isOver { execution.run { work(input) } }
    }

    private func forget(_ execution: Execution<Output>) {
        let former = running.withState { $0.removeValue(forKey: ObjectIdentifier(execution)) }
        if former != nil { home.publish { [self] in publishExecuting() } }
    }

    /// At home.
    private func publishExecuting() { publish(executing) { !running.withState { $0.isEmpty } } }

    /// At home: `executing` is published nowhere else.
    private func publishEnabled() {
        publish(enabled) { isAllowed() && (allowsConcurrentExecution || running.withState { $0.isEmpty }) }
    }

    /// Another thread may publish what was true before: so the truth is asked again after each write.
    private func publish(_ observable: Observable<Bool>, _ truth: () -> Bool) {
        while case let now = truth(), observable.held != now { observable.value = now }
    }

    // MARK: In a trace

    override var kind: NodeKind { .command }
    override var valueType: Any.Type? { Input.self }
    override var tracedNode: Node { identity }
    override var nodeIfTraced: Node? { identity }

    override func passPrivacyOn() {
        identity.becomePrivate()
        valueEmitter.becomePrivate()
        errorEmitter.becomePrivate()
    }

    var parts: [(name: String, node: Node)] {
        [
            ("isExecuting", isExecuting), ("isEnabled", isEnabled), ("executions", executionEmitter),
            ("values", valueEmitter), ("errors", errorEmitter),
        ]
    }

    /// Names the execution after the command, if that has a name.
    private func label(_ execution: Execution<Output>) {
        guard let adoption = Registry.shared.adoption(of: identity) else { return }
        _ = Registry.shared.adopt([(execution.tracedNode, "\(adoption.label).execution")], by: adoption.owner)
    }
}

extension Command where Input == Void {
    /// Executes at once, or refuses.
    @discardableResult
    public func execute(file: StaticString = #fileID, line: UInt = #line) -> Execution<Output> {
        execute((), file: file, line: line)
    }
}

extension Command: @unchecked Sendable where Input: Sendable, Output: Sendable {}

extension Sink {
    /// Emits for `identity`, to which it was not subscribed.
    fileprivate func comes(from identity: OperatorNode) {
        originIsPrivate = identity.isPrivate
        origin = Unmanaged.passRetained(identity).toOpaque()
    }
}

/// Completes where its source fails.
private struct CompleteOnFailure<Value>: Operation {
    func attach(_ downstream: Sink<Value>, to source: Signal<Value>) -> Disposable {
        source.attach(
            InputSink<Value, Value>(feeding: downstream) {
                downstream.emit($0)
            } end: { ending in
                if case .failed = ending { downstream.finish(.completed) } else { downstream.finish(ending) }
            })
    }
}
