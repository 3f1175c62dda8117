import Dice
import Form
import Foundation
import Login
import Lookup
import SignIn
import Travel
import Weir

let path = FileManager.default.temporaryDirectory.appendingPathComponent("consumer-\(UUID().uuidString).weir").path
defer { try? FileManager.default.removeItem(atPath: path) }

let screen = Observable("")
try Trace.start(writingTo: path, limit: .none)
for name in [loginName, diceName, travelName, formName, lookupName, signInName] { screen.value = name }
Trace.stop()
let size = try Data(contentsOf: URL(fileURLWithPath: path)).count
print("\(screen.value) is the last of 6 screens in a trace of \(size) bytes.")
