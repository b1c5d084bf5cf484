/// Requests to one address, without cookies and redirects: a test sees exactly what was received.
struct HTTPProbe: Sendable {
    let host: String
    let port: UInt16
    /// The value of the `Host` header, if different from the connected name.
    var authority: String?
    /// The loopback address to connect from.
    var source: String?
    var timeout: Duration = .seconds(30)

    typealias Headers = [(String, String)]

    init(
        host: String = "127.0.0.1", port: UInt16, authority: String? = nil, source: String? = nil,
        timeout: Duration = .seconds(30)
    ) {
        (self.host, self.port, self.authority, self.source, self.timeout) = (host, port, authority, source, timeout)
    }

    func get(_ target: String, _ headers: Headers = []) async throws -> ProbeReply {
        try await send("GET", target, headers)
    }

    func post(_ target: String, _ headers: Headers = [], body: [UInt8]) async throws -> ProbeReply {
        try await send("POST", target, headers, body: body)
    }

    func send(_ method: String, _ target: String, _ headers: Headers = [], body: [UInt8]? = nil) async throws
        -> ProbeReply
    {
        let bytes = request(method, target, headers, body: body)
        return try await onOwnThread {
            let connection = try connect()
            try connection.send(bytes)
            return try connection.reply(isHead: method == "HEAD")
        }
    }

    /// Sends exactly these bytes and returns everything until the server closes. Our half close asks the server
    /// to close.
    /// - Throws: `ProbeFailure` when it does not within the timeout.
    func raw(_ bytes: [UInt8], halfClose: Bool = true) async throws -> [UInt8] {
        try await onOwnThread {
            let connection = try connect()
            try connection.send(bytes)
            if halfClose { connection.finishSending() }
            return try connection.everything()
        }
    }

    func connect() throws -> HTTPConnection {
        try HTTPConnection(host: host, port: port, from: source, timeout: timeout)
    }

    /// The bytes of a request. `close: false` leaves the connection open for another.
    func request(
        _ method: String, _ target: String, _ headers: Headers = [], body: [UInt8]? = nil, close: Bool = true
    ) -> [UInt8] {
        var head = "\(method) \(target) HTTP/1.1\r\nHost: \(authority ?? "\(host):\(port)")\r\n"
        if close { head += "Connection: close\r\n" }
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        if let body { head += "Content-Length: \(body.count)\r\n" }
        return Array(head.utf8) + [13, 10] + (body ?? [])
    }
}
