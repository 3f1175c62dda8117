extension RedundancyGoldenTests {
    static let published = #"""
        1 of 33 refreshes was redundant (3 %), 1 µs of 53 µs handler time.
        11 of 23 evaluations gave an equal value.

        2 findings, worst first:

          1  LoginViewModel.instruction refreshed a handler once, and again in the same frame; 1 µs wasted
             burst · warning · at WeirLogin/LoginView.swift:29 · fingerprint 9e628c684eb8f6f3
             e.g. “autofill” → username (1:154) → usernameValid (1:156) → instruction (1:158)
                  → handler LoginView.swift:29 (1:159), and again by 1:171 (“autofill”) in the same frame
             Remedy: compute LoginViewModel.instruction at WeirLogin/PublishedLoginModel.swift:11 with combine(…, strategy: .settled) instead of writing it in handlers, and batch { … } around the writes of “autofill”.

          2  LoginViewModel.usernameValid triggered itself again once
             feedback · warning · at WeirLogin/PublishedLoginModel.swift:12 · fingerprint c084f069b8268a04
             e.g. “type user name 'Mar'” → usernameDidChange (1:31) → LoginViewModel.usernameDidChange → username (1:33)
                  → usernameValid (1:38) → passwordValid (1:40)
                  → usernameValid stops: equal to the current value (1:43), within its own 1:38
             Loop: LoginViewModel.usernameValid → LoginViewModel.passwordValid → LoginViewModel.usernameValid
             Remedy: cut one edge of the loop at WeirLogin/PublishedLoginModel.swift:21: let one side not depend on the other.

        Conditions whose inputs changed and whose value did not; nothing needs to change:
          LoginViewModel.loginEnabled (4), LoginViewModel.usernameValid (4), LoginViewModel.passwordValid (3)

        Could not be judged:
          repeated-value: 2 refreshes of LoginViewModel.password: the values are private;
            record test data, with .disclosed() or without .private

        A frame is what lies between two marks of the program (Trace.frame()).

        """#

    static let cured = #"""
        0 of 31 refreshes were redundant (0 %), 0 of 50 µs handler time.
        4 of 21 evaluations gave an equal value.

        1 finding:

          1  LoginViewModel.instruction produced an unchanged value in 1 evaluation
             noop-evaluation · note · at WeirLogin/CuredLoginModel.swift:24 · fingerprint 1561741a7ee2be24
             e.g. “autofill” → batch (1:141) → password (1:157) → instruction stops: equal to the current value (1:167)
             Remedy: combine(…, strategy: .settled) at WeirLogin/CuredLoginModel.swift:25.

        Conditions whose inputs changed and whose value did not; nothing needs to change:
          LoginViewModel.loginEnabled (3)

        Could not be judged:
          repeated-value: 2 refreshes of LoginViewModel.password: the values are private;
            record test data, with .disclosed() or without .private

        A frame is what lies between two marks of the program (Trace.frame()).

        """#

    static let dice = #"""
        0 of 28 refreshes were redundant (0 %), 0 of 46 µs handler time.
        0 of 17 evaluations gave an equal value.
        Nothing was found by any rule.

        A frame is what lies between two marks of the program (Trace.frame()).

        """#

    static let travel = #"""
        0 of 52 refreshes were redundant (0 %), 0 of … µs handler time.
        0 of 45 evaluations gave an equal value.
        Nothing was found by any rule.

        Could not be judged:
          repeated-value: 1 refresh of TravelModel.cells: values of this type were not recorded;
            make the type Hashable or TraceValueConvertible

        A frame is what lies between two marks of the program (Trace.frame()).

        """#

    static let form = #"""
        0 of 22 refreshes were redundant (0 %), 0 of 27 µs handler time.
        5 of 23 evaluations gave an equal value.
        Nothing was found by any rule.

        Conditions whose inputs changed and whose value did not; nothing needs to change:
          FormModel.isValid (2), FormModel.phoneIsValid (2), FormModel.passwordIsValid (1)

        Could not be judged:
          repeated-value: 6 refreshes of current FormView.swift:22: the values are private;
            record test data, with .disclosed() or without .private
          noop-evaluation: 6 evaluations of FormModel.summary: the values are private;
            record test data, with .disclosed() or without .private

        A frame is what lies between two marks of the program (Trace.frame()).

        """#

    static let lookup = #"""
        0 of 38 refreshes were redundant (0 %), 0 of … µs handler time.
        9 of 29 evaluations gave an equal value.
        Nothing was found by any rule.

        Conditions whose inputs changed and whose value did not; nothing needs to change:
          LookupModel.canLoadMore (6), LookupModel.usernameValid (3)

        Could not be judged:
          repeated-value: 3 refreshes of buffer LookupView.swift:46: values of this type were not recorded;
            make the type Hashable or TraceValueConvertible
          repeated-request: 2 requests of flatMap PostCell.swift:11, flatMap PostCell.swift:12: values of this type were not recorded;
            make the type Hashable or TraceValueConvertible

        A frame is what lies between two marks of the program (Trace.frame()).

        """#

    static let curedJSON = #"""
        {
          "path": "login.weir",
          "complete": true,
          "rules": [
            "noop-evaluation"
          ],
          "framesMarked": true,
          "frameNanoseconds": 16700000,
          "refreshes": 31,
          "redundantRefreshes": 0,
          "handlerNanoseconds": 50000,
          "wastedNanoseconds": 0,
          "evaluations": 21,
          "noopEvaluations": 4,
          "findings": [
            {
              "rule": "noop-evaluation",
              "severity": "note",
              "node": 5,
              "name": "LoginViewModel.loginEnabled",
              "site": "WeirLogin/CuredLoginModel.swift:23",
              "fingerprint": "db2158474edbfe0b",
              "sentence": "LoginViewModel.loginEnabled produced an unchanged value in 3 evaluations",
              "count": 3,
              "refreshes": 0,
              "wastedNanoseconds": 0,
              "cause": 5,
              "causeName": "LoginViewModel.loginEnabled",
              "normal": true,
              "primary": null,
              "intention": null,
              "remedy": null,
              "instances": [
                {
                  "node": 5,
                  "name": "LoginViewModel.loginEnabled",
                  "subscription": null,
                  "count": 3,
                  "refreshes": 0,
                  "wastedNanoseconds": 0,
                  "example": "1:58",
                  "counterpart": null,
                  "threads": [],
                  "handlers": [],
                  "unsettled": 0
                }
              ],
              "evidence": {
                "steps": [
                  {
                    "id": "1:51",
                    "kind": "stimulusBegan",
                    "nanoseconds": 39000,
                    "stamped": true,
                    "depth": 0,
                    "text": "type user name 'Maruko'",
                    "way": {
                      "is": "root"
                    }
                  },
                  {
                    "id": "1:52",
                    "kind": "emitted",
                    "nanoseconds": 39000,
                    "stamped": false,
                    "depth": 1,
                    "cause": "1:51",
                    "node": 7,
                    "name": "LoginView.usernameDidChange",
                    "owner": 2,
                    "value": "Maruko",
                    "valueForm": "string",
                    "delivers": true,
                    "replayed": false,
                    "way": {
                      "is": "within",
                      "cause": "1:51"
                    }
                  },
                  {
                    "id": "1:54",
                    "kind": "emitted",
                    "nanoseconds": 40000,
                    "stamped": false,
                    "depth": 2,
                    "cause": "1:52",
                    "node": 1,
                    "name": "LoginViewModel.username",
                    "owner": 1,
                    "value": "Maruko",
                    "valueForm": "string",
                    "delivers": true,
                    "replayed": false,
                    "way": {
                      "is": "delivery",
                      "cause": "1:52",
                      "subscription": 13,
                      "site": "WeirLogin/LoginView.swift:34"
                    }
                  },
                  {
                    "id": "1:56",
                    "kind": "emitted",
                    "nanoseconds": 40000,
                    "stamped": false,
                    "depth": 3,
                    "cause": "1:54",
                    "node": 3,
                    "name": "LoginViewModel.usernameValid",
                    "strategy": "every",
                    "owner": 1,
                    "value": true,
                    "valueForm": "bool",
                    "delivers": true,
                    "replayed": false,
                    "way": {
                      "is": "delivery",
                      "cause": "1:54",
                      "subscription": 1,
                      "site": "WeirLogin/CuredLoginModel.swift:17"
                    }
                  },
                  {
                    "id": "1:58",
                    "kind": "suppressed",
                    "nanoseconds": 40000,
                    "stamped": false,
                    "depth": 4,
                    "cause": "1:56",
                    "node": 5,
                    "name": "LoginViewModel.loginEnabled",
                    "strategy": "every",
                    "owner": 1,
                    "reason": "equal",
                    "way": {
                      "is": "delivery",
                      "cause": "1:56",
                      "subscription": 3,
                      "site": "WeirLogin/CuredLoginModel.swift:23"
                    }
                  }
                ],
                "missingCause": null,
                "goesOn": false
              }
            },
            {
              "rule": "noop-evaluation",
              "severity": "note",
              "node": 6,
              "name": "LoginViewModel.instruction",
              "site": "WeirLogin/CuredLoginModel.swift:24",
              "fingerprint": "1561741a7ee2be24",
              "sentence": "LoginViewModel.instruction produced an unchanged value in 1 evaluation",
              "count": 1,
              "refreshes": 0,
              "wastedNanoseconds": 0,
              "cause": 6,
              "causeName": "LoginViewModel.instruction",
              "normal": false,
              "primary": null,
              "intention": null,
              "remedy": {
                "kind": "settled",
                "technique": "weir",
                "nodes": [
                  6
                ],
                "subscriptions": [],
                "site": "WeirLogin/CuredLoginModel.swift:25",
                "sentence": "combine(…, strategy: .settled) at WeirLogin/CuredLoginModel.swift:25"
              },
              "instances": [
                {
                  "node": 6,
                  "name": "LoginViewModel.instruction",
                  "subscription": null,
                  "count": 1,
                  "refreshes": 0,
                  "wastedNanoseconds": 0,
                  "example": "1:167",
                  "counterpart": null,
                  "threads": [],
                  "handlers": [],
                  "unsettled": 0
                }
              ],
              "evidence": {
                "steps": [
                  {
                    "id": "1:140",
                    "kind": "stimulusBegan",
                    "nanoseconds": 94000,
                    "stamped": true,
                    "depth": 0,
                    "text": "autofill",
                    "way": {
                      "is": "root"
                    }
                  },
                  {
                    "id": "1:141",
                    "kind": "batchBegan",
                    "nanoseconds": 94000,
                    "stamped": false,
                    "depth": 1,
                    "cause": "1:140",
                    "way": {
                      "is": "within",
                      "cause": "1:140"
                    }
                  },
                  {
                    "id": "1:157",
                    "kind": "emitted",
                    "nanoseconds": 100000,
                    "stamped": false,
                    "depth": 2,
                    "cause": "1:141",
                    "node": 2,
                    "name": "LoginViewModel.password",
                    "owner": 1,
                    "value": null,
                    "valueForm": "private",
                    "delivers": true,
                    "replayed": false,
                    "way": {
                      "is": "within",
                      "cause": "1:141"
                    }
                  },
                  {
                    "id": "1:167",
                    "kind": "suppressed",
                    "nanoseconds": 104000,
                    "stamped": false,
                    "depth": 3,
                    "cause": "1:157",
                    "node": 6,
                    "name": "LoginViewModel.instruction",
                    "strategy": "every",
                    "owner": 1,
                    "reason": "equal",
                    "way": {
                      "is": "delivery",
                      "cause": "1:157",
                      "subscription": 6,
                      "site": "WeirLogin/CuredLoginModel.swift:25"
                    }
                  }
                ],
                "missingCause": null,
                "goesOn": false
              }
            }
          ],
          "omittedFindings": 0,
          "intended": [],
          "unjudged": []
        }
        """#
}
