import Foundation
import Synchronization

@testable import TestKit

/// A real SMTP server (Python's aiosmtpd) that delivers into a Maildir. It can stop and restart at the same
/// address.
final class SMTPServer: Sendable {
    let port: UInt16
    let mailbox: Mailbox
    private let folder: TemporaryFolder
    private let process = Mutex<ChildProcess?>(nil)

    /// Debian's Python, which has the package `python3-aiosmtpd`.
    private static let python = "/usr/bin/python3"

    /// Whether this machine has it.
    static let isInstalled = [
        "/usr/lib/python3/dist-packages/aiosmtpd", "/usr/local/lib/python3/dist-packages/aiosmtpd",
    ]
    .contains { FileManager.default.fileExists(atPath: $0) }

    init() throws {
        folder = try TemporaryFolder()
        port = try FreePort.find()
        // A Maildir keeps new emails under new/.
        mailbox = Mailbox(folder: folder.path(of: "maildir/new"))
    }

    var url: String { "smtp://127.0.0.1:\(port)" }

    /// Starts it and waits until it accepts connections.
    func start() async throws {
        let arguments = [
            "-m", "aiosmtpd", "-n", "-l", "127.0.0.1:\(port)", "-c", "aiosmtpd.handlers.Mailbox",
            folder.path(of: "maildir"),
        ]
        let child = try ChildProcess(
            Self.python, arguments, environment: ["PATH": "/usr/bin:/bin"], folder: folder.path,
            standardOutput: folder.path(of: "smtp.out"), standardError: folder.path(of: "smtp.err"))
        process.withLock { $0 = child }
        try await eventually("the SMTP server accepts") { () -> Void? in
            if let exit = child.exit { throw ProbeFailure("aiosmtpd ended: \(exit) \(folder.text(of: "smtp.err"))") }
            return (try? HTTPConnection(host: "127.0.0.1", port: port)).map { _ in () }
        }
    }

    func stop() async throws {
        guard let child = process.withLock({ $0 }) else { return }
        child.send(SIGTERM)
        _ = try await child.waitForExit()
        process.withLock { $0 = nil }
    }
}
