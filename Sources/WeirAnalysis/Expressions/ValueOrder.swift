import WeirTrace

/// The order of two recorded values, if the trace contains enough of them.
enum ValueOrder: Equatable {
    case less, equal, greater
    /// They differ, and neither comes first.
    case different
    case unknown(Judgement.Unknown.Reason)

    /// Compares integers exactly, whatever their form; with decimals by number; strings by their characters.
    ///
    /// A description is compared like a string. So is the name of a case with a text, while two cases are either equal or
    /// different. A `Float` is compared in its own precision. Values of different kinds differ. A cut string is compared up to
    /// its cut.
    init(_ left: TraceValue, _ right: TraceValue) {
        if case .fingerprint(let one) = left, case .fingerprint(let other) = right {
            self = one == other ? .equal : .different
        } else if case .enumCase(let one, let payload) = left, case .enumCase(let other, let otherPayload) = right {
            self = Self.cases(one, payload, other, otherPayload)
        } else if let reason = left.reasonUnknown ?? right.reasonUnknown {
            self = .unknown(reason)
        } else if let one = Text(left), let other = Text(right) {
            self = Self.texts(one, other)
        } else if let one = Number(left), let other = Number(right) {
            self = one.order(to: other)
        } else {
            switch (left, right) {
            case (.bool(let one), .bool(let other)): self = one == other ? .equal : .different
            case (.nil, .nil), (.void, .void): self = .equal
            default: self = .different
            }
        }
    }

    private static func cases(
        _ one: String, _ payload: TraceValue.CasePayload, _ other: String, _ otherPayload: TraceValue.CasePayload
    ) -> ValueOrder {
        switch (payload, otherPayload) {
        case (.fingerprint(let first), .fingerprint(let second)): first == second ? .equal : .different
        case _ where one != other || payload != otherPayload: .different
        case (.none, _): .equal
        default: .unknown(.notRecordable)
        }
    }

    private static func texts(_ one: Text, _ other: Text) -> ValueOrder {
        switch (one.fingerprint, other.fingerprint) {
        case (nil, nil): return one.text == other.text ? .equal : one.text < other.text ? .less : .greater
        case (.some(let first), .some(let second)):
            if first == second { return .equal }
            let order = common(one.text, other.text)
            // The fingerprints show that they differ, but not which comes first.
            return order == .equal ? .different : order
        case (_, nil): return cut(one.text, whole: other.text)
        case (nil, _):
            switch cut(other.text, whole: one.text) {
            case .less: return .greater
            case .greater: return .less
            case let order: return order
            }
        }
    }

    /// The order of a cut text and a whole one.
    private static func cut(_ beginning: String, whole: String) -> ValueOrder {
        let order = common(beginning, whole)
        guard order == .equal else { return order }
        let isLonger = beginning.unicodeScalars.count >= whole.unicodeScalars.count
        return isLonger ? .greater : .unknown(.isCut)
    }

    /// The order of two texts, compared up to the end of the shorter one.
    private static func common(_ one: String, _ other: String) -> ValueOrder {
        for (first, second) in zip(one.unicodeScalars, other.unicodeScalars) where first != second {
            return first < second ? .less : .greater
        }
        return .equal
    }

    private struct Text {
        let text: String
        /// The fingerprint of the whole text, if the text was cut.
        var fingerprint: UInt64?

        init?(_ value: TraceValue) {
            switch value {
            case .string(let text), .described(let text), .hashedDescription(let text, false, _),
                .enumCase(let text, _):
                self.text = text
            case .cutString(let text, let whole), .cutDescription(let text, let whole),
                .hashedDescription(let text, true, let whole):
                self.text = text
                fingerprint = whole
            default: return nil
            }
        }
    }

    private enum Number {
        case signed(Int64), unsigned(UInt64), double(Double), float(Float)

        init?(_ value: TraceValue) {
            switch value {
            case .signed(let number): self = .signed(number)
            case .unsigned(let number): self = .unsigned(number)
            case .double(let number): self = .double(number)
            case .float(let number): self = .float(number)
            default: return nil
            }
        }

        func order(to other: Number) -> ValueOrder {
            switch (self, other) {
            case (.signed(let one), .signed(let other)): Self.order(one < other, one == other)
            case (.unsigned(let one), .unsigned(let other)): Self.order(one < other, one == other)
            case (.signed(let one), .unsigned(let other)): Self.order(one < other, one == other)
            case (.unsigned(let one), .signed(let other)): Self.order(one < other, one == other)
            case (.double(let one), .double(let other)): Self.decimals(one, other)
            case (.float(let one), .float(let other)): Self.decimals(one, other)
            case (.float(let one), .double(let other)): Self.decimals(one, Float(other))
            case (.double(let one), .float(let other)): Self.decimals(Float(one), other)
            case (.signed(let one), .double(let other)): Self.order(one, other)
            case (.unsigned(let one), .double(let other)): Self.order(one, other)
            case (.signed(let one), .float(let other)): Self.order(one, Double(other))
            case (.unsigned(let one), .float(let other)): Self.order(one, Double(other))
            case (.double, _), (.float, _): other.order(to: self).reversed
            }
        }

        private static func order(_ isLess: Bool, _ isEqual: Bool) -> ValueOrder {
            isLess ? .less : isEqual ? .equal : .greater
        }

        private static func decimals<Decimal: BinaryFloatingPoint>(_ one: Decimal, _ other: Decimal) -> ValueOrder {
            one.isNaN || other.isNaN ? .different : order(one < other, one == other)
        }

        /// Exact even if the integer has more digits than a decimal can hold.
        private static func order<Integer: FixedWidthInteger>(_ one: Integer, _ other: Double) -> ValueOrder {
            if other.isNaN { return .different }
            let floor = other.rounded(.down)
            guard let whole = Integer(exactly: floor) else { return other < 0 ? .greater : .less }
            return one == whole ? (other > floor ? .less : .equal) : one < whole ? .less : .greater
        }
    }

    private var reversed: ValueOrder {
        switch self {
        case .less: .greater
        case .greater: .less
        default: self
        }
    }
}
