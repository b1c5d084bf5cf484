import Dispatch
import Foundation
import Glibc
import Synchronization

@testable import TestKit
@testable import WebTestKit

/// A mail server that sends scripted replies, and keeps the lines it received. One connection at a time.
final class ScriptedSMTPServer: Sendable {
    let port: UInt16
    private let listener: OwnedSocket
    private let received = Mutex<[String]>([])
    private let replies: [String: String]
    private let toNames: [String: [String: String]]
    private let first: Mutex<[String: String]>
    private let gate: DispatchSemaphore?
    private let hangsUp: Bool
    private let ignoresQuit: Bool

    /// - Parameters:
    ///   - replies: by the verb of the command; `greeting` before the first one, `.` after the email. An empty one
    ///     closes the connection.
    ///   - toNames: other replies, by the name in EHLO.
    ///   - first: other replies to the first command of a kind.
    ///   - isSilent: accepts and sends nothing.
    ///   - gate: waited for before an email is accepted.
    ///   - hangsUp: closes the connection after the email, without an answer.
    ///   - ignoresQuit: does not answer QUIT, and keeps the connection.
    init(
        _ replies: [String: String] = [:], toNames: [String: [String: String]] = [:], first: [String: String] = [:],
        isSilent: Bool = false,
        gate: DispatchSemaphore? = nil, hangsUp: Bool = false, ignoresQuit: Bool = false
    ) throws {
        self.first = Mutex(first)
        (self.replies, self.toNames, self.gate, self.hangsUp) = (replies, toNames, gate, hangsUp)
        self.ignoresQuit = ignoresQuit
        listener = try .listening()
        port = try listener.port
        if isSilent { return }
        let thread = Thread { [listener, weak self] in
            while let connection = listener.accept() { self?.talk(connection.descriptor) }
        }
        thread.start()
    }

    deinit { listener.end() }

    var lines: [String] { received.withLock { $0 } }
    var url: String { "smtp://127.0.0.1:\(port)" }

    /// Waits until a client has connected to a silent server.
    func called() async throws {
        let ready = try await onOwnThread { [listener] in
            var listening = pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0)
            return poll(&listening, 1, 30_000)
        }
        guard ready == 1 else { throw ProbeFailure("no client has connected") }
    }

    /// Waits until a line was received.
    func received(_ line: String) async throws {
        try await eventually("the line \(line)") { lines.contains(line) ? () : nil }
    }

    private func talk(_ connection: Int32) {
        var replies = replies
        guard say(replies["greeting"] ?? "220 scripted", connection) else { return }
        var isMessage = false
        var isLogin = false
        while let line = readLine(connection) {
            received.withLock { $0.append(line) }
            if isMessage {
                guard line == "." else { continue }
                isMessage = false
                gate?.wait()
                if hangsUp { return }
                guard say(replies["."] ?? "250 taken", connection) else { return }
            } else if isLogin {
                isLogin = false
                say(replies["AUTH"] ?? "235 welcome", connection)
            } else {
                let verb = String(line.prefix(4)).uppercased()
                if verb == "EHLO" { replies.merge(toNames[String(line.dropFirst(5))] ?? [:]) { $1 } }
                switch verb {
                case "AUTH":
                    isLogin = true
                    say("334 ", connection)
                case "DATA":
                    let reply = replies[verb] ?? "354 go on"
                    isMessage = reply.hasPrefix("354")
                    guard say(reply, connection) else { return }
                case "QUIT" where ignoresQuit: break
                case "QUIT":
                    say("221 bye", connection)
                    return
                default:
                    let once = first.withLock { $0.removeValue(forKey: verb) }
                    guard say(once ?? replies[verb] ?? "250 fine", connection) else { return }
                }
            }
        }
    }

    @discardableResult
    private func say(_ text: String, _ connection: Int32) -> Bool {
        guard !text.isEmpty else { return false }
        let bytes = Array("\(text)\r\n".utf8)
        return send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    private func readLine(_ connection: Int32) -> String? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while read(connection, &byte, 1) == 1 {
            if byte == 0x0a { return String(decoding: bytes.filter { $0 != 0x0d }, as: UTF8.self) }
            bytes.append(byte)
        }
        return nil
    }
}
