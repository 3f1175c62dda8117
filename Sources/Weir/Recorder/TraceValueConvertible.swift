import WeirRecording

#if Recording
/// Lets a type define how it is logged; from the module `WeirTrace`, which an app need not import.
public typealias TraceValueConvertible = WeirTrace.TraceValueConvertible
#endif
