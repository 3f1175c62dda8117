/// How to find the references in one place of a value.
struct Operation {
    enum Kind: UInt8 {
        /// A reference, or a mark below `Memory.leastAddress`.
        case strong
        /// A reference with flags in its spare bits.
        case bridge
        /// Code, and the context that it owns.
        case function
        /// Three words, and the type of what they hold.
        case existential
        /// An `Optional` whose payload must be asked whether it is there.
        case optional
        /// An enum whose case must be asked.
        case enumeration
        case fixedArray
        case weak, unowned, unmanaged
        /// Memory that may hold references which cannot be told.
        case unseen
    }

    var kind: Kind
    /// The number of its label.
    var label: Int32
    /// The number of the doubt, of what is unseen.
    var doubt: Int32 = -1
    /// Where in the value.
    var offset: UInt
    /// The type, where it must be asked.
    var metadata: UInt = 0
    /// How to read what it holds.
    var payload: UnsafeMutablePointer<ValuePlan>?
    /// The cases of an enum that have a payload.
    var cases: UnsafeMutablePointer<CasePlan>?
    /// How many cases or elements.
    var count = 0
}

/// How to read the payload of a case.
struct CasePlan {
    var label: Int32
    var isIndirect: Bool
    /// The payload is not all that can be told: a doubt; -1: it is.
    var doubt: Int32 = -1
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

    /// What lies behind the fields.
    enum Tail: UInt8 {
        case none, array, dictionary, set, keyPath
    }

    var kind: Kind
    var metadata: UInt
    /// Bytes without the tail; what must be readable.
    var size: UInt
    var operations: UnsafeMutableBufferPointer<Operation>
    var tail = Tail.none
    /// The storage of a collection, whether or not it holds references.
    var isStorage = false
    /// Where the elements of an array begin, or the bitmap of a dictionary or set.
    var tailOffset: UInt = 0
    /// Elements, keys.
    var element: UnsafeMutablePointer<ValuePlan>?
    var value: UnsafeMutablePointer<ValuePlan>?
    /// Where a dictionary or set says where its keys and values are, and how many buckets it has.
    var keysOffset: UInt = 0
    var valuesOffset: UInt = 0
    var scaleOffset: UInt = 0
    /// The captures depend on the generic arguments in the object: there is a plan for each.
    var isGeneric = false
    /// Its class is a `HeapOwner`.
    var isOwner = false
    /// An instance of a class of Weir itself.
    var isInternal = false
    /// An instance of a module of the system that makes circles, and cuts them itself.
    var isSelfCutting = false
    /// There is nothing to read.
    var isLeaf = false
    /// The number of the name of its captures; -1: it has none.
    var captures: Int32 = -1
}
