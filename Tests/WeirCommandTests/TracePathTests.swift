import Testing

@testable import WeirCommand

struct TracePathTests {
    @Test(arguments: [
        ("login.weir", "login.weir", "login-7.weir"), ("a/login", "a/login", "a/login-7"),
        ("t/x-%p.weir", "t/x-7.weir", "t/x-%p-7.weir"), ("%p%p%", "77%", "%p%p%-7"),
    ])
    func `a process has a file, and another where that is taken`(_ text: String, _ file: String, _ own: String) {
        #expect(TracePath(text: text).file(of: 7) == file)
        #expect(TracePath(text: text).ownFile(of: 7) == own)
    }

    @Test(
        arguments: [
            ("login.weir", "login-4711.weir", 4711), ("login.weir", "login.weir", nil),
            ("login.weir", "login-0815.weir", nil), ("login.weir", "login-.weir", nil),
            ("login.weir", "login-7.weir.txt", nil), ("login.weir", "login-7-8.weir", nil),
            ("login.weir", "login-99999999999.weir", nil), ("login.weir", "logout-7.weir", nil),
            ("login2.weir", "login2-7.weir", 7), ("login-2.weir", "login-2-7.weir", 7),
            ("login-2.weir", "login-2.weir", nil), ("x-%p.weir", "x-12.weir", 12), ("x-%p.weir", "x-%p-12.weir", 12),
            ("%p", "12", 12), ("%p-%p", "12-12", 12), ("%p-%p", "12-13", nil),
        ] as [(String, String, UInt32?)])
    func `the process is read from a file's name`(_ text: String, _ name: String, _ process: UInt32?) {
        #expect(TracePath(text: text).process(ofFile: name) == process)
    }

    @Test func `directory and name are distinguished`() {
        for (text, directory, name) in [("x", "", "x"), ("./a/x", "./a/", "x"), ("/x", "/", "x")] {
            #expect(TracePath(text: text).directory == directory)
            #expect(TracePath(text: text).name == TracePath(text: name))
        }
    }
}
