import CCurl
import Foundation
import WellKnown

/// One request to make.
struct WebRequest: Sendable {
    enum Family: Sendable {
        case any, ipv4, ipv6
    }

    var url: String
    var userAgent = WebRequest.browser
    var isHead = false
    var family = Family.any
    /// Asks for compressed answers and unpacks them.
    var isCompressed = false
    /// Whether a private or reserved address may be connected to.
    var allowsPrivate = false
    /// The files themselves are looked at over http only to say that nobody else does.
    var allowsHTTP = false
    /// Further header lines, `Name: value`. Not for what comes out of files.
    var headers: [String] = []
    /// Posted when there is one; then it is no GET.
    var posted: [UInt8]?

    /// As a browser says it.
    static let browser =
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36"
}

/// What is the same for all requests of a run.
struct WebSettings: Sendable {
    /// For a whole request, the last byte included. Android's verifier gives five seconds.
    var timeLimit: Duration = .seconds(5)
    /// The most that is read of a body: what the most patient reader takes, and one byte to see that there was more.
    var largestBody = 1 << 20
    /// Trusted beside the system's authorities; `nil` for those alone.
    var caFile: String?
    /// `host:port:address` entries that stand in for DNS.
    var resolve: [String] = []
    /// Whether the site may be at a private or reserved address.
    var allowsPrivate = false
}

/// Asks once, as the systems do: https, the certificate checked, no redirect followed, no proxy, bounded in time and size.
struct WebClient: Sendable {
    let settings: WebSettings

    init?(_ settings: WebSettings) {
        guard Self.isCurlReady else { return nil }
        self.settings = settings
    }

    private static let isCurlReady = sso_curl_global_init() == CURLE_OK

    /// Waits on a thread of its own: curl blocks, and the cooperative pool has few threads.
    func ask(_ request: WebRequest) async -> HTTPOutcome {
        await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: perform(request)) }
            thread.stackSize = 1 << 20
            thread.start()
        }
    }

    private func perform(_ request: WebRequest) -> HTTPOutcome {
        guard let handle = curl_easy_init() else { return .failure(.impossible("out of memory")) }
        defer { curl_easy_cleanup(handle) }
        let transfer = WebTransfer(request, largestBody: settings.largestBody)
        var resolve: UnsafeMutablePointer<curl_slist>?
        for entry in settings.resolve { resolve = curl_slist_append(resolve, entry) ?? resolve }
        defer { curl_slist_free_all(resolve) }
        var headers: UnsafeMutablePointer<curl_slist>?
        for line in request.headers { headers = curl_slist_append(headers, line) ?? headers }
        defer { curl_slist_free_all(headers) }
        let words = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
        words.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        defer { words.deallocate() }
        guard prepare(handle, transfer, resolve: resolve, words: words) else {
            return .failure(.impossible("curl refused an option"))
        }
        guard extend(handle, request, headers: headers) else {
            return .failure(.impossible("curl refused an option"))
        }
        let code = withExtendedLifetime(transfer) { curl_easy_perform(handle) }
        let text = words.pointee == 0 ? String(cString: curl_easy_strerror(code)) : String(cString: words)
        return outcome(code, text, handle, transfer)
    }

    /// False when curl refuses an option: one that silently does not hold may be the one that checks certificates.
    private func prepare(
        _ handle: UnsafeMutableRawPointer, _ transfer: WebTransfer, resolve: UnsafeMutablePointer<curl_slist>?,
        words: UnsafeMutablePointer<CChar>
    ) -> Bool {
        let request = transfer.request
        let context = Unmanaged.passUnretained(transfer).toOpaque()
        let protocols = request.allowsHTTP ? "http,https" : "https"
        let family =
            switch request.family {
            case .any: CURL_IPRESOLVE_WHATEVER
            case .ipv4: CURL_IPRESOLVE_V4
            case .ipv6: CURL_IPRESOLVE_V6
            }
        func set(_ option: CURLoption, _ value: Int) -> CURLcode { sso_curl_set_long(handle, option, value) }
        func set(_ option: CURLoption, _ value: String) -> CURLcode { sso_curl_set_string(handle, option, value) }
        var codes = [
            set(CURLOPT_URL, request.url), set(CURLOPT_USERAGENT, request.userAgent),
            set(CURLOPT_PROTOCOLS_STR, protocols), set(CURLOPT_FOLLOWLOCATION, 0), set(CURLOPT_PATH_AS_IS, 1),
            set(request.isHead ? CURLOPT_NOBODY : CURLOPT_HTTPGET, 1),
            set(CURLOPT_SSL_VERIFYPEER, 1), set(CURLOPT_SSL_VERIFYHOST, 2),
            set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)),
            // A proxy would connect for us, and past the check of the address.
            set(CURLOPT_PROXY, ""), set(CURLOPT_NOPROXY, "*"), set(CURLOPT_NETRC, 0),
            set(CURLOPT_TIMEOUT_MS, limitInMilliseconds), set(CURLOPT_CONNECTTIMEOUT_MS, limitInMilliseconds),
            set(CURLOPT_IPRESOLVE, Int(family)), set(CURLOPT_FRESH_CONNECT, 1), set(CURLOPT_NOSIGNAL, 1),
            sso_curl_set_quick_exit(handle),
            sso_fetch_set_opensocket(handle, openGuardedSocket, context),
            sso_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, words),
            sso_curl_set_receive(handle, CURLOPT_WRITEFUNCTION, receiveWebBody),
            sso_curl_set_pointer(handle, CURLOPT_WRITEDATA, context),
            sso_curl_set_receive(handle, CURLOPT_HEADERFUNCTION, receiveWebHeader),
            sso_curl_set_pointer(handle, CURLOPT_HEADERDATA, context),
        ]
        if request.isCompressed { codes.append(set(CURLOPT_ACCEPT_ENCODING, "gzip, deflate")) }
        if let file = settings.caFile { codes.append(set(CURLOPT_CAINFO, file)) }
        if resolve != nil { codes.append(sso_curl_set_list(handle, CURLOPT_RESOLVE, resolve)) }
        return codes.allSatisfy { $0 == CURLE_OK }
    }

    /// What plain questions for a file do not have.
    private func extend(
        _ handle: UnsafeMutableRawPointer, _ request: WebRequest, headers: UnsafeMutablePointer<curl_slist>?
    ) -> Bool {
        var codes = [sso_curl_set_list(handle, CURLOPT_HTTPHEADER, headers)]
        if let body = request.posted {
            // The size first: curl copies that many bytes.
            codes.append(sso_curl_set_offset(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count)))
            codes.append(body.withUnsafeBytes { sso_curl_set_pointer(handle, CURLOPT_COPYPOSTFIELDS, $0.baseAddress) })
        }
        return codes.allSatisfy { $0 == CURLE_OK }
    }

    private func outcome(
        _ code: CURLcode, _ text: String, _ handle: UnsafeMutableRawPointer, _ transfer: WebTransfer
    ) -> HTTPOutcome {
        guard code == CURLE_OK || transfer.isTruncated else { return .failure(failure(code, text, handle, transfer)) }
        var status = 0
        _ = sso_curl_get_long(handle, CURLINFO_RESPONSE_CODE, &status)
        let address = sso_fetch_get_text(handle, CURLINFO_PRIMARY_IP).map { String(cString: $0) }
        return .success(
            HTTPAnswer(
                status: status, headers: transfer.headers, body: transfer.body, isTruncated: transfer.isTruncated,
                address: address?.isEmpty == false ? address : nil,
                milliseconds: Int(sso_fetch_get_time(handle, CURLINFO_TOTAL_TIME_T) / 1000)))
    }

    private func failure(
        _ code: CURLcode, _ text: String, _ handle: UnsafeMutableRawPointer, _ transfer: WebTransfer
    ) -> HTTPFetchError {
        if !transfer.refused.isEmpty, !transfer.hasConnected { return .privateAddress(transfer.refused) }
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST: return .noSuchHost
        case CURLE_OPERATION_TIMEDOUT: return .timedOut(milliseconds: limitInMilliseconds)
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
            return .certificate(text)
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER: return .tls(text)
        case CURLE_COULDNT_CONNECT:
            // No socket was ever made: the host has no address of this family.
            guard transfer.hasConnected else { return .noSuchHost }
            var number = 0
            _ = sso_curl_get_long(handle, CURLINFO_OS_ERRNO, &number)
            let isOurs = [ENETUNREACH, EADDRNOTAVAIL, EAFNOSUPPORT].contains(Int32(truncatingIfNeeded: number))
            return isOurs ? .noRoute(text) : .notConnected(text)
        case CURLE_GOT_NOTHING, CURLE_WEIRD_SERVER_REPLY, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE,
            CURLE_BAD_CONTENT_ENCODING, CURLE_WRITE_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM:
            return .malformed(text)
        case CURLE_SSL_CACERT_BADFILE, CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL: return .impossible(text)
        default: return .notConnected(text)
        }
    }

    private var limitInMilliseconds: Int {
        let parts = settings.timeLimit.components
        let fraction = Int(parts.attoseconds / 1_000_000_000_000_000)
        return max(1, Int(min(parts.seconds, 3600)) * 1000 + fraction)
    }
}
