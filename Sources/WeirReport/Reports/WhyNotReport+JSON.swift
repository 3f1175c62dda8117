import WeirAnalysis
import WeirTrace

extension WhyNotReport {
    /// The result for a program; 'What the command prints as JSON' lists the fields.
    package var json: JSONValue {
        let stops = StopLines(
            topology.definitions, timeScale: timeScale, reached: Set(result.reached.map(\.node)), style: .plain)
        var members: [JSONValue.Member] = []
        func add(_ name: String, _ value: JSONValue) { members.append(.init(name: name, value: value)) }
        add("node", .unsigned(UInt64(result.node)))
        add("name", .string(topology.definitions.name(ofNode: result.node)))
        add("value", result.value.json)
        add("valueForm", .string(result.value.formName))
        add("lastChange", result.lastChange.map { .string($0.description) } ?? .null)
        add("stimulus", .string(result.stimulus.id.description))
        add("stimulusNumber", result.stimulusNumber.map(JSONValue.unsigned) ?? .null)
        add("stimulusText", result.stimulus.kind == .stimulusBegan ? .string(result.stimulus.text) : .null)
        switch result.outcome {
        case .changed(let reached):
            add("outcome", .string(isRepeated(reached) ? "repeated" : "changed"))
            add("calledHandlers", sites(called(behind: reached.node)))
        case .stopped(let found):
            add("outcome", "stopped")
            if !result.heldBack.isEmpty { add("heldBack", .array(result.heldBack.map(json))) }
            add("stops", .array(found.map { stops.json($0) }))
            add("omittedStops", .signed(Int64(result.omittedStops)))
        case .released: add("outcome", "released")
        case .notYetMade: add("outcome", "notYetMade")
        case .unconnected(let roots):
            add("outcome", "unconnected")
            add("roots", .array(roots.map { .string(topology.definitions.name(ofNode: $0)) }))
            add(
                "mustComplete", .array(result.completingRoots.map { .string(topology.definitions.name(ofNode: $0)) }))
            add("heldBack", .array(result.heldBack.map(json)))
            add("isWritten", .bool(result.isWritten))
            add("isSetElsewhere", .bool(result.isSetElsewhere))
            add("calledHandlers", sites(result.calledHandlers))
            add("waitingHandlers", sites(result.waitingHandlers))
        }
        if let release = result.release { add("release", .string(release.description)) }
        if let batched = result.batchedWrite {
            add("batchedWrite", .string(batched.write.description))
            if case .replaced(let newer) = batched.fate { add("replacedBy", .string(newer.description)) }
        }
        if let change = result.laterChange {
            add("laterChange", .string(change.step.event.id.description))
            add("laterChangeIsUntraced", .bool(change.isUntraced))
            add("laterOrigin", change.origin.map { .string($0.id.description) } ?? .null)
        }
        if let root = result.laterRoot { add("laterRoot", .string(root.step.event.id.description)) }
        if let former = result.formerSubscription { add("formerSubscription", stops.json(former)) }
        if let stop = result.laterStop { add("laterStop", .string(stop.event.id.description)) }
        add("writersSince", result.writersSince.map { .unsigned(timeScale.nanosecondsSinceStart($0)) } ?? .null)
        if let handlers = result.handlers {
            add("handlersCalled", .array(handlers.called.map { .unsigned(UInt64($0)) }))
            add("handlerStops", .array(handlers.stops.map { stops.json($0) }))
        }
        if !result.unheardHandlers.isEmpty { add("unheardHandlers", .array(result.unheardHandlers.map(json))) }
        if !result.releasedObjects.isEmpty { add("releasedObjects", .array(result.releasedObjects.map(json))) }
        if !result.silentFeeds.isEmpty { add("silentFeeds", .array(result.silentFeeds.map(json))) }
        if !result.unconnectedMulticasts.isEmpty {
            add("unconnectedMulticasts", .array(result.unconnectedMulticasts.map { .unsigned(UInt64($0)) }))
        }
        if !result.stopsElsewhere.isEmpty {
            add("stopsElsewhere", .array(result.stopsElsewhere.map { stops.json($0) }))
        }
        add("reached", .array(result.reached.map(json)))
        return .object(members)
    }

    func sites(_ subscriptions: [UInt32]) -> JSONValue {
        .array(
            subscriptions.map { id in
                topology.definitions.subscriptions[id]?.site.map { .string($0.description) } ?? .null
            })
    }

    func json(_ held: WhyNot.Held) -> JSONValue {
        let (event, subscription): (EventID?, UInt32?) =
            switch held.what {
            case .suppressed(let step): (step.event.id, nil)
            case .received(let event, let id): (event, id)
            case .signals(let id): (nil, id)
            }
        let waiting = WaitingWords(
            definitions: topology.definitions, phrases: EventPhrases(topology.definitions, style: .plain))
        return [
            "node": .unsigned(UInt64(held.node)), "name": .string(topology.definitions.name(ofNode: held.node)),
            "event": event.map { .string($0.description) } ?? .null,
            "subscription": subscription.map { .unsigned(UInt64($0)) } ?? .null,
            "remedy": waiting.words(held).map { .string($0.remedy) } ?? .null,
        ]
    }

    func json(_ handler: WhyNot.UnheardHandler) -> JSONValue {
        let (end, reason): (EventID?, UInt8?) =
            switch handler.fate {
            case .waited: (nil, nil)
            case .ended(let event, let reason): (event, reason)
            }
        return [
            "subscription": .unsigned(UInt64(handler.subscription)),
            "site": topology.definitions.subscriptions[handler.subscription]?.site.map { .string($0.description) }
                ?? .null,
            "end": end.map { .string($0.description) } ?? .null,
            "endReason": reason.map { .string(SubscriptionEndReason.jsonName($0)) } ?? .null,
        ]
    }

    func json(_ released: WhyNot.ReleasedObject) -> JSONValue {
        [
            "object": .unsigned(UInt64(released.object)),
            "name": topology.definitions.objects[released.object].map { .string($0.name) } ?? .null,
            "event": .string(released.event.description),
        ]
    }

    func json(_ feed: WhyNot.SilentFeed) -> JSONValue {
        [
            "node": .unsigned(UInt64(feed.node)), "name": .string(topology.definitions.name(ofNode: feed.node)),
            "source": .unsigned(UInt64(feed.source)),
            "sourceName": .string(topology.definitions.name(ofNode: feed.source)), "value": feed.value.json,
            "valueForm": .string(feed.value.formName),
        ]
    }

    func json(_ reached: WhyNot.Reached) -> JSONValue {
        [
            "node": .unsigned(UInt64(reached.node)),
            "name": .string(topology.definitions.name(ofNode: reached.node)),
            "emissions": .unsigned(reached.emissions), "refreshes": .unsigned(reached.refreshes),
            "first": .string(reached.first.description), "last": .string(reached.last.description),
            "next": reached.next.map { .string($0.description) } ?? .null,
            "value": reached.value.json, "valueForm": .string(reached.value.formName),
        ]
    }
}

/// A stop for a program.
extension StopLines {
    /// The stop for a program.
    func json(_ stop: WhyNot.Stop) -> JSONValue {
        var members: [JSONValue.Member] = []
        func add(_ name: String, _ value: JSONValue) { members.append(.init(name: name, value: value)) }
        add("node", .unsigned(UInt64(stop.node)))
        add("name", .string(definitions.name(ofNode: stop.node)))
        add("path", .array(stop.path.map { .string(definitions.name(ofNode: $0)) }))
        var subscription: UInt32?
        switch stop.reason {
        case .suppressed(let step):
            add("reason", .string(SuppressionReason.jsonName(step.event.reason)))
            add("event", .string(step.event.id.description))
            if let writeSite = step.writeSite { members += WriteSiteWords.json(writeSite) }
        case .ended(let step):
            add("reason", .string(step.event.kind.name))
            add("event", .string(step.event.id.description))
        case .madeNothing(let event, let id):
            add("reason", "madeNothing")
            add("event", .string(event.description))
            subscription = id
        case .handlerDidNotWrite(let event, let id):
            add("reason", "handlerDidNotWrite")
            add("event", .string(event.description))
            subscription = id
        case .subscriptionEnded(let step, let id):
            add("reason", "subscriptionEnded")
            add("event", step.map { .string($0.event.id.description) } ?? .null)
            add("endReason", step.map { .string(SubscriptionEndReason.jsonName($0.event.reason)) } ?? .null)
            add("endedBy", ending(stop)?.ender.map { .string($0) } ?? .null)
            subscription = id
        case .notYetSubscribed(let event, let id):
            add("reason", "notYetSubscribed")
            add("event", event.map { .string($0.description) } ?? .null)
            subscription = id
        case .waitsForActor(let event, let id):
            add("reason", "waitsForActor")
            add("event", .string(event.description))
            subscription = id
        case .notDelivered(let id):
            add("reason", "notDelivered")
            subscription = id
        }
        if let subscription {
            add("subscription", .unsigned(UInt64(subscription)))
            add("site", definitions.subscriptions[subscription]?.site.map { .string($0.description) } ?? .null)
        }
        add("remedy", .string(plain.remedy(stop)))
        return .object(members)
    }

    var plain: StopLines {
        StopLines(definitions, timeScale: timeScale, reached: reached, style: .plain)
    }
}
