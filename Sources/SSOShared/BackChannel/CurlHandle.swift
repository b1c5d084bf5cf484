import CCurl

/// One easy handle of curl, set up anew for every transfer. Lives on the driver's thread.
struct CurlHandle {
    let raw: UnsafeMutableRawPointer

    init?() {
        guard let raw = curl_easy_init() else { return nil }
        self.raw = raw
    }

    func close() { curl_easy_cleanup(raw) }

    /// Sets every option of one call.
    ///
    /// - Parameters:
    ///   - headers: owned by the caller, who keeps it until the transfer has ended.
    ///   - remaining: what is left of the time for the whole call.
    /// - Returns: false when curl refuses one of them. The call is then not made: an option that silently does not hold
    ///   may be the one that checks certificates.
    func prepare(
        _ transfer: CurlTransfer, settings: CurlSettings, headers: UnsafeMutablePointer<curl_slist>?,
        remaining: Duration
    ) -> Bool {
        curl_easy_reset(raw)
        let context = UnsafeRawPointer(Unmanaged.passUnretained(transfer).toOpaque())
        let isSet = [
            // What to send. The body is read by a callback that cannot go back: when a connection breaks after some of it
            // has left, curl would otherwise post it again by itself, and nobody could tell whose token was consumed.
            set(CURLOPT_URL, transfer.request.url),
            set(transfer.request.body == nil ? CURLOPT_HTTPGET : CURLOPT_POST, 1),
            sso_curl_set_offset(raw, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(transfer.request.body?.count ?? -1)),
            sso_curl_set_send(raw, CURLOPT_READFUNCTION, sendBody),
            sso_curl_set_pointer(raw, CURLOPT_READDATA, context),
            sso_curl_set_list(raw, CURLOPT_HTTPHEADER, headers),
            set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)),

            // Whom to trust, and whom to talk to: this address and nobody it points to, no stored login.
            sso_curl_set_manners(raw),
            set(CURLOPT_PROTOCOLS_STR, settings.isPlaintext ? "http" : "https"),
            set(CURLOPT_FOLLOWLOCATION, 0),
            set(CURLOPT_NETRC, 0),

            // How long and how much.
            set(CURLOPT_CONNECTTIMEOUT_MS, settings.limits.connect.curlMilliseconds),
            set(CURLOPT_TIMEOUT_MS, remaining.curlMilliseconds),
            set(CURLOPT_MAXFILESIZE, settings.limits.replyBytes),
            set(CURLOPT_BUFFERSIZE, 16384),
            // Nothing is ever unpacked: a bomb stays as small as it came, and the signature is over the bytes as sent.
            set(CURLOPT_HTTP_CONTENT_DECODING, 0),
            // Below the 15 s after which the other end closes: a connection about to close is not used again.
            set(CURLOPT_MAXAGE_CONN, 10),

            // A library in a server: no waiting for a name lookup that has been given up.
            sso_curl_set_quick_exit(raw),

            sso_curl_set_pointer(raw, CURLOPT_PRIVATE, context),
            sso_curl_set_pointer(raw, CURLOPT_ERRORBUFFER, transfer.errorText),
            sso_curl_set_receive(raw, CURLOPT_WRITEFUNCTION, receiveBody),
            sso_curl_set_pointer(raw, CURLOPT_WRITEDATA, context),
            sso_curl_set_receive(raw, CURLOPT_HEADERFUNCTION, receiveHeader),
            sso_curl_set_pointer(raw, CURLOPT_HEADERDATA, context),
        ]
        // Beside the system's roots, which stay in force through their folder.
        let isTrustSet = settings.caFile.map { set(CURLOPT_CAINFO, $0) } ?? CURLE_OK
        return isSet.allSatisfy { $0 == CURLE_OK } && isTrustSet == CURLE_OK
    }

    /// The status of the last answer; 0 without one.
    var status: Int {
        var status = 0
        return sso_curl_get_long(raw, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK ? status : 0
    }

    private func set(_ option: CURLoption, _ value: Int) -> CURLcode { sso_curl_set_long(raw, option, value) }
    private func set(_ option: CURLoption, _ value: String) -> CURLcode { sso_curl_set_string(raw, option, value) }
}

/// What is the same for every call of one transport.
struct CurlSettings: Sendable {
    let isPlaintext: Bool
    let caFile: String?
    let limits: BackChannelLimits
}

private let sendBody: sso_curl_send = { buffer, size, count, context in
    guard let buffer, let context else { return 0 }
    let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    return transfer.sendBody(into: UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
}

private let receiveBody: sso_curl_receive = { bytes, size, count, context in
    receive(bytes, size, count, context) { $0.receiveBody($1) }
}

private let receiveHeader: sso_curl_receive = { bytes, size, count, context in
    receive(bytes, size, count, context) { $0.receiveHeader($1) }
}

/// The driver keeps the transfer alive for as long as its handle is in use.
private func receive(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?,
    _ take: (CurlTransfer, UnsafeRawBufferPointer) -> Bool
) -> Int {
    guard let bytes, let context else { return 0 }
    let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    let total = size * count
    // Taking none of zero bytes would look like success to curl: refuse with a number that cannot be right.
    return take(transfer, UnsafeRawBufferPointer(start: bytes, count: total)) ? total : total + 1
}
