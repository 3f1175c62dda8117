import WeirTrace

/// Lets a type say how it is logged; of the module `WeirTrace`, which an app need not import.
public typealias TraceValueConvertible = WeirTrace.TraceValueConvertible
