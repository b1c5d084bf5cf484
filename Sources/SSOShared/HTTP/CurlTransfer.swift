import CCurl
import Foundation

/// One call of an ``HTTPClient``: its libcurl handle, and what has been received.
///
/// Created and submitted by the caller's task, then used by the driver's thread alone: hence `@unchecked`.
final class CurlTransfer: @unchecked Sendable {
    typealias Outcome = Result<HTTPClient.Response, ConnectionError>

    let start = ContinuousClock.now
    var continuation: CheckedContinuation<Outcome, Never>?
    private(set) var handle: UnsafeMutableRawPointer?
    private let request: HTTPClient.Request
    private let options: HTTPClient.Options
    private var lists: [UnsafeMutablePointer<curl_slist>?] = []
    private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

    private var sentBytes = 0
    private var headers: [(name: String, value: String)] = []
    private var headerBytes = 0
    private var body: [UInt8] = []
    private var isTooLarge = false
    private var refusedAddresses: [String] = []
    private var hasAllowedAddress = false

    init(_ request: HTTPClient.Request, options: HTTPClient.Options) {
        self.request = request
        self.options = options
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        release()
        errorText.deallocate()
    }

    /// Returns an outcome to the caller. A second call does nothing.
    func finish(_ outcome: Outcome) {
        release()
        continuation?.resume(returning: outcome)
        continuation = nil
    }

    private func release() {
        if let handle { curl_easy_cleanup(handle) }
        handle = nil
        lists.forEach(curl_slist_free_all)
        lists = []
    }

    /// Creates the handle with all options. When libcurl refuses one, the call is not made: an option without effect may be
    /// the one that checks certificates.
    func prepare() throws(ConnectionError) -> UnsafeMutableRawPointer {
        let limit = min(options.limits.call, request.timeout ?? options.limits.call)
        let remaining = limit - (.now - start)
        guard remaining > .zero else { throw .timedOut }
        guard let handle = curl_easy_init() else { throw .impossible("out of memory") }
        self.handle = handle
        let codes =
            [sso_curl_set_common_options(handle, options.caFile)] + setTarget(of: handle)
            + setLimits(of: handle, remaining) + setCallbacks(of: handle) + setContent(of: handle)
        guard codes.allSatisfy({ $0 == CURLE_OK }) else { throw .impossible("libcurl refused an option") }
        return handle
    }

    /// What is asked, and over which connections.
    private func setTarget(of handle: UnsafeMutableRawPointer) -> [CURLcode] {
        let family =
            switch request.addressFamily {
            case .any: CURL_IPRESOLVE_WHATEVER
            case .ipv4: CURL_IPRESOLVE_V4
            case .ipv6: CURL_IPRESOLVE_V6
            }
        let version = options.usesHTTP2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1
        return [
            sso_curl_set_long(handle, CURLOPT_IPRESOLVE, Int(family)),
            sso_curl_set_string(handle, CURLOPT_URL, request.url),
            sso_curl_set_long(handle, CURLOPT_PATH_AS_IS, 1),
            sso_curl_set_long(handle, CURLOPT_HTTP_VERSION, Int(version)),
            sso_curl_set_string(handle, CURLOPT_PROTOCOLS_STR, request.allowsHTTP ? "http,https" : "https"),
            sso_curl_set_long(handle, CURLOPT_FOLLOWLOCATION, 0), setList(CURLOPT_RESOLVE, options.resolve, of: handle),
        ]
    }

    /// How long the call and its connection may last, and how much may arrive.
    private func setLimits(of handle: UnsafeMutableRawPointer, _ remaining: Duration) -> [CURLcode] {
        let isLast = request.reusesConnection ? 0 : 1
        return [
            sso_curl_set_long(handle, CURLOPT_CONNECTTIMEOUT_MS, options.limits.connect.curlMilliseconds),
            sso_curl_set_long(handle, CURLOPT_TIMEOUT_MS, remaining.curlMilliseconds),
            sso_curl_set_long(handle, CURLOPT_BUFFERSIZE, 16384),
            sso_curl_set_long(handle, CURLOPT_MAXFILESIZE, options.truncatesBodies ? 0 : options.limits.bodyBytes),
            // Shorter than the 15 seconds after which a server may close: a connection about to close is not used again.
            sso_curl_set_long(handle, CURLOPT_MAXAGE_CONN, 10),
            sso_curl_set_long(handle, CURLOPT_FRESH_CONNECT, isLast),
            sso_curl_set_long(handle, CURLOPT_FORBID_REUSE, isLast),
        ]
    }

    private func setCallbacks(of handle: UnsafeMutableRawPointer) -> [CURLcode] {
        let context = Unmanaged.passUnretained(self).toOpaque()
        return [
            sso_curl_set_opensocket(handle, onSocket, context),
            sso_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, errorText),
            sso_curl_set_receive(handle, CURLOPT_WRITEFUNCTION, onBody),
            sso_curl_set_pointer(handle, CURLOPT_WRITEDATA, context),
            sso_curl_set_receive(handle, CURLOPT_HEADERFUNCTION, onHeader),
            sso_curl_set_pointer(handle, CURLOPT_HEADERDATA, context),
        ]
    }

    /// The method, the header fields and the body.
    private func setContent(of handle: UnsafeMutableRawPointer) -> [CURLcode] {
        // Otherwise nothing is decompressed: a bomb stays as small as it arrived, and a signature covers the bytes as sent.
        let encoding =
            request.acceptsCompression
            ? sso_curl_set_string(handle, CURLOPT_ACCEPT_ENCODING, "gzip, deflate")
            : sso_curl_set_long(handle, CURLOPT_HTTP_CONTENT_DECODING, 0)
        switch request.method {
        case .connect: return [sso_curl_set_long(handle, CURLOPT_CONNECT_ONLY, 1)]
        case .get:
            return [
                encoding, sso_curl_set_long(handle, CURLOPT_HTTPGET, 1),
                setList(CURLOPT_HTTPHEADER, request.headers, of: handle),
            ]
        case .head:
            return [
                encoding, sso_curl_set_long(handle, CURLOPT_NOBODY, 1),
                setList(CURLOPT_HTTPHEADER, request.headers, of: handle),
            ]
        case .post(let bytes):
            // Read by a callback that cannot rewind: after a connection breaks, libcurl would otherwise post the body again
            // by itself, and a token may have been consumed.
            return [
                encoding, sso_curl_set_long(handle, CURLOPT_POST, 1),
                sso_curl_set_offset(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(bytes.count)),
                sso_curl_set_send(handle, CURLOPT_READFUNCTION, onSend),
                sso_curl_set_pointer(handle, CURLOPT_READDATA, Unmanaged.passUnretained(self).toOpaque()),
                // Without a value libcurl sends no such header, and does not wait for "100 Continue".
                setList(CURLOPT_HTTPHEADER, request.headers + ["Expect:"], of: handle),
            ]
        }
    }

    /// Sets an option that is a list. The lines live as long as the handle.
    private func setList(_ option: CURLoption, _ lines: [String], of handle: UnsafeMutableRawPointer) -> CURLcode {
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines {
            guard let longer = curl_slist_append(list, line) else { return CURLE_OUT_OF_MEMORY }
            list = longer
        }
        lists.append(list)
        return sso_curl_set_list(handle, option, list)
    }

    /// What the end of the transfer means.
    func outcome(of code: CURLcode) -> Outcome {
        guard let handle else { return .failure(.closed) }
        if isTooLarge, !options.truncatesBodies { return .failure(.tooLarge) }
        guard code == CURLE_OK || isTooLarge else {
            let detail = String(cString: errorText.pointee == 0 ? curl_easy_strerror(code) : UnsafePointer(errorText))
            return .failure(failure(code, detail, handle))
        }
        var status = 0
        _ = sso_curl_get_long(handle, CURLINFO_RESPONSE_CODE, &status)
        let address = sso_curl_get_text(handle, CURLINFO_PRIMARY_IP).map { String(cString: $0) } ?? ""
        return .success(
            HTTPClient.Response(
                status: status, headers: headers, body: body, isTruncated: isTooLarge,
                address: address.isEmpty ? nil : address,
                duration: .microseconds(sso_curl_get_time(handle, CURLINFO_TOTAL_TIME_T))))
    }

    private func failure(_ code: CURLcode, _ detail: String, _ handle: UnsafeMutableRawPointer) -> ConnectionError {
        if !refusedAddresses.isEmpty, !hasAllowedAddress { return .addressRefused(refusedAddresses) }
        guard code == CURLE_COULDNT_CONNECT else { return ConnectionError(curl: code.rawValue, detail: detail) }
        // No socket was asked for: the host has no address of the wanted family.
        guard hasAllowedAddress else { return .nameNotFound(detail) }
        var number = 0
        _ = sso_curl_get_long(handle, CURLINFO_OS_ERRNO, &number)
        let isLocal = [ENETUNREACH, EADDRNOTAVAIL, EAFNOSUPPORT].contains(Int32(truncatingIfNeeded: number))
        return isLocal ? .noRoute(detail) : .notConnected(detail)
    }

    // MARK: - Called by libcurl

    /// The next part of the body; 0 after the last.
    fileprivate func sendBody(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard case .post(let bytes) = request.method else { return 0 }
        let part = bytes[sentBytes...].prefix(buffer.count)
        buffer.copyBytes(from: part)
        sentBytes += part.count
        return part.count
    }

    /// False ends the transfer. The body is limited while it arrives.
    fileprivate func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let room = options.limits.bodyBytes - body.count
        if bytes.count <= room {
            body.append(contentsOf: bytes)
        } else {
            isTooLarge = true
            body.append(contentsOf: bytes.prefix(room + 1))
        }
        return !isTooLarge
    }

    /// One header line. A status line starts again: an interim answer (1xx) came before the final one.
    fileprivate func receiveHeader(_ bytes: UnsafeRawBufferPointer) -> Bool {
        headerBytes += bytes.count
        guard headerBytes <= options.limits.headerBytes else {
            isTooLarge = !options.truncatesBodies
            return false
        }
        // Lines after the body are trailers. They say nothing about a body that has been read.
        guard body.isEmpty else { return true }
        if bytes.starts(with: "HTTP/".utf8) {
            headers = []
        } else if let colon = bytes.firstIndex(of: UInt8(ascii: ":")) {
            let isSpace: (UInt8) -> Bool = { [0x20, 0x09, 0x0d, 0x0a].contains($0) }
            let name = String(decoding: bytes[..<colon], as: UTF8.self).lowercased()
            let value = bytes[(colon + 1)...].drop(while: isSpace).reversed().drop(while: isSpace).reversed()
            headers.append((name, String(decoding: value, as: UTF8.self)))
        }
        return true
    }

    /// Whether libcurl may connect to the address.
    fileprivate func allows(_ address: UnsafePointer<sockaddr>) -> Bool {
        guard let addressError = request.addressError else {
            hasAllowedAddress = true
            return true
        }
        let octets = Self.octets(of: address)
        if let reason = addressError(octets) {
            refusedAddresses.append("\(Self.text(of: octets)) (\(reason))")
            return false
        }
        hasAllowedAddress = true
        return true
    }

    /// The bytes of an IPv4 or IPv6 address in network order; none for another family.
    private static func octets(of address: UnsafePointer<sockaddr>) -> [UInt8] {
        let raw = UnsafeRawPointer(address)
        return switch Int32(address.pointee.sa_family) {
        case AF_INET: withUnsafeBytes(of: raw.loadUnaligned(as: sockaddr_in.self).sin_addr) { Array($0) }
        case AF_INET6: withUnsafeBytes(of: raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr) { Array($0) }
        default: []
        }
    }

    private static func text(of octets: [UInt8]) -> String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN) + 1)
        let family = octets.count == 4 ? AF_INET : AF_INET6
        guard octets.count == 4 || octets.count == 16,
            inet_ntop(family, octets, &text, socklen_t(INET6_ADDRSTRLEN)) != nil
        else { return "an unknown address" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// The driver keeps the transfer alive for as long as libcurl uses its handle.
private func transfer(_ context: UnsafeMutableRawPointer) -> CurlTransfer {
    Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
}

private let onSend: sso_curl_send = { buffer, size, count, context in
    guard let buffer, let context else { return 0 }
    return transfer(context).sendBody(into: UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
}

// Taking 0 of 0 bytes would look like success to libcurl: a refusal returns a number that cannot be right.

private let onBody: sso_curl_receive = { bytes, size, count, context in
    guard let bytes, let context else { return 0 }
    let total = size * count
    return transfer(context).receiveBody(UnsafeRawBufferPointer(start: bytes, count: total)) ? total : total + 1
}

private let onHeader: sso_curl_receive = { bytes, size, count, context in
    guard let bytes, let context else { return 0 }
    let total = size * count
    return transfer(context).receiveHeader(UnsafeRawBufferPointer(start: bytes, count: total)) ? total : total + 1
}

/// Called with the very address that is about to be connected to.
private let onSocket: curl_opensocket_callback = { context, _, address in
    guard let context, let address, let raw = sso_curl_socket_address(address), transfer(context).allows(raw) else {
        return -1
    }
    let type = address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
    return socket(address.pointee.family, type, address.pointee.protocol)
}
