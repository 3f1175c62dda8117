import Foundation

/// Where tests put many small files: a disk takes milliseconds to make or remove each, memory does not.
///
/// It ends with a slash. It is the ordinary folder for temporary files where there is no such memory, and with `WEIR_SEEDS`.
public let quickFolder: String = {
    #if os(Linux)
    var room = statvfs()
    let memory = "/dev/shm/"
    if Repeats.factor == 1, access(memory, W_OK) == 0, statvfs(memory, &room) == 0,
        UInt(room.f_bavail) * UInt(room.f_frsize) > 1 << 30
    {
        return memory
    }
    #endif
    return NSTemporaryDirectory()
}()
