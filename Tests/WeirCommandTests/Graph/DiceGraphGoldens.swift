/// The output of `weir graph` for the sample Dice.
extension GraphGoldenTests {
    // swift-format-ignore
    static let diceText = #"""
        dice.weir: 11 nodes and 10 edges, over the whole recording of … events

                                          kind        emitted  refreshed  suppressed  activity
        DiceModel
          num                             observable        8          ·           1  ████
              → current DiceModel.swift:7, map DiceView.swift:18
          thirtySix                       emitter           2          ·           ·  ▉
              → deliver(on:) DiceView.swift:19
        DiceView
          rollButtonTouched               emitter           9          9           ·  ████████
              → 1 handler
              ⇢ DiceModel.num, DiceModel.thirtySix
        no owner: DiceView.swift
          deliver(on:) DiceView.swift:16                    9          9           ·  ████████
              → binding DiceView.swift:16
          binding DiceView.swift:16                         ·          ·           ·
          map DiceView.swift:16                             9          ·           ·  ████
              → deliver(on:) DiceView.swift:16
          deliver(on:) DiceView.swift:18                    8          8           ·  ███████
              → binding DiceView.swift:18
          binding DiceView.swift:18                         ·          ·           ·
          map DiceView.swift:18                             8          ·           ·  ███▌
              → deliver(on:) DiceView.swift:18
          deliver(on:) DiceView.swift:19                    2          2           ·  █▊
              → 1 handler
        no owner: DiceModel.swift
          current DiceModel.swift:7                         9          ·           ·  ████
              → map DiceView.swift:16

        → feeds   ⇢ its code writes

        """#

    // swift-format-ignore
    static let diceMermaid = #"""
        flowchart TD
        %% solid: feeds; dashed: triggers; dotted: its code writes; red: closes a cycle; warm: busy
            subgraph g0["DiceModel"]
                n0["num<br/>observable DiceModel.swift#58;7<br/>8 emitted, 1 suppressed"]:::heat3
                n1["thirtySix<br/>emitter DiceModel.swift#58;8<br/>2 emitted"]:::heat1
            end
            subgraph g1["DiceView"]
                n2["rollButtonTouched<br/>emitter DiceView.swift#58;9<br/>9 emitted, 9 refreshed<br/>1 handler"]:::heat4
            end
            subgraph g2["no owner#58; DiceView.swift"]
                n3["deliver(on#58;) DiceView.swift#58;16<br/>9 emitted, 9 refreshed"]:::heat4
                n4["binding DiceView.swift#58;16"]:::heat0
                n5["map DiceView.swift#58;16<br/>9 emitted"]:::heat3
                n6["deliver(on#58;) DiceView.swift#58;18<br/>8 emitted, 8 refreshed"]:::heat3
                n7["binding DiceView.swift#58;18"]:::heat0
                n8["map DiceView.swift#58;18<br/>8 emitted"]:::heat3
                n9["deliver(on#58;) DiceView.swift#58;19<br/>2 emitted, 2 refreshed<br/>1 handler"]:::heat2
            end
            subgraph g3["no owner#58; DiceModel.swift"]
                n10["current DiceModel.swift#58;7<br/>9 emitted"]:::heat3
            end
            n0 --> n8
            n0 --> n10
            n1 --> n9
            n2 -.-> n0
            n2 -.-> n1
            n3 --> n4
            n5 --> n3
            n6 --> n7
            n8 --> n6
            n10 --> n5
            linkStyle 3,4 stroke-dasharray:2 4
            classDef heat0 fill:#f4f6f8,stroke:#7f8c99,color:#1c2733
            classDef heat1 fill:#fff3c4,stroke:#7f8c99,color:#1c2733
            classDef heat2 fill:#ffdf8c,stroke:#7f8c99,color:#1c2733
            classDef heat3 fill:#ffbc66,stroke:#7f8c99,color:#1c2733
            classDef heat4 fill:#ff9466,stroke:#7f8c99,color:#1c2733

        """#
}
