import Foundation
import Glibc

/// Stands between a Chromium and the servers, as the navigation delegate of a web view does: it is asked before each
/// navigation, also before one that a redirect or a page's script begins, and reports each answer.
///
/// WebDriver itself reports no navigation and cannot prevent one.
final class NavigationProxy: Sendable {
    /// One answer to a navigation.
    struct Answer: Sendable {
        let address: String
        let status: Int
        let location: String?
    }

    let port: UInt16
    private let listener: OwnedSocket
    private let isAllowed: @Sendable (String) -> Bool
    private let report: @Sendable (Answer) -> Void

    /// - Parameters:
    ///   - isAllowed: asked with the address of each navigation. After "no" the browser stays on the page it shows.
    ///   - report: called when the browser has the whole answer.
    init(
        isAllowed: @escaping @Sendable (String) -> Bool = { _ in true }, report: @escaping @Sendable (Answer) -> Void
    ) throws {
        (self.isAllowed, self.report) = (isAllowed, report)
        listener = try .listening()
        port = try listener.port
        Self.onThread { [listener, weak self] in
            while let connection = listener.accept().map(HTTPConnection.init(accepted:)) {
                Self.onThread { [weak self] in try? self?.serve(connection) }
            }
        }
    }

    deinit { listener.end() }

    /// Forwards one request and everything of its answer.
    private func serve(_ browser: HTTPConnection) throws {
        guard let request = try Request(from: browser) else { return }
        let isNavigation = request["sec-fetch-mode"] == "navigate" && request["sec-fetch-dest"] == "document"
        guard !isNavigation || isAllowed(request.address) else {
            // The answer after which a browser stays on its page (RFC 9110 15.3.5).
            return try browser.send(Array("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n".utf8))
        }
        let authority = request["host"]?.split(separator: ":") ?? []
        guard let host = authority.first, authority.count == 2, let port = UInt16(authority[1]) else {
            throw ProbeFailure("no authority in a request for \(request.address)")
        }
        let server = try HTTPConnection(host: String(host), port: port)
        try server.send(request.forwarded)
        var head: [UInt8] = []
        while case let bytes = try server.receive(), !bytes.isEmpty {
            if head.firstRange(of: [13, 10, 13, 10]) == nil { head += bytes }
            try browser.send(bytes)
        }
        if isNavigation, let answer = Self.answer(head, to: request.address) { report(answer) }
    }

    private static func answer(_ bytes: [UInt8], to address: String) -> Answer? {
        guard let end = bytes.firstRange(of: [13, 10, 13, 10]) else { return nil }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
        guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else { return nil }
        let location = lines.first { $0.lowercased().hasPrefix("location:") }
            .map { $0.dropFirst(9).trimmingCharacters(in: .whitespaces) }
        return Answer(address: address, status: status, location: location)
    }

    private static func onThread(_ work: @escaping @Sendable () -> Void) {
        let thread = Thread(block: work)
        thread.stackSize = 1 << 19
        thread.start()
    }
}

/// What a browser has sent.
private struct Request {
    private let lines: [Substring]
    private let body: [UInt8]

    /// - Returns: nil when the browser closes without a request.
    init?(from browser: HTTPConnection) throws {
        var bytes: [UInt8] = []
        while true {
            if let end = bytes.firstRange(of: [13, 10, 13, 10]) {
                lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
                let length = Self.value("content-length", in: lines).flatMap { Int($0) } ?? 0
                while bytes.count < end.upperBound + length {
                    let more = try browser.receive()
                    guard !more.isEmpty else { return nil }
                    bytes += more
                }
                body = Array(bytes[end.upperBound...])
                return
            }
            let more = try browser.receive()
            guard !more.isEmpty else { return nil }
            bytes += more
        }
    }

    subscript(name: String) -> String? { Self.value(name, in: lines) }

    /// The whole address.
    var address: String {
        let target = lines.first?.split(separator: " ").dropFirst().first ?? "/"
        return "http://\(self["host"] ?? "")\(target)"
    }

    /// The same request for a server that closes the connection after its answer.
    var forwarded: [UInt8] {
        let kept = lines.filter { !$0.lowercased().hasPrefix("connection:") } + ["Connection: close", "", ""]
        return Array(kept.joined(separator: "\r\n").utf8) + body
    }

    private static func value(_ name: String, in lines: [Substring]) -> String? {
        lines.dropFirst().first { $0.lowercased().hasPrefix(name + ":") }
            .map { $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) }
    }
}
