import Foundation
import Glibc
import Synchronization

@testable import TestKit

/// A fake App Store Connect with the capability API, on a loopback port that the kernel chooses. It records the
/// requests.
final class FakeAppStoreConnect: Sendable {
    struct Asked: Sendable {
        let method: String
        let target: String
        let host: String
        let token: String
        let body: String
    }

    struct Reply: Sendable {
        var status = 200
        var headers: [String] = []
        var body: String
    }

    let port: UInt16
    private let listener: OwnedSocket
    private let log = Mutex<[Asked]>([])
    private let answer: @Sendable (Asked, Int) -> Reply

    var base: String { "http://127.0.0.1:\(port)" }
    var asked: [Asked] { log.withLock { $0 } }

    /// - Parameter answer: returns the response for a request and its number. The count starts at 0.
    init(_ answer: @escaping @Sendable (Asked, Int) -> Reply) throws {
        self.answer = answer
        listener = try .listening()
        port = try listener.port
        let (listener, log) = (listener, Shared(self))
        let thread = Thread {
            while let connection = listener.accept() { log.server?.serve(connection.descriptor) }
        }
        thread.start()
    }

    deinit { listener.end() }

    /// Shared state in a separate object, so that the thread does not retain the server.
    private final class Shared: @unchecked Sendable {
        weak var server: FakeAppStoreConnect?
        init(_ server: FakeAppStoreConnect) { self.server = server }
    }

    private func serve(_ connection: Int32) {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(connection, &buffer, buffer.count)
            guard count > 0 else { return }
            bytes += buffer[..<count]
            let text = String(decoding: bytes, as: UTF8.self)
            guard let end = text.range(of: "\r\n\r\n") else { continue }
            let head = text[..<end.lowerBound].components(separatedBy: "\r\n")
            func header(_ name: String) -> String? {
                head.first { $0.lowercased().hasPrefix(name + ": ") }.map { String($0.dropFirst(name.count + 2)) }
            }
            let body = String(text[end.upperBound...])
            guard body.utf8.count >= Int(header("content-length") ?? "0") ?? 0 else { continue }
            let words = head[0].split(separator: " ").map(String.init)
            let asked = Asked(
                method: words[0], target: words[1], host: header("host") ?? "",
                token: (header("authorization") ?? "").replacingOccurrences(of: "Bearer ", with: ""), body: body)
            let number = log.withLock { log in
                log.append(asked)
                return log.count - 1
            }
            let reply = answer(asked, number)
            let lines = ["HTTP/1.1 \(reply.status) x", "Content-Length: \(reply.body.utf8.count)", "Connection: close"]
            let answer = (lines + reply.headers).joined(separator: "\r\n") + "\r\n\r\n" + reply.body
            _ = answer.withCString { write(connection, $0, answer.utf8.count) }
            return
        }
    }
}
