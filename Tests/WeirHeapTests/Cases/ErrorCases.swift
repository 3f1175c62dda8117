import Testing

private final class Holder: Counted {
    var error: (any Error)?
    var errors: [any Error] = []
    var result: Result<Int, any Error>?
    var handler: ((any Error) throws -> Void)?

    func go() {}
}

private enum Fault: Error, @unchecked Sendable {
    case holder(AnyObject)
    case code(Int)
}

private final class ObjectError: Counted, Error, @unchecked Sendable {
    var owner: AnyObject?
}

private struct Wrapping: Error {
    var reason: any Error
}

extension Corpus {
    mutating func plantErrors() {
        about("errors")
        leaks("an error that carries its holder", "Holder.error.node → PlantedNode.object → Holder") {
            let holder = Holder(), node = PlantedNode()
            node.object = holder
            holder.error = PlantedError(node: node)
            return Plant(holder)
        }
        leaks("an enum error", "Holder.error.holder → Holder") {
            let holder = Holder()
            holder.error = Fault.holder(holder)
            return Plant(holder)
        }
        leaks("an error that is a class", "Holder.error → ObjectError.owner → Holder") {
            let holder = Holder(), error = ObjectError()
            error.owner = holder
            holder.error = error
            return Plant(holder)
        }
        leaks("an error in an error", "Holder.error.reason.holder → Holder") {
            let holder = Holder()
            holder.error = Wrapping(reason: Fault.holder(holder))
            return Plant(holder)
        }
        leaks("an error in a list", "Holder.errors[1].holder → Holder") {
            let holder = Holder()
            holder.errors = [Fault.code(1), Fault.holder(holder)]
            return Plant(holder)
        }
        leaks("an error that was thrown and kept", "Holder.result.failure.holder → Holder") {
            let holder = Holder()
            holder.result = Result { throw Fault.holder(holder) }
            return Plant(holder)
        }
        leaks("a handler of errors", "Holder.handler {} → Holder") {
            let holder = Holder()
            holder.handler = { error in
                holder.go()
                throw error
            }
            return Plant(holder)
        }
        silent("an error without an object") {
            let holder = Holder()
            holder.errors = [
                Fault.code(Int(bitPattern: Unmanaged.passUnretained(holder).toOpaque())), CancellationError(),
            ]
            return Plant(keeping: holder)
        }
    }
}
