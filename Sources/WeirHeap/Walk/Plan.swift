/// How to find the references at one offset of a value.
struct Operation {
    enum Kind: UInt8 {
        /// A reference, or a special value below `Memory.leastAddress`.
        case strong
        /// A reference with flags in its spare bits.
        case bridge
        /// Code, and the context that it owns.
        case function
        /// A block of C, which may own a closure.
        case block
        /// Three words, and the type of their contents.
        case existential
        /// An `Optional` that must be asked whether it has a payload.
        case optional
        /// An enum that must be asked for its case.
        case enumeration
        case fixedArray
        case weak, unowned, unmanaged
        /// Memory that may hold references but cannot be read.
        case unseen
    }

    var kind: Kind
    /// The number of its label.
    var label: Int32
    /// The number of the limitation, if the kind is `unseen`, or `block` and it cannot be read.
    var limitation: Int32 = -1
    /// The offset in the value.
    var offset: UInt
    /// The type, if the operation needs it.
    var metadata: UInt = 0
    /// How to read the contents.
    var payload: UnsafeMutablePointer<ValuePlan>?
    /// The enum cases with a payload.
    var cases: UnsafeMutablePointer<CasePlan>?
    /// The number of cases or elements.
    var count = 0
}

/// How to read the payload of a case.
struct CasePlan {
    var label: Int32
    var isIndirect: Bool
    /// The number of the limitation if the payload cannot be read in full; otherwise -1.
    var limitation: Int32 = -1
    var payload: UnsafeMutablePointer<ValuePlan>?
}

/// How to find the references in a value of one type.
struct ValuePlan {
    var metadata: UInt
    var stride: UInt
    var alignMask: UInt
    var operations: UnsafeMutableBufferPointer<Operation>
}

/// How to find the references in a heap object of one kind.
struct ObjectPlan {
    enum Kind: UInt8 {
        case instance, context, genericBox, error, task, unknown
    }

    /// The memory after the fields.
    enum Tail: UInt8 {
        case none, array, dictionary, set, keyPath
    }

    var kind: Kind
    var metadata: UInt
    /// The number of bytes without the tail, which must be readable.
    var size: UInt
    var operations: UnsafeMutableBufferPointer<Operation>
    var tail = Tail.none
    /// Whether it is the storage of a collection, with or without references.
    var isStorage = false
    /// The offset of the elements of an array, or of the bitmap of a dictionary or set.
    var tailOffset: UInt = 0
    /// The plan for elements or keys.
    var element: UnsafeMutablePointer<ValuePlan>?
    var value: UnsafeMutablePointer<ValuePlan>?
    /// The offsets of a dictionary's or set's own fields for its keys, its values, and the number of its buckets.
    var keysOffset: UInt = 0
    var valuesOffset: UInt = 0
    var scaleOffset: UInt = 0
    /// Whether the captures depend on the generic arguments in the object. There is then a plan for each.
    var isGeneric = false
    /// Whether its class is a `HeapOwner`.
    var isOwner = false
    /// Whether it is an instance of a class of Weir itself.
    var isInternal = false
    /// Whether it is an instance of a system module that makes cycles and breaks them itself.
    var isSelfCutting = false
    /// Whether there is nothing to read.
    var isLeaf = false
    /// The number of the label that names its captures; -1 if it has none.
    var captures: Int32 = -1
}
