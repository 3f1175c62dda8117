// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// The declarations of UIKit that the walkthrough uses, for a system without it, and a user who types and taps.
import Weir

@MainActor open class UIResponder {
    public init() {}
}

@MainActor public protocol UIApplicationDelegate: AnyObject {
    init()
    var window: UIWindow? { get set }
    func application(
        _ application: UIApplication, didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool
}

public final class UIApplication: UIResponder {
    public struct LaunchOptionsKey: Hashable, Sendable {}
}

public final class UIWindow: UIResponder {
    public var rootViewController: UIViewController?
    public func makeKeyAndVisible() { rootViewController?.loadViewIfNeeded() }
}

extension UIApplicationDelegate {
    /// Starts the app, and does what the arguments say, one action each second: 'Save' taps that button, 'name=Maruko' types a text.
    public static func main() {
        let delegate = Self()
        _ = delegate.application(UIApplication(), didFinishLaunchingWithOptions: nil)
        for action in CommandLine.arguments.dropFirst() {
            let parts = action.split(separator: "=", maxSplits: 1).map(String.init)
            let views = delegate.window?.rootViewController?.front.view.subviews ?? []
            if parts.count == 2 {
                let field = views.lazy.compactMap { $0 as? UITextField }.first { $0.placeholder == parts[0] }
                for letter in parts[1] {
                    VirtualClock().advance(nanoseconds: 1_000_000_000)
                    field?.text = (field?.text ?? "") + String(letter)
                    field?.sendActions(for: .editingChanged)
                }
            } else if let button = views.lazy.compactMap({ $0 as? UIButton }).first(where: { $0.title == action }),
                button.isEnabled
            {
                VirtualClock().advance(nanoseconds: 1_000_000_000)
                button.sendActions(for: .primaryActionTriggered)
            } else {
                print("There is no enabled button \(action).")
            }
        }
    }
}

open class UIViewController: UIResponder {
    public let view = UIView()
    public private(set) var presentedViewController: UIViewController?
    private weak var presentingViewController: UIViewController?
    private var isLoaded = false

    open func viewDidLoad() {}
    open func viewDidDisappear(_ isAnimated: Bool) {}

    public func loadViewIfNeeded() {
        guard !isLoaded else { return }
        isLoaded = true
        viewDidLoad()
    }

    public func present(_ controller: UIViewController, animated: Bool) {
        presentedViewController = controller
        controller.presentingViewController = self
        controller.loadViewIfNeeded()
    }

    public func dismiss(animated: Bool) {
        guard let presented = presentedViewController else {
            return presentingViewController?.dismiss(animated: animated) ?? ()
        }
        presentedViewController = nil
        presented.viewDidDisappear(animated)
    }

    /// The controller whose view is in front.
    fileprivate var front: UIViewController { presentedViewController?.front ?? self }
}

open class UIView: UIResponder {
    public private(set) var subviews: [UIView] = []
    public func addSubview(_ view: UIView) { subviews.append(view) }
}

public final class UILabel: UIView {
    public var text: String?
}

@MainActor public final class UIAction {
    fileprivate let handler: (UIAction) -> Void
    public init(handler: @escaping (UIAction) -> Void) { self.handler = handler }
}

open class UIControl: UIView {
    public struct Event: Hashable, Sendable {
        private let name: String
        public static let editingChanged = Event(name: "editingChanged")
        public static let primaryActionTriggered = Event(name: "primaryActionTriggered")
    }

    public var isEnabled = true
    private var actions: [(UIAction, Event)] = []

    public func addAction(_ action: UIAction, for event: Event) { actions.append((action, event)) }
    public func sendActions(for event: Event) {
        for (action, known) in actions where known == event { action.handler(action) }
    }
}

public final class UITextField: UIControl {
    public var text: String?
    public var placeholder: String?
}

public final class UIButton: UIControl {
    fileprivate var title: String?
    public enum State { case normal }
    public func setTitle(_ title: String?, for state: State) { self.title = title }
}
