/// The output of `weir graph` for the sample Lookup.
extension GraphGoldenTests {
    // swift-format-ignore
    static let lookupText = #"""
        lookup.weir: 57 nodes and 64 edges, over the whole recording of … events

                                                kind        emitted  refreshed  suppressed  activity
        LookupServer
          requested                             emitter           8          ·           ·  █████▎
        LookupModel
          username                              observable        4          ·           ·  ██▋
              → usernameValid
          fullName                              observable        2          ·           ·  █▎
              → current LookupView.swift:39
          avatar                                observable        2          ·           ·  █▎
              → current LookupView.swift:40
          posts                                 array             4          ·           6  ██████▋
              → table, map LookupView.swift:45 ×2
          allPostsLoaded                        observable        2          ·           4  ████
              → table, canLoadMore, map LookupView.swift:45 ×2
          shownUser                             observable        2          ·           ·  █▎
          usernameValid                         combiner          1          ·           3  ██▋
              → fetch.isEnabled, current LookupModel.swift:31
          table                                 combiner          4          ·           6  ██████▋
          fetch.isExecuting                     observable        6          ·           ·  ████
              → fetch.isEnabled, canLoadMore
          fetch.isEnabled                       observable        7          ·           ·  ████▋
          fetch.executions                      emitter           3          ·           ·  ██
              ~> takeUntil LookupModel.swift:46 ×2
          fetch.values                          emitter           2          2           ·  ██▋
              → 1 handler
              ⇢ fullName, avatar, posts, allPostsLoaded, shownUser
          fetch.errors                          emitter           1          ·           ·  ▋
              → merge LookupView.swift:41
          fetch                                 command           3          ·           ·  ██
              → fetch.execution ×3
          canLoadMore                           combiner          2          ·           6  █████▎
              → loadMore.isEnabled
          loadMore.isExecuting                  observable        4          ·           ·  ██▋
              → loadMore.isEnabled
          loadMore.isEnabled                    observable        4          ·           2  ████
          loadMore.executions                   emitter           2          ·           ·  █▎
          loadMore.values                       emitter           2          2           ·  ██▋
              → 1 handler
              ⇢ posts, allPostsLoaded
          loadMore.errors                       emitter           ·          ·           ·
              → merge LookupView.swift:41
          loadMore                              command           2          ·           2  ██▋
              → loadMore.execution ×2
          fetch.execution ×3                    execution         2          ·           ·  █▎
              → fetch.values
              ⇢ LookupServer.requested, fetch.isExecuting, fetch.executions, fetch.errors
          loadMore.execution ×2                 execution         2          ·           ·  █▎
              → loadMore.values
              ⇢ LookupServer.requested, loadMore.isExecuting, loadMore.executions
        LookupView
          usernameEdited                        emitter           4          ·           ·  ██▋
              → LookupModel.username
          goButtonTouched                       emitter           3          3           ·  ████
              → 1 handler
              ⇢ LookupModel.fetch
          loadingCellAppeared                   emitter           4          4           ·  █████▎
              → 1 handler
              ⇢ LookupModel.loadMore
        no owner: LookupModel.swift
          current LookupModel.swift:31                            4          2           ·  ████
              → binding LookupView.swift:37, map LookupView.swift:38
          deliver(on:) LookupModel.swift:41 ×3                    2          ·           ·  █▎
              → LookupModel.fetch.execution ×3
          zip LookupModel.swift:39 ×3                             2          ·           2  ██▋
              → deliver(on:) LookupModel.swift:41 ×3
          takeUntil LookupModel.swift:46 ×2                       2          ·           ·  █▎
              → LookupModel.loadMore.execution ×2
          deliver(on:) LookupModel.swift:46 ×2                    2          ·           ·  █▎
              → takeUntil LookupModel.swift:46 ×2
        no owner: LookupView.swift
          binding LookupView.swift:37                             ·          ·           ·
          map LookupView.swift:38                                 2          2           ·  ██▋
              → binding LookupView.swift:38
          binding LookupView.swift:38                             ·          ·           ·
          current LookupView.swift:39                             3          3           ·  ████
              → binding LookupView.swift:39
          binding LookupView.swift:39                             ·          ·           ·
          current LookupView.swift:40                             3          3           ·  ████
              → binding LookupView.swift:40
          binding LookupView.swift:40                             ·          ·           ·
          map LookupView.swift:41                                 1          1           ·  █▎
              → binding LookupView.swift:41
          binding LookupView.swift:41                             ·          ·           ·
          merge LookupView.swift:41                               1          ·           ·  ▋
              → map LookupView.swift:41
          buffer LookupView.swift:46                              4          4           ·  █████▎
              → 1 handler
              ⇢ PostCell.model ×5
          merge LookupView.swift:45                               6          ·           ·  ████
              → buffer LookupView.swift:46
          map LookupView.swift:45 ×2                              6          ·           ·  ████
              → merge LookupView.swift:45
        no owner: LookupServer.swift
          map LookupServer.swift:67 ×8                            6          ·           ·  ████
              → zip LookupModel.swift:39 ×3, deliver(on:) LookupModel.swift:46 ×2
          delay LookupServer.swift:67 ×8                          7          ·           1  █████▎
              → map LookupServer.swift:67 ×8
          source LookupServer.swift:61 ×8                         8          ·           ·  █████▎
              → delay LookupServer.swift:67 ×8
        PostCellModel
          authorName ×6                         observable        ·          ·           ·
              → current PostCellModel.swift:9 ×6
          text ×6                               observable        ·          ·           ·
              → current PostCellModel.swift:10 ×6
        PostCell
          model ×5                              observable        6          ·           6  ████████
              → flatMap PostCell.swift:11 ×5, flatMap PostCell.swift:12 ×5
        no owner: PostCell.swift
          flatMap PostCell.swift:11 ×5                            6          6           ·  ████████
              → binding PostCell.swift:11 ×5
          binding PostCell.swift:11 ×5                            ·          ·           ·
          flatMap PostCell.swift:12 ×5                            6          6           ·  ████████
              → binding PostCell.swift:12 ×5
          binding PostCell.swift:12 ×5                            ·          ·           ·
        no owner: PostCellModel.swift
          current PostCellModel.swift:9 ×6                        6          ·           ·  ████
              → flatMap PostCell.swift:11 ×5
          current PostCellModel.swift:10 ×6                       6          ·           ·  ████
              → flatMap PostCell.swift:12 ×5

        → feeds   ~> triggers   ⇢ its code writes   ×N: so many drawn as one

        """#
}
