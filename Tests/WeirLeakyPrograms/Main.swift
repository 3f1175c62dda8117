import Weir

// Programs that leak, as apps do; with the argument 'cured', each has the remedy that Weir advises.
//
// A line that Weir must name carries the comment 'leaks'.

/// Whether the remedy is applied.
let isCured = CommandLine.arguments.contains("cured")

@main enum Main {
    private static let programs: [String: @MainActor () async -> Void] = [
        "session": observeSession, "ended session": observeEndedSession, "own observable": observeOwnTitle,
        "map": mapWithSelf, "observer": observeWithSelf,
        "flatMap": searchWithSelf, "interval": tickWithSelf, "command": saveWithSelf, "combine": combineWithSelf,
        "stored closure": closeWithSelf, "nested closures": confirmWithSelf, "recursion": countDown,
        "callbacks of a service": listenToPlayer, "bind": bindWithSelf, "cells": configureCells,
        "delegate": delegateStrongly, "parent": keepParent, "coordinator": coordinate, "pages": linkPages,
        "held cycle": keepCouple, "presenter": present, "any value": keepUserInfo, "tuple": keepPosition,
        "enumeration": keepPhase,
        "static array": cacheScreens, "static variable": rememberScreen, "list of a service": registerScreen,
        "dictionary": keepInDictionary, "no bag": forgetBag, "no bag, no expectation": forgetBags,
        "round trips": comeBack, "growing list": keepLog, "bag of the app": useBagOfApp, "render": renderForever,
        "method": closeWithMethod, "lazy": formatLazily, "bag in its handler": disposeInHandler,
        "value of an observable": selectItem, "static session": observeShared,
        "own bag": observeInOwnBag, "map of a service": observeThroughMap, "combiner of a service": combineShared,
        "orphan": forgetOwner,
        "struct of closures": saveInStruct, "operators": observeThroughOperators, "handlers": keepHandlers,
        "throttle": saveThrottled,
        "task": refreshForever, "awaited method": pollForever, "stream": followStream, "values": followValues,
        "loop": followInLoop,
        "dispatch timer": startTimer, "timer": repeatTimer, "undo": undoRemoval, "token": refreshToken,
        "own values": followStatus, "request": requestOnce, "registered undo": registerUndo,
        "continuation": pickForever, "unfolding": unfoldNumbers, "termination": endPlaces,
        "termination of a loop": leaveRoom, "shared task": openInbox,
        "saving": saveWhileClosing, "messages": receiveMessages,
        "view of a presenter": presentProfile, "delegates": joinRoom, "stack": pushScreen, "plugin": plugIn,
        "autoclosure": logLater,
        "group": loadInGroup, "throwing group": loadInThrowingGroup, "discarding group": loadInDiscardingGroup,
        "async let": loadDashboard, "work item": searchLater,
        "operation": encodeInOperation, "thread": encodeInThread, "first": waitForFirst,
        "two tasks": playInTwoTasks, "two children": loadInTwoChildren,
        "growing cache": growInCache, "three handlers": showHeader, "routes": routeToPage,
        "nested concurrent closure": registerWithSelf,
        "helper of a timer": measureByHelper, "helper of a subscription": followByHelper,
        "debouncer": debounceSuggestions, "proxy": shakeByProxy, "timer of a presenter": presentByTimer,
        "mapped sequence": tickMapped,
    ]

    @MainActor static func main() async {
        guard CommandLine.arguments.count > 1, let program = programs[CommandLine.arguments[1]] else {
            fatalError("Which program?")
        }
        await program()
        Trace.stop()
    }
}

/// Ends the recording while `object` still lives.
@MainActor func stop(holding object: AnyObject) {
    Trace.stop()
    withExtendedLifetime(object) {}
}

/// A session that outlives all screens.
final class Session: @unchecked Sendable {  // Programs run on the main actor.
    let user = Observable("")
    let position = Observable(0)
}

/// Opens and closes a screen, which should then be gone.
@MainActor func close<Screen: AnyObject>(_ open: () -> Screen) {
    let screen = open()
    Trace.track(screen)
    Trace.expectReleased(screen)
}
