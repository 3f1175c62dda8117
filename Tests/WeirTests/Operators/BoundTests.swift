import Testing
import Weir
import WeirTestSupport

extension Everything {
    /// Invalid bounds stop the program; in a debug build with a message.
    @Suite(.ahead) struct BoundTests {
        @Test func `retry takes no bound of zero or less`() async {
            let zero = await #expect(
                processExitsWith: .failure, observing: [\.standardErrorContent]
            ) { _ = Signal.just(1).retry(0) }
            await #expect(processExitsWith: .failure) { _ = Signal.just(1).retry(-3) }
            #if DEBUG
            let said = String(decoding: zero?.standardErrorContent ?? [], as: UTF8.self)
            #expect(said.contains("retry(0): the number of retries has to be positive"))
            #endif
            await #expect(processExitsWith: .success) { _ = Signal.just(1).retry(1) }
        }
    }
}
