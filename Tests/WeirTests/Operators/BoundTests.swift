import Testing
import Weir
import WeirTestSupport

extension Everything {
    /// Invalid bounds stop the program; in a debug build with a message.
    @Suite(.ahead) struct BoundTests {
        @Test func `retry takes no negative bound`() async throws {
            let said = try SaidText()
            await #expect(processExitsWith: .failure) { [path = said.path as String] in
                SaidText.hear(in: path)
                _ = Signal.just(1).retry(-1)
            }
            #if DEBUG
            #expect(try said.text.contains("retry(-1): the number of retries must not be negative"))
            #endif
            await #expect(processExitsWith: .success) { _ = Signal.just(1).retry(0) }
        }
    }
}
