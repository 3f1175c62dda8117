/// The output of `weir graph` for the sample Form.
extension GraphGoldenTests {
    // swift-format-ignore
    static let formText = #"""
        form.weir: 31 nodes and 34 edges, over the whole recording of … events

                                               kind        emitted  refreshed  suppressed  activity
        FormModel
          phone                                observable        4          ·           1  ██▊
              → summary ‹private›, phoneIsValid, phoneField.view
          password ‹private›                   observable        3          ·           1  ██▎
              → summary ‹private›, passwordIsValid, passwordField.view ‹private›
          summary ‹private›                    combiner          6          ·           7  ███████▍
              → current FormView.swift:22 ‹private›
          phoneIsValid                         combiner          2          ·           2  ██▎
              → isValid, current FormModel.swift:27
          passwordIsValid                      combiner          2          ·           1  █▋
              → isValid, current FormModel.swift:28
          isValid                              combiner          2          ·           2  ██▎
              → clear.isEnabled
          phoneField.model                     channel           2          ·           ·  █▏
              → phone
          phoneField.view                      channel           2          3           2  ████
              → binding FormView.swift:18
          passwordField.model ‹private›        channel           2          ·           ·  █▏
              → password ‹private›
          passwordField.view ‹private›         channel           1          2           2  ██▊
              → binding FormView.swift:19 ‹private›
          clear.isExecuting                    observable        2          ·           ·  █▏
              → clear.isEnabled
          clear.isEnabled                      observable        2          ·           2  ██▎
              → current FormView.swift:23
          clear.executions                     emitter           1          ·           ·  ▌
          clear.values                         emitter           1          ·           ·  ▌
          clear                                command           1          ·           ·  ▌
              → clear.execution
          clear.execution                      execution         1          ·           ·  ▌
              → clear.values
              ⇢ phone, password ‹private›, clear.isExecuting, clear.executions
        TextField
          edited ×2 ‹private›                  emitter           4          ·           ·  ██▎
              → FormModel.phoneField.model, FormModel.passwordField.model ‹private›
        FormView
          clearButtonTouched                   emitter           1          1           ·  █▏
              → 1 handler
              ⇢ FormModel.clear
        no owner: FormView.swift
          binding FormView.swift:18                              ·          ·           ·
          binding FormView.swift:19 ‹private›                    ·          ·           ·
          map FormView.swift:20                                  3          3           ·  ███▍
              → binding FormView.swift:20
          binding FormView.swift:20                              ·          ·           ·
          map FormView.swift:21                                  3          3           ·  ███▍
              → binding FormView.swift:21
          binding FormView.swift:21                              ·          ·           ·
          current FormView.swift:22 ‹private›                    7          7           ·  ████████
              → binding FormView.swift:22 ‹private›
          binding FormView.swift:22 ‹private›                    ·          ·           ·
          current FormView.swift:23                              3          3           ·  ███▍
              → binding FormView.swift:23
          binding FormView.swift:23                              ·          ·           ·
        no owner: FormModel.swift
          current FormModel.swift:27                             3          ·           ·  █▋
              → map FormView.swift:20
          current FormModel.swift:28                             3          ·           ·  █▋
              → map FormView.swift:21
          source FormModel.swift:16                              1          ·           ·  ▌
              → FormModel.clear.execution

        → feeds   ⇢ its code writes   ×N: so many drawn as one
        1 node that did nothing and is connected to nothing is left out (--all shows them)

        """#

    // swift-format-ignore
    static let formMermaid = #"""
        flowchart TD
        %% solid: feeds; dashed: triggers; dotted: its code writes; red: closes a cycle; warm: busy
            subgraph g0["FormModel"]
                n0["phone<br/>observable FormModel.swift#58;5<br/>4 emitted, 1 suppressed"]:::heat2
                n1["password ‹private›<br/>observable FormModel.swift#58;6<br/>3 emitted, 1 suppressed"]:::heat2
                n2["summary ‹private›<br/>combiner FormModel.swift#58;24<br/>6 emitted, 7 suppressed"]:::heat3
                n3["phoneIsValid<br/>combiner FormModel.swift#58;27<br/>2 emitted, 2 suppressed"]:::heat2
                n4["passwordIsValid<br/>combiner FormModel.swift#58;28<br/>2 emitted, 1 suppressed"]:::heat2
                n5["isValid<br/>combiner FormModel.swift#58;29<br/>2 emitted, 2 suppressed"]:::heat2
                n6["phoneField.model<br/>channel FormModel.swift#58;30<br/>2 emitted"]:::heat1
                n7["phoneField.view<br/>channel FormModel.swift#58;30<br/>2 emitted, 3 refreshed, 2 suppressed"]:::heat3
                n8["passwordField.model ‹private›<br/>channel FormModel.swift#58;31<br/>2 emitted"]:::heat1
                n9["passwordField.view ‹private›<br/>channel FormModel.swift#58;31<br/>1 emitted, 2 refreshed, 2 suppressed"]:::heat2
                n10["clear.isExecuting<br/>observable FormModel.swift#58;16<br/>2 emitted"]:::heat1
                n11["clear.isEnabled<br/>observable FormModel.swift#58;16<br/>2 emitted, 2 suppressed"]:::heat2
                n12["clear.executions<br/>emitter FormModel.swift#58;16<br/>1 emitted"]:::heat1
                n13["clear.values<br/>emitter FormModel.swift#58;16<br/>1 emitted"]:::heat1
                n14["clear<br/>command FormModel.swift#58;16<br/>1 emitted"]:::heat1
                n15["clear.execution<br/>execution FormView.swift#58;24<br/>1 emitted"]:::heat1
            end
            subgraph g1["TextField"]
                n16["edited ×2 ‹private›<br/>emitter TextField.swift#58;14<br/>4 emitted"]:::heat2
            end
            subgraph g2["FormView"]
                n17["clearButtonTouched<br/>emitter FormView.swift#58;11<br/>1 emitted, 1 refreshed<br/>1 handler"]:::heat1
            end
            subgraph g3["no owner#58; FormView.swift"]
                n18["binding FormView.swift#58;18"]:::heat0
                n19["binding FormView.swift#58;19 ‹private›"]:::heat0
                n20["map FormView.swift#58;20<br/>3 emitted, 3 refreshed"]:::heat3
                n21["binding FormView.swift#58;20"]:::heat0
                n22["map FormView.swift#58;21<br/>3 emitted, 3 refreshed"]:::heat3
                n23["binding FormView.swift#58;21"]:::heat0
                n24["current FormView.swift#58;22 ‹private›<br/>7 emitted, 7 refreshed"]:::heat4
                n25["binding FormView.swift#58;22 ‹private›"]:::heat0
                n26["current FormView.swift#58;23<br/>3 emitted, 3 refreshed"]:::heat3
                n27["binding FormView.swift#58;23"]:::heat0
            end
            subgraph g4["no owner#58; FormModel.swift"]
                n28["current FormModel.swift#58;27<br/>3 emitted"]:::heat2
                n29["current FormModel.swift#58;28<br/>3 emitted"]:::heat2
                n30["source FormModel.swift#58;16<br/>1 emitted"]:::heat1
            end
            n0 --> n2
            n0 --> n3
            n0 --> n7
            n1 --> n2
            n1 --> n4
            n1 --> n9
            n2 --> n24
            n3 --> n5
            n3 --> n28
            n4 --> n5
            n4 --> n29
            n5 --> n11
            n6 --> n0
            n7 --> n18
            n8 --> n1
            n9 --> n19
            n10 --> n11
            n11 --> n26
            n14 --> n15
            n15 -.-> n0
            n15 -.-> n1
            n15 -.-> n10
            n15 -.-> n12
            n15 --> n13
            n16 --> n6
            n16 --> n8
            n17 -.-> n14
            n20 --> n21
            n22 --> n23
            n24 --> n25
            n26 --> n27
            n28 --> n20
            n29 --> n22
            n30 --> n15
            linkStyle 19,20,21,22,26 stroke-dasharray:2 4
            classDef heat0 fill:#f4f6f8,stroke:#7f8c99,color:#1c2733
            classDef heat1 fill:#fff3c4,stroke:#7f8c99,color:#1c2733
            classDef heat2 fill:#ffdf8c,stroke:#7f8c99,color:#1c2733
            classDef heat3 fill:#ffbc66,stroke:#7f8c99,color:#1c2733
            classDef heat4 fill:#ff9466,stroke:#7f8c99,color:#1c2733

        """#
}
