import CWeir

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The names of the functions and variables of this process, and their lines.
///
/// They come from the files of the loaded modules. A file is opened on first use and stays mapped as long as this object lives.
/// On Apple platforms they come from the loaded images themselves, and there are no lines. Without symbols there are no names;
/// without debug information there are no lines. Use it from one thread at a time.
package final class HeapSymbols {
    private var modules: [LoadedModule]
    /// Files by path.
    private var files: [String: SymbolFile?] = [:]
    private var functions: [UInt: HeapFunction] = [:]

    /// The modules that were loaded at the first access.
    private static let firstModules = LoadedModule.loaded()

    /// Looks up the loaded modules.
    ///
    /// Call it before the process forks: in the child, the system's list of modules can be locked forever.
    package static func prepareForFork() { _ = firstModules }

    /// Starts with the modules that were loaded at the first access, and looks again for addresses in none of them.
    package convenience init() { self.init(Self.firstModules) }

    init(_ modules: [LoadedModule]) { self.modules = modules }

    /// Whether the program may call a function at the address of its symbol.
    ///
    /// On arm64e the processor checks a signature in a pointer to code, and an address in a table of symbols has none.
    package static let canCallByAddress: Bool = {
        #if _ptrauth(_arm64e)
        return false
        #else
        return true
        #endif
    }()

    /// The function whose code is at the address. For an async function, the address may be of a pointer to its code.
    package func function(at address: UInt) -> HeapFunction {
        if let known = functions[address] { return known }
        let function = find(address)
        functions[address] = function
        return function
    }

    /// Whether a closure at the address contains closures that may run concurrently and capture something: the compiler asks for a
    /// capture list in each of them. Compares all symbols.
    ///
    /// The linker's name of such a closure begins with that of the closure around it.
    package func hasConcurrentClosures(at address: UInt) -> Bool {
        guard let module = module(at: address), let file = file(of: module),
            let name = file.symbols.symbol(at: UInt64(address &- module.base))?.name,
            let length = Self.lengthOfClosure(name)
        else { return false }
        // A closure that captures nothing has no such function.
        let outer = String(decoding: name[..<length], as: UTF8.self)
        return file.symbols.symbols(from: outer, to: "TA", atMost: Self.mostInnerClosures).contains { symbol in
            guard symbol.name.count > length + 2, let name = Self.demangled(symbol.text) else { return false }
            // The attributes of its type stand before its parameters: "closure #1 @Sendable () -> ()". A global actor is one, too: the
            // compiler lets its closures use a weak variable.
            let words = name.prefix { $0 != "(" }.split(separator: " ")
            return words.contains("closure") && words.filter { $0.hasPrefix("@") } == ["@Sendable"]
        }
    }

    /// The length of the linker's name of a closure, without what follows for a function that the compiler makes of it; nil: it is no
    /// closure.
    private static func lengthOfClosure(_ name: UnsafeRawBufferPointer) -> Int? {
        let (f, u) = (UInt8(ascii: "f"), UInt8(ascii: "U"))
        var place = name.count - 1
        while place > 1 {
            if name[place] == u, name[place - 1] == f {
                var end = place + 1
                while end < name.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(name[end]) { end += 1 }
                if end < name.count, name[end] == UInt8(ascii: "_") { return end + 1 }
            }
            place -= 1
        }
        return nil
    }

    private static let mostInnerClosures = 64

    /// The function that made the call which returns to `address`; nil: no code is known there.
    package func caller(returningTo address: UInt) -> HeapCaller? {
        // The call is the instruction before.
        let call = address &- 1
        guard let module = module(at: call), let file = file(of: module),
            let symbol = file.symbols.symbol(at: UInt64(call &- module.base))
        else { return weir_exported_symbol(call).map { HeapCaller(mangled: String(cString: $0)) } }
        return HeapCaller(mangled: symbol.text)
    }

    /// The line of the call which returns to `address`, and its file without module and folder.
    ///
    /// If the call was inlined from another file, it is the line at which the function is declared. `.missing` is code that the
    /// compiler or a macro made.
    package func line(ofCallReturningTo address: UInt) -> CallLine {
        let call = address &- 1
        guard let module = module(at: call), let file = file(of: module), file.hasLines,
            let symbol = file.symbols.symbol(at: UInt64(call &- module.base))
        else { return .unknown }
        return file.place(of: UInt64(call &- module.base), in: symbol).map { .known(file: $0.file, line: $0.line) }
            ?? .missing
    }

    /// The line of a call.
    package enum CallLine {
        case known(file: String, line: Int)
        /// The file has debug information, but not of this code.
        case missing
        /// The file has no debug information.
        case unknown
    }

    /// Does now what the first calls of `caller` and `line` would do for the program's own file.
    package func prepareForCallers() {
        guard let program = modules.first else { return }
        file(of: program)?.prepare()
    }

    private func find(_ address: UInt) -> HeapFunction {
        guard let module = module(at: address) else {
            return weir_exported_symbol(address).map { describe(String(cString: $0), nil, nil) } ?? HeapFunction()
        }
        guard let file = file(of: module), let symbol = file.symbols.symbol(at: UInt64(address &- module.base)) else {
            return HeapFunction()
        }
        return describe(symbol.text, symbol, file)
    }

    private func describe(_ mangled: String, _ symbol: SymbolTable.Symbol?, _ file: SymbolFile?) -> HeapFunction {
        guard let full = Self.demangled(mangled) else { return HeapFunction(name: mangled, kind: .function) }
        let name = SymbolName(demangled: full)
        guard let text = name.text else { return HeapFunction() }
        guard let symbol, let place = file?.place(of: symbol) else {
            return HeapFunction(name: text, module: name.module, kind: name.kind)
        }
        return HeapFunction(
            name: text, module: name.module, file: name.module.map { "\($0)/\(place.file)" } ?? place.file,
            line: place.line, kind: name.kind)
    }

    /// The program's variable that holds each of the objects, if there is one: "global session".
    ///
    /// Variables are recognized by the address that they hold, so an equal number would be taken for one. Use the result as a
    /// name, never as a proof.
    package func outsideNames(of addresses: Set<UInt>) -> [UInt: String] {
        var names: [UInt: String] = [:]
        let sorted = addresses.sorted()
        for module in modules {
            let found = ModuleVariables.holders(of: sorted, in: module)
            guard !found.isEmpty, let file = file(of: module) else { continue }
            for (object, holders) in found where names[object] == nil {
                names[object] = holders.lazy.compactMap { self.variableName(at: $0 &- module.base, in: file) }.first
            }
        }
        for object in addresses where names[object] == nil { names[object] = nameOfVariable(madeWith: object) }
        return names
    }

    /// Those of the objects that the program assigned to a variable after a moment: not one that each of its variables may have been
    /// initialized with, at its first use.
    ///
    /// - Parameters:
    ///   - addresses: objects that were made after that moment.
    ///   - start: the variables at that moment. A variable that was initialized by then was not initialized with such an object.
    ///
    /// As with the names, an equal number would be taken for an object. A module without local symbols tells nothing.
    package func assigned(_ addresses: Set<UInt>, since start: VariableCopy) -> Set<UInt> {
        var variables: [UInt: [Bool]] = [:]
        let sorted = addresses.sorted()
        for module in modules {
            let found = ModuleVariables.holders(of: sorted, in: module)
            guard !found.isEmpty, let file = file(of: module) else { continue }
            let tokens = file.symbols.symbols(from: "$s", to: InitializationToken.ending, atMost: 100_000)
                .map { (token: InitializationToken($0.text), address: UInt($0.address) &+ module.base) }
            for (object, holders) in found {
                for holder in holders {
                    guard let symbol = file.symbols.symbol(at: UInt64(holder &- module.base))?.text,
                        let name = Self.demangled(symbol).flatMap({ SymbolName(demangled: $0).text })
                    else { continue }
                    let own = String(name.split(separator: ".").last ?? "")
                    variables[object, default: []].append(
                        tokens.isEmpty
                            || tokens.contains {
                                $0.token.initializes(symbol, named: own) && start.word(at: $0.address) ?? 0 == 0
                            })
                }
            }
        }
        return Set(variables.lazy.filter { !$0.value.contains(true) }.map(\.key))
    }

    /// The variable for whose initial value the compiler made the object at an address, as a part of the program.
    ///
    /// The address need not be in the variable: an optimized program does not read it.
    private func nameOfVariable(madeWith address: UInt) -> String? {
        guard let module = modules.first(where: { $0.contains(address) }), let file = file(of: module),
            let symbol = file.symbols.symbol(at: UInt64(address &- module.base)),
            let end = Substring(symbol.text).range(ofLast: Self.staticObject)
        else { return nil }
        // The symbol names the function that would initialize the variable. With any type, it names the variable.
        let variable = symbol.text[..<end] + "ypvp"
        guard let full = Self.demangled(String(variable)), let name = SymbolName(demangled: full).text else {
            return nil
        }
        return (name.contains(".") ? "static " : "global ") + name
    }

    /// In a symbol: an object that an initializer of a variable would make.
    private static let staticObject = "_WZTv"

    private func variableName(at address: UInt, in file: SymbolFile) -> String? {
        guard let symbol = file.symbols.symbol(at: UInt64(address)), let full = Self.demangled(symbol.text),
            let name = SymbolName(demangled: full).text
        else { return nil }
        return name.hasPrefix("static ") ? name : "global \(name)"
    }

    /// The linker's name of the symbol that begins at `address`; nil if there is none.
    package func symbolName(at address: UInt) -> String? {
        guard let module = module(at: address), let file = file(of: module) else {
            return nil
        }
        let place = UInt64(address &- module.base)
        return file.symbols.symbol(at: place).flatMap { $0.address == place ? $0.text : nil }
    }

    /// The address of the function `name`, to be called: exported by some module, or in the module that `address` is in.
    package func address(named name: String, inModuleAt address: UInt) -> UInt? {
        if let exported = weir_exported_address(name) { return UInt(bitPattern: exported) }
        guard Self.canCallByAddress, let module = module(at: address), let file = file(of: module) else {
            return nil
        }
        return file.symbols.symbol(named: name).map { UInt($0.address) &+ module.base }
    }

    /// Whether the address is in the loaded memory of a module, so that it can be read.
    package func isInModule(_ address: UInt) -> Bool { module(at: address) != nil }

    /// The symbols whose names begin with `prefix` and end with `suffix`, in the module that `address` is in.
    func symbols(from prefix: String, to suffix: String, inModuleAt address: UInt) -> [(name: String, address: UInt)] {
        guard let module = module(at: address), let file = file(of: module) else { return [] }
        return file.symbols.symbols(from: prefix, to: suffix, atMost: 10_000)
            .map { ($0.text, UInt($0.address) &+ module.base) }
    }

    private func file(of module: LoadedModule) -> SymbolFile? {
        if let known = files[module.path] { return known }
        let file = SymbolFile(module)
        files[module.path] = .some(file)
        return file
    }

    /// The module that contains the address. It may have been loaded since the last look.
    private func module(at address: UInt) -> LoadedModule? {
        if let known = modules.first(where: { $0.contains(address) }) { return known }
        modules = LoadedModule.loaded()
        return modules.first { $0.contains(address) }
    }

    /// A mangled Swift name in readable form; nil if it is not mangled.
    package static func demangled(_ name: String) -> String? {
        guard let text = weir_demangle(name, name.utf8.count) else { return nil }
        defer { free(text) }
        return String(cString: text)
    }
}
