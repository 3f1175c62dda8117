import Weir

// Without an argument: a scenario, whose output must not depend on the trait. `writes COUNT` and `combined COUNT`: writes whose
// instructions are counted. `start`: a recording.
let count = CommandLine.arguments.dropFirst(2).first.flatMap { Int($0) } ?? 0
switch CommandLine.arguments.dropFirst().first {
case "writes":
    let observable = Observable(0)
    var seen = 0
    let subscription = observable.subscribe { seen &+= $0 }
    for number in 0..<count { observable.value = number }
    print("saw \(seen)")
    subscription.dispose()
case "combined":
    let (first, second) = (Observable(0), Observable(0))
    let sum = Combiner<Int>.combine(first, second) { $0 &+ $1 }
    var seen = 0
    let subscription = sum.map { $0 &* 2 }.subscribe { seen &+= $0 }
    for number in 0..<count { first.value = number }
    print("saw \(seen)")
    subscription.dispose()
case "start":
    try Trace.start(writingTo: CommandLine.arguments[2])
    Trace.adopt(CartModel())
    print("recorded: \(Trace.isRecording)")
    Trace.stop()
default:
    await Scenario.run()
}
