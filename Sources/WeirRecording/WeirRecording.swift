// Everything that `Weir` records with, as one import. Without the trait `Recording` this module is empty, an app links none of it,
// and `Sources/Weir/Off` says what `Weir` uses instead.
#if Recording
@_exported import CWeir
@_exported import WeirHeap
@_exported import WeirTrace
#endif
