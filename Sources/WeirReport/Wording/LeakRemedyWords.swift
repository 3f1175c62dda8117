import WeirAnalysis
import WeirTrace

extension LeakWords {
    /// "Remedy: capture [weak self] at Login/LoginViewModel.swift:64."
    func remedyLine(_ style: Style = .plain) -> String? { remedy.map { style(.strong, "Remedy:") + " \($0)." } }

    /// The sentence that states the remedy; nil: nothing is known about the holder.
    var remedy: String? {
        let remedy = finding.remedy
        let site = remedy.site.map { LeakSteps.escapedAndCut($0.description, 100) }
        let at = site.map { " at \($0)" }
        let subject = remedy.subject.map { LeakSteps.escapedAndCut(SourceType.written($0), 80) }
        let property = remedy.property.map { LeakSteps.escapedAndCut($0, 80) }
        switch remedy.kind {
        case .captureWeakly:
            let what = remedy.isSelf ? "[weak self]" : "\(subject ?? "the object") weakly"
            let function = remedy.function.map { " in \(LeakSteps.escapedAndCut($0, 100))" }
            return "capture \(what)\(at ?? function ?? " in the closure drawn above")"
        case .endRecursion:
            let function = remedy.function.map { LeakSteps.escapedAndCut($0, 100) }
            return
                "set the variable that holds \(function ?? "the closure")\(at ?? "") to nil when it is done, or make the "
                + "closure a function"
        case .cancelTask:
            return "cancel the task\(at.map { " made" + $0 } ?? "") when this should go"
        case .holdWeakly:
            let whose = subject.map { " of \($0)" } ?? ""
            guard let property else { return "hold one of these objects weakly" }
            if property == "delegate" { return "hold the delegate\(whose) weakly: `weak var delegate`" }
            return "hold .\(property)\(whose) weakly: `weak var \(property)`"
        case .breakCycle:
            guard let property, let subject else {
                return "break the cycle at one of its references: clear it when this should go, or make it weak"
            }
            return "clear .\(property) of \(subject) when this should go, or hold the object weakly in it"
        case .replaceAssign:
            return "`assign(to: &$property)`, or `sink` with [weak self], instead of `assign(to:on:)`, which holds "
                + (subject ?? "its object")
        case .dispose:
            // Otherwise a bag that belongs to the captured object would be kept alive with it.
            let capture = subject.map { ", and capture \($0) weakly in its handler" } ?? ""
            return disposal(made: site.map { " made at \($0)" } ?? "", isOpen: isOpen) + capture
        case .letGo:
            if remedy.subject?.hasPrefix("a task") == true, property == nil {
                return
                    "cancel the task when this should go, or let its loop hold it weakly: [weak self], and `self?` inside"
            }
            if remedy.subject?.hasPrefix("the closure at") == true, property == nil {
                return "capture it weakly in that closure, and cancel what calls the closure when this should go"
            }
            guard let subject else { return isHolderUnknown ? nil : "release it where it is held from outside" }
            return property.map { "release it in \(subject): \($0) holds it" } ?? "remove it from \(subject)"
        case .endEarlier:
            return
                "end what \(site.map { "the line \($0)" } ?? subject ?? "it") makes in one round before the next begins"
        }
    }

    /// Whether the subscription is merely open at the end: it may be in a bag that is still alive.
    private var isOpen: Bool { if case .openSubscription = finding.example { true } else { false } }

    /// How to end a subscription, in the terms of the technique that the program uses.
    private func disposal(made: String, isOpen: Bool) -> String {
        let source = finding.subscription.flatMap { definitions?.subscriptions[$0]?.source }
        let technique = source.flatMap { definitions?.nodes[$0]?.technique } ?? .weir
        let disposal =
            switch technique {
            case .combine, .published: "cancel the subscription\(made): `.store(in: &cancellables)`"
            case .asyncSequence:
                "cancel the task whose loop is the subscription\(made), or finish what it waits for"
            case .render: "dispose of the render\(made): keep what `Trace.render` gives, and dispose of that"
            case .callback, .foreign: "end the subscription\(made) together with what it works for"
            case .weir, .traced, .observation:
                isOpen
                    ? "dispose the subscription\(made), or release the bag that holds it"
                    : "dispose the subscription\(made): `.disposed(by: bag)`"
            }
        return (isOpen ? "if its work is over by then, " : "") + disposal
    }
}
