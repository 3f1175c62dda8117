// Plants objects that a walk must or must not report, walks, and prints a row with the verdict on each.
//
// The same program is built in every variant; see run.sh.
import Shapes
import WeirHeap

// MARK: - What is planted

/// Holds a closure that captures it.
final class Model {
    var handler: (() -> Void)?
    var partner: Partner?
    var name = "model"
}

/// Only a symbol reveals its type.
struct Only: ~Copyable {
    var model: AnyObject?
}

/// Holds something that cannot be copied.
final class Keeper {
    var only = Only()
    var name = "keeper"
}

final class Partner {
    weak var model: Model?
    var strong: Model?
}

/// Its superclass and its stored values come from the library.
final class Screen: Shape {
    var slot = Slot()
    var choices: [Choice] = []
}

/// Holds an object permanently.
nonisolated(unsafe) var session: AnyObject?

@inline(never) func address(_ object: AnyObject) -> UInt {
    UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
}

let closureLine = #line + 4  // Of the closure in `plantClosure`.

@inline(never) func plantClosure() -> UInt {
    let model = Model()
    model.handler = { model.name.append(contentsOf: model.name) }
    return address(model)
}

@inline(never) func plantPartners() -> UInt {
    let model = Model()
    model.partner = Partner()
    model.partner?.strong = model
    return address(model)
}

@inline(never) func plantInherited() -> UInt {
    let screen = Screen()
    screen.neighbour = screen
    return address(screen)
}

@inline(never) func plantSlot() -> UInt {
    let screen = Screen()
    screen.slot.object = screen
    return address(screen)
}

@inline(never) func plantChoice() -> UInt {
    let screen = Screen()
    screen.choices = [.nothing, .text("text"), .handler { screen.name += "!" }]
    return address(screen)
}

@inline(never) func plantNoncopyable() -> UInt {
    let keeper = Keeper()
    keeper.only.model = keeper
    return address(keeper)
}

@inline(never) func plantHeld() -> UInt {
    let model = Model()
    model.handler = { model.name += "!" }
    session = model
    return address(model)
}

@inline(never) func plantClean() -> UInt {
    let model = Model()
    model.partner = Partner()
    model.partner?.model = model
    model.handler = { [weak model] in model?.name += "!" }
    let holder = Model()
    holder.partner = Partner()
    holder.partner?.strong = model
    session = holder
    return address(model)
}

// MARK: - What is said

/// "proven", "held" or "silent": whether a cycle is reported, and how; "unsure" if none is, but the walk has limitations.
func verdict(_ report: HeapReport) -> String {
    if report.cycles.contains(where: \.isProven) { return "proven" }
    if !report.cycles.isEmpty { return "held" }
    return report.limitations.isEmpty ? "silent" : "unsure"
}

/// How much is known about the closure on the first cycle.
func words(_ report: HeapReport) -> String {
    guard let function = report.references.lazy.compactMap(\.function).first else { return "-" }
    guard let name = function.name else { return "no name" }
    guard name == "closure #1 in plantClosure()" else { return "WRONG: \(name)" }
    guard let line = function.line, let file = function.file else { return "name" }
    return file == "Program/main.swift" && line == closureLine ? "line" : "WRONG: \(file):\(line)"
}

/// Why something was not analysed. It avoids reflection, which some builds of this program lack.
func reason(_ limitation: HeapLimitation) -> String {
    switch limitation.reason {
    case .unknownLayout: return "unknown layout"
    case .noReflection: return "no reflection"
    case .unknownMemory: return "unknown memory"
    default: return "limitation \(limitation.reason.rawValue)"
    }
}

let plants = [
    plantClosure, plantPartners, plantInherited, plantSlot, plantChoice, plantNoncopyable, plantHeld, plantClean,
]
let reports = plants.map { plant in HeapWalker().report(from: [HeapRoot(address: plant())]) }
let limitations = Set(reports.flatMap(\.limitations).map(reason)).sorted().joined(separator: ", ")
print((reports.map(verdict) + [words(reports[0]), limitations.isEmpty ? "-" : limitations]).joined(separator: "\t"))
