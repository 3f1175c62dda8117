#if canImport(SwiftUI)
import SwiftUI

@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
extension View {
    /// Records when SwiftUI renders this view anew: `LoginForm(model: model).traced("LoginForm")`.
    ///
    /// It sees that the parent has made the view again, not what the view's own body reads; for that, put
    /// `Trace.body("LoginForm") { … }` into the body.
    public func traced(_ name: String, file: StaticString = #fileID, line: UInt = #line) -> some View {
        TracedView(content: self, name: name, file: file, line: line)
    }
}

@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
extension Trace {
    /// Records one run of a body whose content is written as in SwiftUI; see the other `body`.
    @MainActor
    public static func body<Content: View>(
        _ name: String, id: @autoclosure () -> AnyHashable? = nil, state: @autoclosure () -> AnyHashable? = nil,
        file: StaticString = #fileID, line: UInt = #line, @ViewBuilder content: () -> Content
    ) -> Content {
        body(name, id: id(), state: state(), file: file, line: line, { () -> Content in content() })
    }
}

@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
private struct TracedView<Content: View>: View {
    let content: Content
    let name: String
    let file: StaticString
    let line: UInt

    var body: some View { Trace.body(name, file: file, line: line, { () -> Content in content }) }
}
#endif
