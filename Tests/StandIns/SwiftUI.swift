// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// The declarations of SwiftUI that the walkthrough uses, for a system without it, and a user who taps.
//
// As SwiftUI does, it runs a body inside of `withObservationTracking`, and again in a later turn of the main queue when
// something that it has read has changed. The body of a child runs again with its parent's only if its fields differ.
import Foundation
import Observation
import Weir

@MainActor public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}

extension Never: View {
    public var body: Never { fatalError() }
}

/// What has no body of its own; `visit` passes on its parts.
@MainActor private protocol Primitive: View where Body == Never {
    func visit(_ visitor: Visitor)
}

extension Primitive {
    public var body: Never { fatalError() }
}

@resultBuilder @MainActor public enum ViewBuilder {
    public static func buildBlock<each Part: View>(_ parts: repeat each Part) -> Group<(repeat each Part)> {
        var all: [any View] = []
        for part in repeat each parts { all.append(part) }
        return Group(parts: all)
    }
    public static func buildBlock<Part: View>(_ part: Part) -> Part { part }
    public static func buildOptional<Part: View>(_ part: Part?) -> Group<Part> { Group(parts: part.map { [$0] } ?? []) }
}

public struct Group<Content>: View, Primitive {
    fileprivate let parts: [any View]
    fileprivate func visit(_ visitor: Visitor) { for part in parts { visitor.visit(part) } }
}

public struct VStack<Content: View>: View, Primitive {
    private let content: Content
    public init(@ViewBuilder content: () -> Content) { self.content = content() }
    fileprivate func visit(_ visitor: Visitor) { visitor.visit(content) }
}

public struct Text: View, Primitive {
    private let text: String
    public init(_ text: String) { self.text = text }
    fileprivate func visit(_ visitor: Visitor) { visitor.texts.append(text) }
}

public struct ProgressView: View, Primitive {
    public init() {}
    fileprivate func visit(_ visitor: Visitor) { visitor.texts.append("…") }
}

public struct Button: View, Primitive {
    private let title: String
    private let action: @MainActor () -> Void
    public init(_ title: String, action: @escaping @MainActor () -> Void) {
        (self.title, self.action) = (title, action)
    }
    fileprivate func visit(_ visitor: Visitor) { visitor.buttons[title] = action }
}

public struct Disabled<Content: View>: View, Primitive {
    fileprivate let content: Content
    fileprivate let isDisabled: Bool
    fileprivate func visit(_ visitor: Visitor) {
        let former = visitor.buttons
        visitor.visit(content)
        if isDisabled { visitor.buttons = former }
    }
}

extension View {
    public func disabled(_ isDisabled: Bool) -> some View { Disabled(content: self, isDisabled: isDisabled) }
}

@propertyWrapper @MainActor public struct State<Value> {
    @Observable fileprivate final class Box {
        var value: Value
        init(_ value: Value) { self.value = value }
    }
    private let box: Box
    public init(wrappedValue: Value) { box = Box(wrappedValue) }
    public var wrappedValue: Value {
        get { box.value }
        nonmutating set { box.value = newValue }
    }
}

@MainActor public protocol Scene {}

public struct WindowGroup: Scene {
    fileprivate let content: any View
    public init(@ViewBuilder content: () -> some View) { self.content = content() }
}

@MainActor public protocol App {
    associatedtype Body: Scene
    init()
    var body: Body { get }
}

extension App {
    /// Shows the window, taps one button each second, as the arguments name them, and ends. '=now' waits until a text ends in 'now'.
    public static func main() {
        guard let window = Self().body as? WindowGroup else { return }
        let host = Host(window.content)
        for title in CommandLine.arguments.dropFirst() {
            if title.hasPrefix("=") {
                while !host.shown.texts.contains(where: { $0.hasSuffix(title.dropFirst()) }) { turn() }
                continue
            }
            VirtualClock().advance(nanoseconds: 1_000_000_000)
            host.tap(title)
            turn()
        }
        print(host.shown.texts.joined(separator: " | "))
    }

    /// Lets the main queue run what waits, and what that makes wait: bodies, and tasks of the main actor.
    private static func turn() {
        for _ in 0..<20 {
            let isOver = Flag()
            DispatchQueue.main.async { isOver.isSet = true }
            while !isOver.isSet { _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 1)) }
        }
    }
}

private final class Flag: @unchecked Sendable {  // Used by the main thread alone.
    var isSet = false
}

/// What a run of a body shows.
@MainActor private final class Visitor {
    var texts: [String] = []
    var buttons: [String: @MainActor () -> Void] = [:]
    var children: [Host] = []
    private let former: [Host]

    init(former: [Host]) { self.former = former }

    func visit(_ view: any View) {
        if let primitive = view as? any Primitive { return primitive.visit(self) }
        let place = children.count
        if place < former.count, former[place].takes(view) { return children.append(former[place]) }
        children.append(Host(view))
    }
}

/// A view with a body, and what it shows.
@MainActor private final class Host {
    private var view: any View
    private var visitor = Visitor(former: [])

    init(_ view: any View) {
        self.view = view
        run()
    }

    var shown: Visitor {
        let all = Visitor(former: [])
        collect(into: all)
        return all
    }

    private func collect(into all: Visitor) {
        all.texts += visitor.texts
        all.buttons.merge(visitor.buttons) { $1 }
        for child in visitor.children { child.collect(into: all) }
    }

    func tap(_ title: String) {
        guard let action = shown.buttons[title] else { return print("There is no enabled button \(title).") }
        action()
    }

    /// Whether `new` is the view that it shows already: of the same type, with the same objects.
    func takes(_ new: any View) -> Bool {
        func objects(_ view: any View) -> [ObjectIdentifier] {
            Mirror(reflecting: view).children.compactMap { child in
                type(of: child.value) is AnyClass ? ObjectIdentifier(child.value as AnyObject) : nil
            }
        }
        return type(of: new) == type(of: view) && objects(new) == objects(view)
    }

    private func run() {
        withObservationTracking {
            let next = Visitor(former: visitor.children)
            next.visit(Self.content(of: view))
            visitor = next
        } onChange: { [weak self] in
            DispatchQueue.main.async { self?.run() }
        }
    }

    private static func content(of view: some View) -> any View { view.body }
}
