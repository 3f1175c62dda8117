/// The output of `weir graph` for the sample Login.
extension GraphGoldenTests {
    // swift-format-ignore
    static let loginText = #"""
        login.weir: 12 nodes and 14 edges, over the whole recording of … events

                                       kind        emitted  refreshed  suppressed  activity
        LoginViewModel
          username                     observable        4          4           ·  ███▎
              → usernameValid, 1 handler
          password ‹private›           observable        3          3           ·  ██▌
              → passwordValid, 1 handler
          instruction                  observable        8          8           3  ████████
              → 1 handler
          usernameValid                combiner          4          4           4  █████
              → passwordValid, loginEnabled, 1 handler
              ⇢ instruction
          passwordValid                combiner          4          4           3  ████▋
              → loginEnabled, 1 handler
              ⇢ instruction
              ↺ usernameValid
          loginEnabled                 combiner          4          4           4  █████
              → 1 handler
          usernameDidChange            observer          ·          ·           ·
              ⇢ username
          passwordDidChange            observer          ·          ·           ·
              ⇢ password ‹private›
          loginTouched                 observer          ·          ·           ·
              ⇢ instruction
        LoginView
          usernameDidChange            emitter           3          3           ·  ██▌
              → LoginViewModel.usernameDidChange
          passwordDidChange ‹private›  emitter           2          2           ·  █▋
              → LoginViewModel.passwordDidChange
          loginButtonTouched           emitter           1          1           ·  ▊
              → LoginViewModel.loginTouched

        → feeds   ⇢ its code writes   ↺ leads back, closing a cycle

        """#

    // swift-format-ignore
    static let loginMermaid = #"""
        flowchart TD
        %% solid: feeds; dashed: triggers; dotted: its code writes; red: closes a cycle; warm: busy
            subgraph g0["LoginViewModel"]
                n0["username<br/>observable PublishedLoginModel.swift#58;9<br/>4 emitted, 4 refreshed<br/>1 handler"]:::heat3
                n1["password ‹private›<br/>observable PublishedLoginModel.swift#58;10<br/>3 emitted, 3 refreshed<br/>1 handler"]:::heat2
                n2["instruction<br/>observable PublishedLoginModel.swift#58;11<br/>8 emitted, 8 refreshed, 3 suppressed<br/>1 handler"]:::heat4
                n3["usernameValid<br/>combiner PublishedLoginModel.swift#58;12<br/>4 emitted, 4 refreshed, 4 suppressed<br/>1 handler"]:::heat3
                n4["passwordValid<br/>combiner PublishedLoginModel.swift#58;13<br/>4 emitted, 4 refreshed, 3 suppressed<br/>1 handler"]:::heat3
                n5["loginEnabled<br/>combiner PublishedLoginModel.swift#58;14<br/>4 emitted, 4 refreshed, 4 suppressed<br/>1 handler"]:::heat3
                n6["usernameDidChange<br/>observer PublishedLoginModel.swift#58;16"]:::heat0
                n7["passwordDidChange<br/>observer PublishedLoginModel.swift#58;17"]:::heat0
                n8["loginTouched<br/>observer PublishedLoginModel.swift#58;18"]:::heat0
            end
            subgraph g1["LoginView"]
                n9["usernameDidChange<br/>emitter LoginView.swift#58;18<br/>3 emitted, 3 refreshed"]:::heat2
                n10["passwordDidChange ‹private›<br/>emitter LoginView.swift#58;19<br/>2 emitted, 2 refreshed"]:::heat2
                n11["loginButtonTouched<br/>emitter LoginView.swift#58;20<br/>1 emitted, 1 refreshed"]:::heat1
            end
            n0 --> n3
            n1 --> n4
            n3 -.-> n2
            n3 --> n4
            n3 --> n5
            n4 -.-> n2
            n4 --> n3
            n4 --> n5
            n6 -.-> n0
            n7 -.-> n1
            n8 -.-> n2
            n9 --> n6
            n10 --> n7
            n11 --> n8
            linkStyle 6 stroke:#c0392b
            linkStyle 2,5,8,9,10 stroke-dasharray:2 4
            classDef heat0 fill:#f4f6f8,stroke:#7f8c99,color:#1c2733
            classDef heat1 fill:#fff3c4,stroke:#7f8c99,color:#1c2733
            classDef heat2 fill:#ffdf8c,stroke:#7f8c99,color:#1c2733
            classDef heat3 fill:#ffbc66,stroke:#7f8c99,color:#1c2733
            classDef heat4 fill:#ff9466,stroke:#7f8c99,color:#1c2733

        """#

    // swift-format-ignore
    static let loginDOT = #"""
        digraph "login.weir" {
            graph [label="login.weir, over the whole recording of … events", labelloc=t, fontname="Helvetica", rankdir=TB, newrank=true]
            node [shape=box, style="rounded,filled", fontname="Helvetica", fontsize=11, color="#7f8c99"]
            edge [color="#4b5763", arrowsize=0.7]
            subgraph cluster_0 {
                graph [label="LoginViewModel", style=rounded, color="#b8c1ca"]
                n0 [label="username\nobservable PublishedLoginModel.swift:9\n4 emitted, 4 refreshed\n1 handler", fillcolor="#ffbc66", tooltip="WeirLogin/PublishedLoginModel.swift:9, node 1"]
                n1 [label="password ‹private›\nobservable PublishedLoginModel.swift:10\n3 emitted, 3 refreshed\n1 handler", fillcolor="#ffdf8c", tooltip="WeirLogin/PublishedLoginModel.swift:10, node 2"]
                n2 [label="instruction\nobservable PublishedLoginModel.swift:11\n8 emitted, 8 refreshed, 3 suppressed\n1 handler", fillcolor="#ff9466", tooltip="WeirLogin/PublishedLoginModel.swift:11, node 3"]
                n3 [label="usernameValid\ncombiner PublishedLoginModel.swift:12\n4 emitted, 4 refreshed, 4 suppressed\n1 handler", fillcolor="#ffbc66", tooltip="WeirLogin/PublishedLoginModel.swift:12, node 4"]
                n4 [label="passwordValid\ncombiner PublishedLoginModel.swift:13\n4 emitted, 4 refreshed, 3 suppressed\n1 handler", fillcolor="#ffbc66", tooltip="WeirLogin/PublishedLoginModel.swift:13, node 5"]
                n5 [label="loginEnabled\ncombiner PublishedLoginModel.swift:14\n4 emitted, 4 refreshed, 4 suppressed\n1 handler", fillcolor="#ffbc66", tooltip="WeirLogin/PublishedLoginModel.swift:14, node 6"]
                n6 [label="usernameDidChange\nobserver PublishedLoginModel.swift:16", fillcolor="#f4f6f8", tooltip="WeirLogin/PublishedLoginModel.swift:16, node 10"]
                n7 [label="passwordDidChange\nobserver PublishedLoginModel.swift:17", fillcolor="#f4f6f8", tooltip="WeirLogin/PublishedLoginModel.swift:17, node 11"]
                n8 [label="loginTouched\nobserver PublishedLoginModel.swift:18", fillcolor="#f4f6f8", tooltip="WeirLogin/PublishedLoginModel.swift:18, node 12"]
            }
            subgraph cluster_1 {
                graph [label="LoginView", style=rounded, color="#b8c1ca"]
                n9 [label="usernameDidChange\nemitter LoginView.swift:18\n3 emitted, 3 refreshed", fillcolor="#ffdf8c", tooltip="WeirLogin/LoginView.swift:18, node 7"]
                n10 [label="passwordDidChange ‹private›\nemitter LoginView.swift:19\n2 emitted, 2 refreshed", fillcolor="#ffdf8c", tooltip="WeirLogin/LoginView.swift:19, node 8"]
                n11 [label="loginButtonTouched\nemitter LoginView.swift:20\n1 emitted, 1 refreshed", fillcolor="#fff3c4", tooltip="WeirLogin/LoginView.swift:20, node 9"]
            }
            n0 -> n3 [tooltip="feeds, 4 delivered"]
            n1 -> n4 [tooltip="feeds, 3 delivered"]
            n3 -> n2 [style=dotted, tooltip="its code writes, 5 seen"]
            n3 -> n4 [tooltip="feeds, 4 delivered"]
            n3 -> n5 [tooltip="feeds, 4 delivered"]
            n4 -> n2 [style=dotted, tooltip="its code writes, 5 seen"]
            n4 -> n3 [color="#c0392b", constraint=false, tooltip="feeds, 4 delivered"]
            n4 -> n5 [tooltip="feeds, 4 delivered"]
            n6 -> n0 [style=dotted, tooltip="its code writes, 3 seen"]
            n7 -> n1 [style=dotted, tooltip="its code writes, 2 seen"]
            n8 -> n2 [style=dotted, tooltip="its code writes, 1 seen"]
            n9 -> n6 [tooltip="feeds, 3 delivered"]
            n10 -> n7 [tooltip="feeds, 2 delivered"]
            n11 -> n8 [tooltip="feeds, 1 delivered"]
        }

        """#
}
