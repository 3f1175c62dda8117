#if canImport(XCTest)
import XCTest

/// `expectNoLeaks` as an XCTest assertion.
@_disfavoredOverload
public func XCTAssertNoLeaks(
    file: StaticString = #filePath, line: UInt = #line, _ body: () throws -> Void
) rethrows {
    fail(try LeakScope().complaint(after: body), file, line)
}

/// The same for an asynchronous `body`.
public func XCTAssertNoLeaks(
    isolation: isolated (any Actor)? = #isolation, file: StaticString = #filePath, line: UInt = #line,
    _ body: () async throws -> Void
) async rethrows {
    fail(try await LeakScope().complaint(after: body), file, line)
}

/// `expectNoGrowth` as an XCTest assertion.
@_disfavoredOverload
public func XCTAssertNoGrowth(
    rounds: Int = 5, file: StaticString = #filePath, line: UInt = #line, _ body: () throws -> Void
) rethrows {
    fail(try GrowthScope(rounds: rounds).complaint(after: body), file, line)
}

/// The same for an asynchronous `body`.
public func XCTAssertNoGrowth(
    rounds: Int = 5, isolation: isolated (any Actor)? = #isolation, file: StaticString = #filePath,
    line: UInt = #line, _ body: () async throws -> Void
) async rethrows {
    fail(try await GrowthScope(rounds: rounds).complaint(after: body), file, line)
}

private func fail(_ complaint: String?, _ file: StaticString, _ line: UInt) {
    if let complaint { XCTFail(complaint, file: file, line: line) }
}
#endif
