import Testing
import Weir
import WeirTestSupport

extension Everything {
    /// Invalid bounds stop the program; in a debug build with a message.
    @Suite(.ahead) struct BoundTests {
        @Test func `retry takes no negative bound`() async {
            let negative = await #expect(
                processExitsWith: .failure, observing: [\.standardErrorContent]
            ) { _ = Signal.just(1).retry(-1) }
            #if DEBUG
            let said = String(decoding: negative?.standardErrorContent ?? [], as: UTF8.self)
            #expect(said.contains("retry(-1): the number of retries must not be negative"))
            #endif
            await #expect(processExitsWith: .success) { _ = Signal.just(1).retry(0) }
        }
    }
}
