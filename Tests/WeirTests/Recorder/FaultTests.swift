#if os(Linux)
import Foundation
import Testing
import WeirTestSupport
import WeirTrace

/// Each system call of the recorder fails in turn, or is the last one of the program.
///
/// A small library intercepts the program's system calls (LD_PRELOAD); it counts only calls from the program itself,
/// which includes the recorder.
extension OtherProcesses {
    @Suite struct FaultTests {
        /// The result of a system call that does not do its work.
        struct Fault: CustomTestStringConvertible {
            let call: String
            let error: Int32
            /// Whether the process is killed instead, as the call begins.
            var isKill: Bool { error == 0 }
            var testDescription: String {
                isKill ? "kill at \(call)" : "\(call): \(String(cString: strerror(error)))"
            }
        }

        private static let faults: [Fault] = errors.flatMap { call, errors in
            (errors + [0]).map { Fault(call: call, error: $0) }
        }
        private static let errors: [(String, [Int32])] = [
            ("open", [EMFILE]), ("flock", [EWOULDBLOCK, ENOLCK]), ("fstat", [EIO]), ("lstat", [EACCES]),
            ("pread", [EIO]), ("pwrite", [ENOSPC]), ("posix_fallocate", [ENOSPC, EOPNOTSUPP]), ("mmap", [ENOMEM]),
            ("madvise", [EINVAL, EFAULT]), ("munmap", [EINVAL]), ("ftruncate", [EIO]), ("unlink", [EACCES]),
            ("close", [EIO]), ("pthread_create", [EAGAIN]), ("getrlimit", [EPERM]),
        ]

        @Test(arguments: faults)
        func `A call of the system that fails, or is the last one, harms nobody`(_ fault: Fault) throws {
            var calls = 0
            for hasOld in [false, true] {
                // A call that fails once is tried without an old trace, one that fails from then on with one; or all of both.
                let all = fault.isKill ? [false] : [false, true]
                for lasts in Repeats.part(of: all, where: { fault.isKill || $0 == hasOld }) {
                    calls += try series(fault, hasOld: hasOld, lasts: lasts)
                }
            }
            #expect(calls > 0, "the recorder makes no such call")
        }

        /// Makes the first call fail, then in another run the second, and so on. Returns the number of calls, or a bit more.
        ///
        /// - Parameters:
        ///   - hasOld: whether an old trace is in the way.
        ///   - lasts: whether all later calls fail, too.
        private func series(_ fault: Fault, hasOld: Bool, lasts: Bool) throws -> Int {
            let file = try TemporaryTrace()
            let mark = file.folder + "/mark"
            for number in 1...100 {
                // The later calls are much alike.
                if number > 3, number % 5 != 0, Repeats.factor == 1 { continue }
                // Later, it is that of the run after the fault.
                if hasOld, number == 1 { _ = try run(file.path) }
                let answer = try run(
                    file.path,
                    [
                        "LD_PRELOAD": Self.library.get(), "FAULT_CALL": fault.call, "FAULT_NUMBER": "\(number)",
                        "FAULT_ERROR": "\(fault.error)", "FAULT_LASTS": lasts ? "1" : "0", "FAULT_MARK": mark,
                        // Before Linux 5.14 nothing else says that a file has no room.
                        "FAULT_OLD": fault.call == "posix_fallocate" ? "1" : "0",
                    ])
                guard unlink(mark) == 0 else { return number - 1 }
                try check(answer, fault, file.path, "call \(number), old: \(hasOld), lasts: \(lasts): \(answer)")
                if !hasOld { unlink(file.path) }
            }
            Issue.record("the calls do not come to an end")
            return 0
        }

        private func check(_ answer: Run, _ fault: Fault, _ path: String, _ reported: String) throws {
            let comment = Comment(rawValue: reported)
            if fault.isKill {
                #expect(answer.status == SIGKILL, comment)
            } else {
                #expect(answer.status == 0 && answer.output == "filled 6500\n", comment)
                try checkCount(answer, path, comment)
            }
            // Whatever remains, the next run records.
            let next = try run(path)
            #expect(next.status == 0 && next.output == "filled 6500\n" && next.errors.isEmpty, comment)
            try checkCount(next, path, comment)
        }

        /// Every event that is not in the trace was counted, or a sentence says that there is no trace.
        private func checkCount(_ answer: Run, _ path: String, _ comment: Comment) throws {
            let hasComplained = answer.errors.hasPrefix("weir: ")
            guard !hasComplained, FileManager.default.fileExists(atPath: path) else {
                #expect(hasComplained, comment)
                return
            }
            let reader = try TraceReader(path: path)
            let emitted = reader.emissionCount
            let lost = try #require(reader.header.lostEvents, comment)
            #expect(emitted + Int(lost) >= 6500 && reader.damage.isEmpty && reader.header.isClosed, comment)
        }

        // MARK: Running the program

        struct Run {
            let status: Int32
            let output: String
            let errors: String
        }

        private func run(_ path: String, _ more: [String: String] = [:]) throws -> Run {
            let (process, output, errors) = (Process(), try OutputFile(), try OutputFile())
            process.executableURL = URL(fileURLWithPath: try BuiltProgram("WeirPlainProgram").path)
            process.arguments = ["fill", "returns"]
            let own = [
                "WEIR_TRACE": path, "WEIR_LIMIT": "none", "WEIR_SNAPSHOTS": "none", "SWIFT_BACKTRACE": "enable=no",
            ]
            process.environment = ProcessInfo.processInfo.environment.merging(own) { $1 }.merging(more) { $1 }
            (process.standardOutput, process.standardError) = (output.handle, errors.handle)
            try process.run()
            process.waitUntilExit()
            return Run(status: process.terminationStatus, output: try output.text, errors: try errors.text)
        }

        private static let library = Result {
            let folder = NSTemporaryDirectory() + "weir-faults-\(UUID().uuidString)"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Data(source.utf8).write(to: URL(fileURLWithPath: folder + "/faults.c"))
            let compiler = Process()
            compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            compiler.arguments = [
                "clang", "-shared", "-fPIC", "-O1", "-o", folder + "/faults.so", folder + "/faults.c", "-ldl",
            ]
            try compiler.run()
            compiler.waitUntilExit()
            #expect(compiler.terminationStatus == 0)
            return folder + "/faults.so"
        }

        private static let source = #"""
            #define _GNU_SOURCE
            #include <dlfcn.h>
            #include <errno.h>
            #include <pthread.h>
            #include <signal.h>
            #include <stdbool.h>
            #include <stdlib.h>
            #include <string.h>
            #include <sys/auxv.h>
            #include <sys/file.h>
            #include <sys/mman.h>
            #include <sys/resource.h>
            #include <sys/stat.h>
            #include <sys/syscall.h>
            #include <unistd.h>
            #include <fcntl.h>

            static bool is_program(void *caller) {
                Dl_info here, program;
                return dladdr(caller, &here) && dladdr((void *)getauxval(AT_ENTRY), &program)
                    && here.dli_fbase == program.dli_fbase;
            }

            // 0: the call is to do its work; else it fails with this error.
            static int fault(const char *call, void *caller) {
                static int seen;
                const char *wanted = getenv("FAULT_CALL");
                if (!wanted || strcmp(wanted, call) != 0 || !is_program(caller)) return 0;
                int number = __atomic_add_fetch(&seen, 1, __ATOMIC_RELAXED), first = atoi(getenv("FAULT_NUMBER"));
                if (number < first || (number > first && *getenv("FAULT_LASTS") == '0')) return 0;
                syscall(SYS_close, syscall(SYS_openat, AT_FDCWD, getenv("FAULT_MARK"), O_CREAT | O_WRONLY, 0600));
                int error = atoi(getenv("FAULT_ERROR"));
                if (error == 0) kill(getpid(), SIGKILL);
                return error;
            }

            #define NEXT(call) ((__typeof__(&call))dlsym(RTLD_NEXT, #call))
            #define FAIL(call, result) \
                int error = fault(#call, __builtin_return_address(0)); \
                if (error) { errno = error; return result; }

            int open(const char *path, int flags, ...) {
                __builtin_va_list list;
                __builtin_va_start(list, flags);
                int mode = flags & O_CREAT ? __builtin_va_arg(list, int) : 0;
                __builtin_va_end(list);
                FAIL(open, -1)
                return NEXT(open)(path, flags, mode);
            }
            int flock(int file, int operation) { FAIL(flock, -1) return NEXT(flock)(file, operation); }
            int fstat(int file, struct stat *status) { FAIL(fstat, -1) return NEXT(fstat)(file, status); }
            int lstat(const char *path, struct stat *status) { FAIL(lstat, -1) return NEXT(lstat)(path, status); }
            ssize_t pread(int file, void *to, size_t count, off_t at) { FAIL(pread, -1) return NEXT(pread)(file, to, count, at); }
            ssize_t pwrite(int file, const void *from, size_t count, off_t at) {
                FAIL(pwrite, -1)
                return NEXT(pwrite)(file, from, count, at);
            }
            int posix_fallocate(int file, off_t at, off_t count) {
                FAIL(posix_fallocate, error)
                return NEXT(posix_fallocate)(file, at, count);
            }
            void *mmap(void *at, size_t length, int protection, int flags, int file, off_t offset) {
                FAIL(mmap, (void *)-1)
                return NEXT(mmap)(at, length, protection, flags, file, offset);
            }
            int madvise(void *at, size_t length, int advice) {
                FAIL(madvise, -1)
                const char *is_old = getenv("FAULT_OLD");
                if (is_old && *is_old == '1' && advice == 23 /* MADV_POPULATE_WRITE */) { errno = EINVAL; return -1; }
                return NEXT(madvise)(at, length, advice);
            }
            int munmap(void *at, size_t length) { FAIL(munmap, -1) return NEXT(munmap)(at, length); }
            int ftruncate(int file, off_t length) { FAIL(ftruncate, -1) return NEXT(ftruncate)(file, length); }
            int unlink(const char *path) { FAIL(unlink, -1) return NEXT(unlink)(path); }
            int close(int file) { FAIL(close, -1) return NEXT(close)(file); }
            int getrlimit(__rlimit_resource_t which, struct rlimit *limit) {
                FAIL(getrlimit, -1)
                return NEXT(getrlimit)(which, limit);
            }
            int pthread_create(
                pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *context) {
                FAIL(pthread_create, error)
                return NEXT(pthread_create)(thread, attributes, run, context);
            }
            """#
    }
}
#endif
