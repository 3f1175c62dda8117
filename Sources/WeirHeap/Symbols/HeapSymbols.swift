import CWeir

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The names of functions and variables of this process, and their lines.
///
/// From the files of the loaded modules, which are opened when something in them is asked for, and stay mapped as long
/// as this object lives. What has no symbols has no name; without debug information there are no lines. On Apple
/// platforms only exported symbols are found, and no lines. To be used by one thread at a time.
package final class HeapSymbols {
    private var modules: [LoadedModule]
    /// By their paths.
    private var files: [String: SymbolFile?] = [:]
    private var functions: [UInt: HeapFunction] = [:]

    /// The modules that were loaded when that was first asked.
    private static let firstModules = LoadedModule.loaded()

    /// Looks up which modules are loaded.
    ///
    /// To be called before the process forks: in the child, the system's list of modules can be locked for ever.
    package static func prepareForFork() { _ = firstModules }

    /// Knows the modules that were loaded when that was first asked, and looks again for what is in none of them.
    package init() { modules = Self.firstModules }

    /// The function whose code the address is in; also of an async function, which is known by a pointer to its code.
    package func function(at address: UInt) -> HeapFunction {
        if let known = functions[address] { return known }
        let function = find(address)
        functions[address] = function
        return function
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
        guard let full = Self.demangled(mangled) else { return HeapFunction(name: mangled) }
        let name = SymbolName(demangled: full)
        guard let text = name.text else { return HeapFunction() }
        guard let symbol, let place = file?.place(of: symbol) else { return HeapFunction(name: text) }
        return HeapFunction(name: text, file: name.module.map { "\($0)/\(place.file)" } ?? place.file, line: place.line)
    }

    /// What holds each of the objects, as far as that is a variable of the program: "global session".
    ///
    /// Variables are recognized by the address that they hold, so a number that happens to be the same would be taken
    /// for one: good for a name, and no proof of anything.
    package func outsideNames(of addresses: Set<UInt>) -> [UInt: String] {
        var names: [UInt: String] = [:]
        for module in modules {
            let found = ModuleVariables.holders(of: addresses, in: module)
            guard !found.isEmpty, let file = file(of: module) else { continue }
            for (object, holders) in found where names[object] == nil {
                names[object] = holders.lazy.compactMap { self.variableName(at: $0 &- module.base, in: file) }.first
            }
        }
        return names
    }

    private func variableName(at address: UInt, in file: SymbolFile) -> String? {
        guard let symbol = file.symbols.symbol(at: UInt64(address)), let full = Self.demangled(symbol.text),
            let name = SymbolName(demangled: full).text
        else { return nil }
        return name.hasPrefix("static ") ? name : "global \(name)"
    }

    /// The linker's name of what begins at `address`; nil: it has none.
    package func symbolName(at address: UInt) -> String? {
        guard let module = module(at: address), let file = file(of: module) else {
            return nil
        }
        let place = UInt64(address &- module.base)
        return file.symbols.symbol(at: place).flatMap { $0.address == place ? $0.text : nil }
    }

    /// Where what has the linker's name `name` is: exported by some module, or in the module that `address` is in.
    package func address(named name: String, inModuleAt address: UInt) -> UInt? {
        if let exported = weir_exported_address(name) { return UInt(bitPattern: exported) }
        guard let module = module(at: address), let file = file(of: module) else {
            return nil
        }
        return file.symbols.symbol(named: name).map { UInt($0.address) &+ module.base }
    }

    /// Whether the address is in what a module has loaded, so that it can be read.
    package func isInModule(_ address: UInt) -> Bool { module(at: address) != nil }

    private func file(of module: LoadedModule) -> SymbolFile? {
        if let known = files[module.path] { return known }
        let file = SymbolFile(module)
        files[module.path] = .some(file)
        return file
    }

    /// The module that the address is in, which may have been loaded since the last look.
    private func module(at address: UInt) -> LoadedModule? {
        if let known = modules.first(where: { $0.contains(address) }) { return known }
        modules = LoadedModule.loaded()
        return modules.first { $0.contains(address) }
    }

    /// What a mangled Swift name says; nil: it is none.
    package static func demangled(_ name: String) -> String? {
        guard let text = weir_demangle(name, name.utf8.count) else { return nil }
        defer { free(text) }
        return String(cString: text)
    }
}
