import Foundation

/// An HTTP client over libcurl. It verifies every certificate (TLS 1.2 or newer), follows no redirect, uses no proxy, and
/// limits time and size.
///
/// Keep one and use it from any number of tasks: it holds the connections. Calls that wait hold no thread. Releasing the
/// last reference ends the client's own thread.
public final class HTTPClient: Sendable {
    /// One request.
    public struct Request: Sendable {
        /// What is sent.
        public enum Method: Sendable {
            case get, head, post([UInt8])
            /// Connects, up to TLS, and asks nothing. The status of the answer is 0.
            case connect
        }
        /// Which IP addresses of a host are used.
        public enum AddressFamily: Sendable { case any, ipv4, ipv6 }

        /// An absolute URL. libcurl must agree with the parser that checked it, so build it from a ``WebURL``.
        public var url: String
        public var method = Method.get
        /// Lines such as `Accept: text/html`, sent as they are. They must not hold a line end.
        public var headers: [String] = []
        /// Permits http beside https.
        public var allowsHTTP = false
        public var addressFamily = AddressFamily.any
        /// Asks for gzip and deflate, and decompresses the answer.
        public var acceptsCompression = false
        /// False opens a connection of its own and closes it.
        public var reusesConnection = true
        /// Ends the call earlier than ``HTTPLimits/call`` does.
        public var timeout: Duration?
        /// Called with the 4 or 16 bytes of each address before a connection. A reason refuses the address, also when DNS has
        /// changed its answer since a check (DNS rebinding).
        public var addressError: (@Sendable (_ address: [UInt8]) -> String?)?

        public init(url: String) { self.url = url }
    }

    /// What a server answered. The caller decides whether to believe it.
    public struct Response: Sendable {
        public let status: Int
        /// Names in lower case, values without spaces at the ends, in the order received. Without trailers.
        public let headers: [(name: String, value: String)]
        public let body: [UInt8]
        /// The body was longer than ``HTTPLimits/bodyBytes``; only with ``Options/truncatesBodies``.
        public let isTruncated: Bool
        /// The IP address of the server, nil when unknown.
        public let address: String?
        /// From the start of the transfer to its last byte.
        public let duration: Duration

        public init(
            status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = [], isTruncated: Bool = false,
            address: String? = nil, duration: Duration = .zero
        ) {
            self.status = status
            self.headers = headers
            self.body = body
            self.isTruncated = isTruncated
            self.address = address
            self.duration = duration
        }

        /// All values of a header, whose name is given in lower case.
        public func values(_ name: String) -> [String] { headers.filter { $0.name == name }.map(\.value) }
    }

    /// What is the same for all requests of a client.
    public struct Options: Sendable {
        public var limits = HTTPLimits()
        /// Certificates in PEM form to trust beside the system's.
        public var caFile: String?
        /// `host:port:address` entries that replace DNS.
        public var resolve: [String] = []
        /// Returns the first ``HTTPLimits/bodyBytes`` and one byte of a longer body instead of failing.
        public var truncatesBodies = false
        /// Permits HTTP/2 over TLS.
        public var usesHTTP2 = false

        public init() {}
    }

    private let inbox = CurlInbox()
    private let options: Options

    /// - Throws: ``ConnectionError/impossible(_:)`` when libcurl cannot be initialised.
    public init(_ options: Options = Options()) throws(ConnectionError) {
        self.options = options
        try CurlDriver.start(inbox: inbox, limits: options.limits)
    }

    deinit { inbox.close() }

    /// Sends a request once and never repeats it. Cancelling the task ends it.
    public func send(_ request: Request) async throws(ConnectionError) -> Response {
        let transfer = CurlTransfer(request, options: options)
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { inbox.submit(transfer, $0) }
        } onCancel: {
            inbox.cancel(transfer)
        }
        return try outcome.get()
    }

    /// What is wrong with a file of certificates to trust, nil when it holds at least one in PEM form.
    ///
    /// For a check at start: later a wrong path looks like a wrong certificate of the server.
    public static func problem(withCAFile path: String) -> String? {
        // A system's whole bundle has a few hundred KiB.
        guard let file = FileHandle(forReadingAtPath: path), let data = try? file.read(upToCount: 4 << 20) else {
            return "cannot read the file \(path). Check the path and the permissions."
        }
        guard data.range(of: Data("-----BEGIN CERTIFICATE-----".utf8)) != nil else {
            return "the file \(path) holds no certificate. Give one or more in PEM form."
        }
        // OpenSSL would not see the first certificate.
        guard !data.starts(with: [0xef, 0xbb, 0xbf]) else {
            return "the file \(path) begins with a byte order mark. Save it without."
        }
        return nil
    }
}

/// The time and size limits of an ``HTTPClient``.
public struct HTTPLimits: Sendable {
    /// Until a connection exists, TLS included. Two seconds: a server that takes longer is down for a waiting user.
    public var connect: Duration
    /// The whole call from the moment of asking, waiting for a place included. Five seconds: a user is waiting.
    public var call: Duration
    /// The same for a call that a page waits for and that may fail without harm. Two seconds.
    public var shortCall: Duration
    /// The wait for a place while all are taken. One second: then a page that says "busy" is better.
    public var queue: Duration
    /// The longest body. 64 KiB: an answer on the back channel has a few hundred bytes.
    public var bodyBytes: Int
    /// The longest status line and headers.
    public var headerBytes: Int
    /// Calls in progress at the same time.
    public var concurrentCalls: Int
    /// Calls that wait for a place. Further calls fail immediately.
    public var waitingCalls: Int

    /// The limits of the back channel (docs/protocol.md).
    public init(
        connect: Duration = .seconds(2), call: Duration = .seconds(5), shortCall: Duration = .seconds(2),
        queue: Duration = .seconds(1), bodyBytes: Int = 65536, headerBytes: Int = 16384, concurrentCalls: Int = 32,
        waitingCalls: Int = 1024
    ) {
        self.connect = connect
        self.call = call
        self.shortCall = min(shortCall, call)
        self.queue = queue
        self.bodyBytes = bodyBytes
        self.headerBytes = headerBytes
        self.concurrentCalls = max(1, concurrentCalls)
        self.waitingCalls = waitingCalls
    }
}
