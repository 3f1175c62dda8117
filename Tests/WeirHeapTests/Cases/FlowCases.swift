import Testing

// Shapes from the data flows of real apps: publishers, bags, stores, timers, tokens, caches.

/// A minimal publisher.
private final class Stream<Value>: Counted {
    private var handlers: [Int: (Value) -> Void] = [:]
    private var next = 0

    @inline(never) func sink(_ handler: @escaping (Value) -> Void) -> Token {
        let id = next
        next += 1
        handlers[id] = handler
        return Token { [weak self] in self?.handlers[id] = nil }
    }

    func send(_ value: Value) { for handler in handlers.values { handler(value) } }

    @inline(never) func map<Output>(_ transform: @escaping (Value) -> Output) -> Derived<Value, Output> {
        Derived(upstream: self, transform: transform)
    }

    @inline(never) func assign<Root: AnyObject>(to path: ReferenceWritableKeyPath<Root, Value>, on root: Root) -> Token
    {
        sink { root[keyPath: path] = $0 }
    }
}

private final class Derived<Input, Output>: Counted {
    let upstream: Stream<Input>
    let transform: (Input) -> Output

    init(upstream: Stream<Input>, transform: @escaping (Input) -> Output) {
        self.upstream = upstream
        self.transform = transform
    }

    @inline(never) func sink(_ handler: @escaping (Output) -> Void) -> Token {
        upstream.sink { [transform] in handler(transform($0)) }
    }
}

private final class Token: Counted {
    private var cancel: (() -> Void)?

    init(_ cancel: @escaping () -> Void) { self.cancel = cancel }

    func store(in bag: inout [Token]) { bag.append(self) }
    func dispose() {
        cancel?()
        cancel = nil
    }
    deinit { cancel?() }
}

private final class LoginModel: Counted {
    let name = Stream<String>()
    let isValid = Stream<Bool>()
    var text = ""
    var isEnabled = false
    var bag: [Token] = []

    @inline(never) func bindByAssign() {
        name.assign(to: \.text, on: self).store(in: &bag)
    }

    @inline(never) func bindByHandlers() {
        name.sink { self.text = $0 }.store(in: &bag)
        isValid.sink { [weak self] in self?.isEnabled = $0 }.store(in: &bag)
    }

    @inline(never) func bindByOperator() {
        name.map { self.text + $0 }.sink { use($0) }.store(in: &bag)
    }

    @inline(never) func bindWell() {
        name.sink { [weak self] in self?.text = $0 }.store(in: &bag)
        name.map { $0.count > 3 }.sink { [unowned self] in isEnabled = $0 }.store(in: &bag)
    }
}

/// The stream in between. The closure that builds it receives it.
private final class Observation: Counted {
    private var upstream: [Token] = []
    private var handlers: [(Int) -> Void] = []
    private let source: Stream<Int>

    init(of source: Stream<Int>, build: (Observation) -> Token) {
        self.source = source
        super.init()
        upstream.append(build(self))
    }

    func receive(_ value: Int) { for handler in handlers { handler(value) } }
}

/// A clock of the app, which holds the closures that it calls.
private final class Clock: @unchecked Sendable {
    static let main = Clock()
    var timers: [ObjectIdentifier: () -> Void] = [:]
}

private final class Ticker: Counted {
    var ticks = 0

    @inline(never) func start() { Clock.main.timers[ObjectIdentifier(self)] = { self.ticks += 1 } }
    @inline(never) func startWithSelfInside() {
        Clock.main.timers[ObjectIdentifier(self)] = { [weak self] in self?.ticks += 1 }
    }
}

/// A notification center, as on every platform.
private final class Center: @unchecked Sendable {
    static let standard = Center()
    private var blocks: [String: [ObjectIdentifier: (Any) -> Void]] = [:]

    @inline(never) func observe(_ name: String, _ block: @escaping (Any) -> Void) -> AnyObject {
        let token = Counted()
        blocks[name, default: [:]][ObjectIdentifier(token)] = block
        return token
    }

    func removeAll() { blocks = [:] }
}

private final class Screen: Counted {
    var token: AnyObject?
    var shown = 0
    var own = PlantedNode()

    @inline(never) func observe() {
        token = Center.standard.observe("shown") { _ in self.shown += 1 }
    }

    @inline(never) func observeInCycle() {
        own.handler = { self.shown += 1 }
        observe()
    }
}

private final class Cache: Counted {
    var loaders: [String: () -> AnyObject] = [:]
    var values: [String: AnyObject] = [:]
    var onEvict: ((String, AnyObject) -> Void)?
}

private final class Library: Counted {
    let cache = Cache()
    var evicted = 0

    @inline(never) func prepare() {
        cache.values["library"] = self
        cache.loaders["node"] = { PlantedNode() }
    }

    @inline(never) func prepareEviction() {
        cache.onEvict = { [self] _, _ in evicted += 1 }
    }
}

private final class Store: Counted {
    typealias Dispatch = (Int) -> Void

    var state = 0
    lazy var dispatch: Dispatch = { [unowned self] in self.state += $0 }
    var reducers: [(Int, Int) -> Int] = []

    @inline(never) func apply(_ middlewares: [(Store, @escaping Dispatch) -> Dispatch]) {
        for middleware in middlewares { dispatch = middleware(self, dispatch) }
    }
}

private final class Container: Counted {
    private var factories: [ObjectIdentifier: () -> Any] = [:]

    @inline(never) func register<Service>(_ type: Service.Type, _ factory: @escaping () -> Service) {
        factories[ObjectIdentifier(type)] = factory
    }

    func resolve<Service>(_ type: Service.Type) -> Service? { factories[ObjectIdentifier(type)]?() as? Service }
}

private final class Promise<Value>: Counted {
    private enum State {
        case pending([(Result<Value, any Error>) -> Void])
        case settled(Result<Value, any Error>)
    }

    private var state = State.pending([])

    @inline(never) func then<Output>(_ transform: @escaping (Value) -> Promise<Output>) -> Promise<Output> {
        let promise = Promise<Output>()
        add { result in
            switch result {
            case .success(let value): transform(value).add { promise.settle($0) }
            case .failure(let error): promise.settle(.failure(error))
            }
        }
        return promise
    }

    func settle(_ result: Result<Value, any Error>) {
        guard case .pending(let handlers) = state else { return }
        state = .settled(result)
        for handler in handlers { handler(result) }
    }

    private func add(_ handler: @escaping (Result<Value, any Error>) -> Void) {
        switch state {
        case .pending(let handlers): state = .pending(handlers + [handler])
        case .settled(let result): handler(result)
        }
    }

    @inline(never) func finally(_ handler: @escaping () -> Void) { add { _ in handler() } }
}

private final class Request: Counted {
    var promise: Promise<Int>?
    var isRunning = true
    var pending: [(Int) -> Void] = []
    var retry: ((Int) -> Void)?

    @inline(never) func start() {
        let promise = Promise<Int>()
        promise.then { number in
            let text = Promise<String>()
            text.settle(.success("\(number)"))
            return text
        }.finally { self.isRunning = false }
        self.promise = promise
    }

    @inline(never) func retrying() {
        retry = { rest in if rest > 0 { self.retry?(rest - 1) } }
    }

    @inline(never) func complete() {
        pending.append { _ in self.isRunning = false }
        pending.append { [self] in use(($0, isRunning)) }
        let handlers = pending
        pending = []
        for handler in handlers { handler(1) }
    }
}

private final class Log: Counted {
    var messages: [() -> String] = []

    @inline(never) func debug(_ message: @autoclosure @escaping () -> String) { messages.append(message) }
}

private final class Service: Counted {
    let log = Log()
    var name = "service"

    @inline(never) func start() { log.debug("\(self.name) has started") }
}

private final class Machine: Counted {
    enum State: Hashable { case idle, running }

    var transitions: [State: [State: () -> Bool]] = [:]
    var entered: [State: (from: State, action: (Machine) -> Void)] = [:]

    @inline(never) func build() {
        entered[.running] = (from: .idle, action: { $0.transitions = [:] })
        transitions[.idle, default: [:]][.running] = { [self] in entered.isEmpty }
    }
}

extension Corpus {
    mutating func plantFlows() {
        about("real shapes: flows")
        leaks(
            "assign(to:on: self), kept in self's own bag",
            "LoginModel.name → Stream<String>.handlers[key] {} → LoginModel"
        ) {
            let model = LoginModel()
            model.bindByAssign()
            return Plant(model)
        }
        leaks(
            "handlers that capture self, kept in self's own bag",
            "LoginModel.name → Stream<String>.handlers[key] {} → LoginModel"
        ) {
            let model = LoginModel()
            model.bindByHandlers()
            return Plant(model)
        }
        leaks("an operator that captures self", "LoginModel.name → Stream<String>.handlers[key] {} → LoginModel") {
            let model = LoginModel()
            model.bindByOperator()
            return Plant(model)
        }
        silent("the same model, bound well") {
            let model = LoginModel()
            model.bindWell()
            return Plant(keeping: model)
        }
        leaks(
            "an observation that captures itself while it is built",
            "Observation.source → Stream<Int>.handlers[key] {} → Observation"
        ) {
            let observation = Observation(of: Stream()) { observation in
                observation.follow { observation.receive($0) }
            }
            return Plant(observation)
        }
        silent("an observation that captures itself weakly while it is built") {
            let observation = Observation(of: Stream()) { observation in
                observation.follow { [weak observation] in observation?.receive($0) }
            }
            return Plant(keeping: observation)
        }
        leaks("a token that the handler captures, to dispose itself", "Stream<Int>.handlers[key] {}… → Stream<Int>") {
            let stream = Stream<Int>()
            var token: Token?
            token = stream.sink { _ in
                token?.dispose()
                use(stream)
            }
            return Plant(stream)
        }
        silent("a timer of the app, which holds what it calls") {
            let ticker = Ticker()
            ticker.start()
            return Plant(ticker).holding(ticker) { Clock.main.timers = [:] }
        }
        silent("a timer of the app, which calls weakly") {
            let ticker = Ticker()
            ticker.startWithSelfInside()
            return Plant(keeping: ticker)
        }
        silent("a notification token whose centre holds the block") {
            let screen = Screen()
            screen.observe()
            return Plant(screen).holding(screen) { Center.standard.removeAll() }
        }
        holds("a cycle that a notification holds as well", "Screen.own → PlantedNode.handler {} → Screen") {
            let screen = Screen()
            screen.observeInCycle()
            return Plant(screen).holding(screen) { Center.standard.removeAll() }
        }
        leaks("a cache that holds its owner", "Library.cache → Cache.values[key] → Library") {
            let library = Library()
            library.prepare()
            return Plant(library)
        }
        leaks("a cache whose eviction tells its owner", "Library.cache → Cache.onEvict {} → Library") {
            let library = Library()
            library.prepareEviction()
            return Plant(library)
        }
        leaks("a middleware that captures its store", "Store.dispatch {} → Store") {
            let store = Store()
            store.apply([
                { store, next in
                    { action in
                        next(action)
                        use(store.state)
                    }
                }
            ])
            return Plant(store)
        }
        leaks("a container whose factories capture it", "Container.factories[key] {} → Container") {
            let container = Container()
            container.register(Int.self) { 1 }
            container.register(String.self) { "\(container.resolve(Int.self) ?? 0)" }
            return Plant(container)
        }
        leaks(
            "a promise whose end captures the one that waits",
            "Request.promise → Promise<Int>.state.pending[0] {} → Promise<String>.state.pending[0] {} → Request"
        ) {
            let request = Request()
            request.start()
            return Plant(request)
        }
        silent("a promise that was settled") {
            let request = Request()
            request.start()
            request.promise?.settle(.success(1))
            return Plant(keeping: request)
        }
        leaks("a retry that calls itself", "Request.retry {} → Request") {
            let request = Request()
            request.retrying()
            return Plant(request)
        }
        silent("completion handlers that were called and dropped") {
            let request = Request()
            request.complete()
            return Plant(keeping: request)
        }
        leaks("an autoclosure in a log", "Service.log → Log.messages[0] {} → Service") {
            let service = Service()
            service.start()
            return Plant(service)
        }
        leaks("a table of a state machine", "Machine.transitions[key][key] {} → Machine") {
            let machine = Machine()
            machine.build()
            return Plant(machine)
        }
    }
}

extension Observation {
    fileprivate func follow(_ handler: @escaping (Int) -> Void) -> Token { source.sink(handler) }
}
