import Weir

// Without an argument: a scenario, whose output must not depend on the trait. `writes COUNT`: writes to be counted.
switch CommandLine.arguments.dropFirst().first {
case "writes":
    let count = CommandLine.arguments.dropFirst(2).first.flatMap { Int($0) } ?? 0
    let (first, second) = (Observable(0), Observable(0))
    let sum = Combiner<Int>.combine(first, second) { $0 &+ $1 }
    var seen = 0
    let subscription = sum.map { $0 &* 2 }.subscribe { seen &+= $0 }
    for number in 0..<count { first.value = number }
    print("saw \(seen)")
    subscription.dispose()
case "start":
    try Trace.start(writingTo: "started.weir")
    Trace.adopt(CartModel())
    print("stopped: \(Trace.stop().map { "\($0) lost" } ?? "nothing was recorded")")
default:
    await Scenario.run()
}
