import Foundation
import NIOCore
import NIOPosix
import ServiceLifecycle

/// Tells systemd how the program is doing (sd_notify(3)): a unit of `Type=notify` is started when the program says so, and a start
/// that fails is a failed start. Does nothing where `NOTIFY_SOCKET` is not set.
public struct ServiceManager: Sendable {
    /// A path, or an abstract name that begins with `@`.
    private let socket: String?
    /// How often systemd wants to hear of the program; nil where it does not watch this process.
    let watchdogInterval: Duration?

    public static let ofProcess = ServiceManager(ProcessInfo.processInfo.environment)

    /// - Parameter environment: with the variables of sd_notify(3) and sd_watchdog_enabled(3).
    init(_ environment: [String: String]) {
        socket = environment["NOTIFY_SOCKET"].flatMap { $0.isEmpty ? nil : $0 }
        let isWatched = environment["WATCHDOG_PID"].map { $0 == "\(getpid())" } ?? true
        let microseconds = environment["WATCHDOG_USEC"].flatMap(Int64.init) ?? 0
        watchdogInterval = isWatched && microseconds > 0 ? .microseconds(microseconds / 3) : nil
    }

    public func ready() { say("READY=1\nSTATUS=Serving.") }

    func stopping() { say("STOPPING=1\nSTATUS=Finishing what is in progress.") }

    /// Why the program does not start: the line that `systemctl status` shows.
    func failed(_ problems: [String]) {
        guard let first = problems.first else { return }
        let more = problems.count > 1 ? " And \(problems.count - 1) more, in the journal." : ""
        let line = String((first + more).map { $0.isNewline ? " " : $0 })
        say("STATUS=\(line)")
    }

    func isAlive() { say("WATCHDOG=1") }

    private func say(_ state: String) {
        guard let socket, var address = Self.address(socket) else { return }
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let length = MemoryLayout<sa_family_t>.size + socket.utf8.count
        // A full socket must not hold up the program.
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(
                    descriptor, state, state.utf8.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT), $0,
                    socklen_t(length))
            }
        }
    }

    /// An abstract name begins with a zero byte (unix(7)).
    private static func address(_ name: String) -> sockaddr_un? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(name.utf8)
        guard !bytes.isEmpty, bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return address
    }
}

/// Says regularly that every event loop and the pool of tasks still run. systemd restarts a program that says nothing.
struct Watchdog: Service {
    let manager: ServiceManager
    let interval: Duration

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                for loop in MultiThreadedEventLoopGroup.singleton.makeIterator() {
                    try? await loop.submit {}.get()
                }
                manager.isAlive()
                try? await Task.sleep(for: interval)
            }
        }
    }
}
