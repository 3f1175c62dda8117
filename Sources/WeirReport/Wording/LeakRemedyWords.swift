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
        if !remedy.alternatives.isEmpty, remedy.kind != .cancelTask, remedy.kind != .captureWeakly {
            return choice(remedy)
        }
        switch remedy.kind {
        case .captureWeakly:
            if let proxy = remedy.alternatives.first, proxy.kind == .holdWeakly {
                return "\(weakHold(remedy)), or, if nothing else holds \(escaped(proxy.subject)), \(weakHold(proxy))"
            }
            let removal = remedy.alternatives.first.map {
                ", or remove the closure from .\(LeakSteps.escapedAndCut($0.property ?? "", 80)) of \(escaped($0.subject)) when it "
                    + "is no longer wanted"
            }
            // The compiler refuses a weak variable of the closure around.
            let inner =
                remedy.hasConcurrentClosures
                ? ", and again in each `@Sendable` closure inside it that uses \(remedy.isSelf ? "self" : "it")" : ""
            return weakHold(remedy) + inner + (removal ?? "")
        case .endRecursion:
            let function = site == nil ? remedy.function.map { LeakSteps.escapedAndCut($0, 100) } : nil
            return
                "set the variable that holds \(function ?? "the closure")\(at ?? "") to nil when it is done, or make the "
                + "closure a function"
        case .cancelTask where remedy.isAwaited:
            let waiting = remedy.waiting.map { " made at \(LeakSteps.escapedAndCut($0.description, 100))" }
            return "hold \(subject ?? "the object") weakly while the task\(waiting ?? "") waits, or cancel the task"
                + "\(at.map { " made" + $0 } ?? " for which it waits") if nothing else needs it"
        case .cancelTask:
            let weakly =
                remedy.isLoop || remedy.weakly.isEmpty
                ? subject.map { holding($0, remedy) } ?? "" : ", and " + remedy.weakly.map(weakHold).joined()
            let resume = remedy.alternatives.first.map { resuming in
                let isTask = resuming.site != nil && resuming.site == remedy.site
                return ", or resume the continuation if \(isTask ? "the task" : waiter(resuming)) waits for one"
            }
            return "cancel the task\(at.map { " made" + $0 } ?? "") when this should go\(weakly)\(resume ?? "")"
        case .resumeContinuation: return "resume the continuation that \(waiter(remedy)) waits for"
        case .stopCaller:
            if let property {
                let (end, name) = property == "Timer" ? ("invalidate", "timer") : ("end", property.lowercased())
                return
                    "\(end) the \(name) made\(at ?? " with the closure drawn above") when this should go, and "
                    + (remedy.weakly.first.map(weakHold) ?? "capture \(subject ?? "the object") weakly in its closure")
            }
            return
                "cancel what calls the closure\(at ?? " drawn above") when this should go, and "
                + (remedy.weakly.first.map(weakHold) ?? "capture \(subject ?? "the object") weakly in it")
        case .awaitWork: return "await its work before \(missedCheckpoint)"
        case .takeValueFirst:
            let closure = LeakSteps.autoclosure(remedy.function)
            return
                "take the value that the \(closure)\(site.map { " (\($0))" } ?? "") needs before the call: an autoclosure cannot capture "
                + "\(remedy.isSelf ? "self" : subject ?? "the object") weakly"
        case .invalidateSession:
            return
                "call finishTasksAndInvalidate() or invalidateAndCancel() of the URLSession when this should go: it keeps its delegate until then"
        case .holdWeakly: return weakHold(remedy)
        case .removeFromCollection:
            return
                "hold \(held(remedy)) weakly in .\(property ?? "") of \(subject ?? ""), or remove it from there when this should go"
        case .breakCycle:
            guard let property, let subject else {
                return "break the cycle at one of its references: clear it when this should go, or make it weak"
            }
            return "clear .\(property) of \(subject) when this should go, or hold the object weakly in it"
        case .replaceAssign:
            return "`assign(to: &$property)`, or `sink` with [weak self], instead of `assign(to:on:)`, which holds "
                + (subject ?? "its object")
        case .dispose:
            let made = site.map { " made at \($0)" } ?? ""
            guard let subject else { return disposal(made: made, isOpen: isOpen) }
            // A bag of the captured object is kept alive with it, and then the subscription is in a bag already.
            let inner = remedy.weakly.first.map(weakHold)
            if isOfBag {
                let (weak, which) =
                    inner.map { ($0, made) } ?? (
                        "capture \(subject) weakly in the handler of the subscription\(made)", ""
                    )
                return
                    "\(weak), and dispose the subscription\(which) with its "
                    + "owner, if no bag does so yet: `.disposed(by: bag)`"
            }
            return disposal(made: made, isOpen: isOpen) + ", and "
                + (inner ?? "capture \(subject) weakly in its handler")
        case .letGo:
            if remedy.holder == .taskResult { return "release the task whose result holds it" }
            if let holder = remedy.holder {
                return "remove it from \(LeakSteps.escapedAndCut(holder.description, 80))"
            }
            guard let subject else { return isHolderUnknown ? nil : "release it where it is held from outside" }
            return property.map { "release it in \(subject): \($0) holds it" } ?? "remove it from \(subject)"
        case .endEarlier:
            if let list = finding.collection {
                return
                    "if \(list.owner == nil ? "it" : "the list") should not grow, remove from \(name(of: list)) what is no longer needed"
            }
            if let site { return "end what the line \(site) makes in one round before the next begins" }
            return "release the objects of \(subject ?? "this type") made in one round before the next begins"
        }
    }

    /// A closure without a line: that of a subscription, or else its name; nil if neither is known.
    private func closure(of remedy: LeakRemedy) -> String? {
        if let site = remedy.subscriptionSite {
            return "the closure of the subscription made at \(LeakSteps.escapedAndCut(site.description, 100))"
        }
        return remedy.function.map { LeakSteps.escapedAndCut($0, 100) }
    }

    /// How a closure or a property holds an object weakly.
    private func weakHold(_ remedy: LeakRemedy) -> String {
        let object = remedy.subject == nil ? "the object" : escaped(remedy.subject)
        guard remedy.kind == .holdWeakly else {
            let site = remedy.site.map { " at \(LeakSteps.escapedAndCut($0.description, 100))" }
            let function = remedy.function.map { LeakSteps.escapedAndCut($0, 100) }
            // A function has no capture list.
            if remedy.functionKind == .function {
                let what = function.map { $0.hasPrefix("method reference") ? "the \($0)" : "the function \($0)" }
                return "replace \(what ?? "the function")\(site ?? "") by a closure that captures "
                    + (remedy.isSelf ? "[weak self]" : "\(object) weakly")
            }
            return "capture \(remedy.isSelf ? "[weak self]" : "\(object) weakly")"
                + (site ?? " in \(closure(of: remedy) ?? "the closure drawn above")")
        }
        guard let property = remedy.property.map({ LeakSteps.escapedAndCut($0, 80) }) else {
            return "hold one of these objects weakly"
        }
        let whose = remedy.subject == nil ? "" : " of \(object)"
        return property == "delegate"
            ? "hold the delegate\(whose) weakly: `weak var delegate`"
            : "hold .\(property)\(whose) weakly: `weak var \(property)`"
    }

    /// References of which one must not own its object: "hold .view of Presenter weakly, or .presenter of Screen, whichever does
    /// not own the other".
    private func choice(_ remedy: LeakRemedy) -> String {
        let all = [remedy] + remedy.alternatives
        let named = all.map { one in
            let place = ".\(LeakSteps.escapedAndCut(one.property ?? "", 80)) of \(escaped(one.subject))"
            return one.kind == .holdWeakly ? place : "the \(held(one)) in \(place)"
        }
        let last = all[all.count - 1]
        let isPair = all.count == 2 && remedy.held == last.subject && last.held == remedy.subject
        let list = named.dropFirst().dropLast().map { ", \($0)" }.joined()
        return "hold \(named[0]) weakly\(list), or \(named[named.count - 1]), whichever does not own "
            + (isPair ? "the other" : "its object")
    }

    /// How a task that is cancelled holds an object weakly, to be appended.
    private func holding(_ subject: String, _ remedy: LeakRemedy) -> String {
        if let child = remedy.child {
            let made = child.madeAt.map {
                (remedy.isAsyncLet ? "its `async let` at " : "its child task made at ")
                    + LeakSteps.escapedAndCut($0.description, 100)
            }
            // The compiler makes a closure of the value of an `async let`.
            let task =
                made
                ?? (child.kind == .autoclosure
                    ? "its `async let`" : "its child task that runs \(LeakSteps.escapedAndCut(child.function, 100))")
            return ", and hold \(subject) weakly in it and in "
                + (remedy.isLoop ? "the loop of \(task)" : "\(task) while that waits")
        }
        guard remedy.isLoop else {
            return remedy.isCapture
                ? ", capture \(subject) weakly in it, and keep no strong reference to it across an await"
                : ", and hold \(subject) weakly while it waits"
        }
        // A weak self has no sequence to loop over.
        let node = remedy.isSelf ? remedy.sequence.flatMap { definitions?.nodes[$0] } : nil
        let values = node.flatMap { node in
            node.label?.split(separator: ".").last.map { (node.technique == .traced ? "$" : "") + $0 }
        }
        if let capture = remedy.weakly.first {
            return ", hold \(subject) weakly in its loop, and \(weakHold(capture))"
        }
        return ", and hold \(subject) weakly in its loop"
            + (values.map { ": `[weak self, values = \(LeakSteps.escapedAndCut($0, 80)).values]`" } ?? "")
    }

    /// What waits for a continuation: a function by its name, a closure by its line.
    private func waiter(_ remedy: LeakRemedy) -> String {
        if remedy.functionKind == .closure, let site = remedy.site {
            return "the closure at \(LeakSteps.escapedAndCut(site.description, 100))"
        }
        return remedy.function.map { LeakSteps.escapedAndCut($0, 100) } ?? "the task"
    }

    private func held(_ remedy: LeakRemedy) -> String { remedy.held.map { escaped($0) } ?? "object" }

    private func escaped(_ type: String?) -> String { LeakSteps.escapedAndCut(SourceType.written(type ?? ""), 80) }

    private var missedCheckpoint: String {
        if case .checkpoint(let name) = finding.expectation?.deadline {
            return "checkpoint “\(LeakSteps.escapedAndCut(name, 100))”"
        }
        return "that"
    }

    /// Whether the subscription is merely open at the end: it may be in a bag that is still alive.
    private var isOpen: Bool { if case .openSubscription = finding.example { true } else { false } }

    /// The technique of the node that the subscription observes.
    private var technique: NodeTechnique {
        let source = finding.subscription.flatMap { definitions?.subscriptions[$0]?.source }
        return source.flatMap { definitions?.nodes[$0]?.technique } ?? .weir
    }

    private var isLoop: Bool { finding.subscription.map { node(inLoop: $0) != nil } == true }

    /// Whether a bag may hold the subscription.
    private var isOfBag: Bool {
        !isOpen && !isLoop && awaited == nil && [NodeTechnique.weir, .traced, .observation].contains(technique)
    }

    /// How to end a subscription, in the terms of the technique that the program uses.
    private func disposal(made: String, isOpen: Bool) -> String {
        if isLoop {
            let names = sources(finding.subscription.flatMap { definitions?.subscriptions[$0] })
            return (isOpen ? "if its work is over by then, " : "") + "cancel the task that loops over \(names)"
        }
        if let awaited {
            return (isOpen ? "if its work is over by then, " : "")
                + "cancel the task that awaits the first value of \(awaited)"
        }
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
