import Foundation
import Synchronization

@testable import SSOShared

/// A small HTTP server on a raw socket, on a port that the system picks. It answers exactly the bytes a test wants,
/// valid or not.
final class BackChannelStub: Sendable {
    /// What the server received.
    struct Request: Sendable {
        let head: String
        let body: [UInt8]

        func header(_ name: String) -> String? {
            head.split(separator: "\r\n").dropFirst()
                .first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
                .map { $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) }
        }
    }

    enum Answer: Sendable {
        /// Sends the bytes and waits for the next request on the same connection.
        case bytes([UInt8])
        /// Sends the bytes and closes.
        case bytesThenClose([UInt8])
        /// Sends a beginning, then the same bytes repeatedly until the other end closes.
        case endless([UInt8], again: [UInt8])
        /// Sends a beginning at once, then one byte every 100 ms, then closes.
        case drip([UInt8], after: Int)
        /// Sends nothing until the other end closes.
        case hang
    }

    let port: Int
    private let listener: Int32
    /// Bound to the same port, and never listens: after ``stop()`` no other server gets the port while this one is known.
    private let placeholder: Int32
    private let isStopped = Atomic(false)
    private let seen = Mutex<(requests: [Request], connections: Int)>(([], 0))

    var origin: String { "http://127.0.0.1:\(port)" }
    var requests: [Request] { seen.withLock { $0.requests } }
    var connections: Int { seen.withLock { $0.connections } }

    struct Unavailable: Error {}

    init(_ answer: @escaping @Sendable (Request) -> Answer) throws {
        let (placeholder, listener) = (Self.tcpSocket(), Self.tcpSocket())
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(placeholder, $0, size) == 0 && getsockname(placeholder, $0, &size) == 0
                    && bind(listener, $0, size) == 0 && listen(listener, 256) == 0
            }
        }
        guard bound else {
            close(listener)
            close(placeholder)
            throw Unavailable()
        }
        (self.listener, self.placeholder) = (listener, placeholder)
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { [self] in
            while case let connection = accept(listener, nil, nil), connection >= 0 {
                seen.withLock { $0.connections += 1 }
                Thread.detachNewThread { [self] in
                    serve(connection, answer)
                    close(connection)
                }
            }
            // Here and not in stop(): the next socket may get the same number while this thread is about to accept.
            close(listener)
        }
    }

    deinit { close(placeholder) }

    /// A socket that shares its port with another one of this kind, as long as that one does not listen.
    private static func tcpSocket() -> Int32 {
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var isOn: Int32 = 1
        setsockopt(number, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
        return number
    }

    /// Stops listening: connections are refused from now on, and open ones end with their clients.
    func stop() {
        // Once: later the number may be that of another socket.
        guard isStopped.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged else { return }
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private func serve(_ connection: Int32, _ answer: @Sendable (Request) -> Answer) {
        while let request = Self.read(connection) {
            seen.withLock { $0.requests.append(request) }
            switch answer(request) {
            case .bytes(let bytes): guard Self.send(bytes, connection) else { return }
            case .bytesThenClose(let bytes):
                _ = Self.send(bytes, connection)
                return
            case .endless(let beginning, let again):
                guard Self.send(beginning, connection) else { return }
                while Self.send(again, connection) {}
            case .drip(let bytes, let count):
                guard Self.send(Array(bytes.prefix(count)), connection) else { return }
                for byte in bytes.dropFirst(count) {
                    Thread.sleep(forTimeInterval: 0.1)
                    guard Self.send([byte], connection) else { return }
                }
                return
            case .hang:
                var byte: UInt8 = 0
                while recv(connection, &byte, 1, 0) > 0 {}
                return
            }
        }
    }

    private static func read(_ connection: Int32) -> Request? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            if let end = bytes.firstRange(of: [13, 10, 13, 10]) {
                let request = Request(
                    head: String(decoding: bytes[..<end.lowerBound], as: UTF8.self),
                    body: Array(bytes[end.upperBound...]))
                if request.body.count >= Int(request.header("content-length") ?? "0") ?? 0 { return request }
            }
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            bytes += buffer[..<count]
        }
    }

    private static func send(_ bytes: [UInt8], _ connection: Int32) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Foundation.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }
}

/// The client id and secret of these tests, and the answers of an honest identity provider.
enum BackChannelFixture {
    static let clientID = "partner"
    static let token = "sst_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
    static let secretText = "correct-horse-battery-staple-0123456789"

    static func secret() throws -> SharedSecret { try .parse(secretText, setting: "SSO_SHARED_SECRET") }

    static func reply(clientID: String = clientID) -> VerifyReply {
        VerifyReply(
            user: VerifiedUser(id: "u1", email: "ann@example.com", name: "Ann"), clientID: clientID,
            session: VerifiedSession(id: "s1", authenticatedAt: 1_790_000_000, methods: ["email_code"]))
    }

    /// An answer with a length and the given header lines.
    static func http(_ status: String, _ headers: [String] = [], _ body: [UInt8]) -> [UInt8] {
        let lines = ["HTTP/1.1 \(status)", "Content-Length: \(body.count)"] + headers
        return [UInt8]((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
    }

    /// The correct answer to the request.
    static func signed(
        _ request: BackChannelStub.Request, label: MessageLabel = .verify, body: [UInt8] = reply().body(),
        type: String = "application/json"
    ) -> [UInt8] {
        http("200 OK", ["Content-Type: \(type)", signature(request, label: label, body)], body)
    }

    static func signature(
        _ request: BackChannelStub.Request, label: MessageLabel = .verify, _ body: [UInt8]
    ) -> String {
        guard let secret = try? secret() else { return "" }
        let question = RequestSignature.request(body: request.body, secret: secret, label: label)
        return "X-SSO-Signature: \(RequestSignature.response(body: body, to: question, secret: secret).headerValue)"
    }

    static func client(
        _ origin: String, requireSignedResponse: Bool = true, caFile: String? = nil,
        limits: HTTPLimits = HTTPLimits()
    ) throws -> BackChannelClient {
        try BackChannelClient(
            origin: origin, clientID: clientID, secret: try secret(), requireSignedResponse: requireSignedResponse,
            caFile: caFile, limits: limits)
    }

    /// The result of one call.
    static func outcome(
        _ client: BackChannelClient, token: String = token
    ) async -> Result<VerifyReply, BackChannelError> {
        do { return .success(try await client.verify(token: token)) } catch { return .failure(error) }
    }
}
