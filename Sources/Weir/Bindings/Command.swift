import CWeirCore
import WeirRecording

/// An action that a user can trigger, with observables for whether it is enabled and whether it is executing.
///
/// ```swift
/// lazy var search = Command<String, [User]>(enabledIf: nameIsValid) { @MainActor [weak self] name in
///     self?.users(named: name) ?? .empty()
/// }
/// search.isEnabled.subscribe(initial: true) { button.isEnabled = $0 }
/// search.execute("Maruko")
/// ```
/// Each call of `execute` runs the closure, and the signal that it returns, once; its result replays that run to each subscriber.
/// A command that is disabled, or already executing, refuses: the result fails with a `CommandError`, and a trace shows which.
///
/// **Ownership.** The model holds its commands, so a closure must capture the model weakly. The command holds the signal that
/// enables it, and the executions that run. A running execution is cancelled when its command is released, unless other code
/// holds it; see `Execution`.
///
/// **Isolation.** A command that is made in an actor's isolation runs its closure there, and publishes `isExecuting`,
/// `isEnabled`, executions, values and errors there: at once if the code already runs in that isolation, otherwise a moment
/// later. Swift infers no isolation for a closure in the initializer of a property: write `@MainActor`, as above.
///
/// **Threads.** Every function may be called from any thread. If several threads execute at the same time, one is accepted,
/// unless `allowsConcurrentExecution` is true.
public final class Command<Input, Output>: Node, Composite {
    /// Whether an execution is running; it becomes false before any subscriber receives the end of the execution.
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
    /// The node that represents the command in a trace.
    private let identity: OperatorNode

    /// A command that executes the signal that `work` returns.
    ///
    /// - Parameters:
    ///   - enabledIf: whether the command may execute. The command is enabled until the first value; an observable delivers its
    ///     value at once. After its end, its last value holds.
    ///   - allowsConcurrentExecution: whether it may execute while it is executing.
    ///   - privacy: `.private` keeps inputs, the results of `work`, values and errors out of every trace. A command also becomes
    ///     private when the closure of an operator on a private signal executes it. Its values and errors become private when
    ///     `work` returns a private signal.
    ///   - isolation: the actor in whose isolation the command publishes, unless `work` belongs to one; by default that of the
    ///     caller.
    ///   - work: makes the signal to execute; runs inside `execute` if that is called in the command's isolation.
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
        _ = isExecuting.attach(RelaySink(to: isEnabled) { [weak self] _ in self?.publishEnabled(isFed: true) })
        if let enabledIf { enabled.isFed(by: enabledIf, through: self) }
        enabling = enabledIf?.attach(
            RelaySink(to: isEnabled) { [weak self] isAllowed in
                latest.withState { $0 = isAllowed }
                self?.home.publish { self?.publishEnabled(isFed: true) }
            })
    }

    deinit {
        enabling?.dispose()
        enabled.isNoLongerFed(through: self)
    }

    // MARK: Signals of executions

    /// Each execution, as it begins. If an execution fails, its signal here completes and the error goes to `errors`, so a
    /// flattened stream of executions survives it. The result of `execute` fails.
    public var executions: Signal<Signal<Output>> { executionEmitter }
    /// The values of all executions.
    public var values: Signal<Output> { valueEmitter }
    /// The errors with which executions have failed; the signal itself does not fail. Refusals are not included.
    ///
    /// An error counts as unhandled if nothing subscribes to this signal and nothing receives it from the execution, as long as
    /// the execution is held: `Trace.onUnhandledFailure` reports it with the line of `execute`, and a trace shows it.
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
            } end: { [home, weak execution] ending in
                guard case .failed(let error) = ending, let execution else { return }
                home.publish {
                    let isReceived = errors.hasSubscribers
                    errors.emit(error)
                    execution.published(error, isReceived: isReceived)
                }
            })
        let start = RelaySink<Input>(to: execution) { [self] in begin(execution, with: $0) }
        start.comes(from: identity)
        home.publish { start.emit(input) }
        return execution
    }

    /// Accepts the execution, or returns the reason for the refusal.
    private func claim(_ execution: Execution<Output>) -> CommandError? {
        let isAllowed = isAllowed()
        return running.withState { running in
            if !running.isEmpty && !allowsConcurrentExecution { return .executing }
            if !isAllowed { return .disabled }
            running[ObjectIdentifier(execution)] = execution
            return nil
        }
    }

    /// Runs in the command's isolation.
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

    /// Runs in the command's isolation.
    private func publishExecuting() { publish(executing) { !running.withState { $0.isEmpty } } }

    /// Runs in the command's isolation.
    ///
    /// - Parameter isFed: whether a value was delivered, so that a trace shows that it changed nothing.
    private func publishEnabled(isFed: Bool) {
        publish(enabled, isFed: isFed) {
            isAllowed() && (allowsConcurrentExecution || running.withState { $0.isEmpty })
        }
    }

    /// Another thread may publish an outdated value, so this checks the current value again after each write.
    private func publish(_ observable: Observable<Bool>, isFed: Bool = false, _ truth: () -> Bool) {
        if isFed, observable.held == truth(), weir_recording() != 0 { observable.recordSuppressed(.equal) }
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

    /// Names the execution after the command, if the command has a name.
    private func label(_ execution: Execution<Output>) {
        #if Recording
        guard let adoption = Registry.shared.adoption(of: identity) else { return }
        _ = Registry.shared.adopt([(execution.tracedNode, "\(adoption.label).execution")], by: adoption.owner)
        #endif
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
    /// Emits for `identity`, to which the sink was not subscribed.
    fileprivate func comes(from identity: OperatorNode) {
        originIsPrivate = identity.isPrivate
        origin = Unmanaged.passRetained(identity).toOpaque()
    }
}

/// Completes when its source fails.
private struct CompleteOnFailure<Value>: Operation {
    func attach(_ downstream: Sink<Value>, to source: Signal<Value>) -> Disposable {
        let sink = InputSink<Value, Value>(feeding: downstream) {
            downstream.emit($0)
        } end: { ending in
            if case .failed = ending { downstream.finish(.completed) } else { downstream.finish(ending) }
        }
        sink.dropsFailure = true
        return source.attach(sink)
    }
}
