import CCurl
import Foundation

/// Carries requests to App Store Connect by libcurl: https with the certificate checked, no redirect followed, no proxy,
/// bounded in time and size.
struct CurlStoreConnectCarrier: StoreConnectCarrier {
    /// Only ever set for this very machine.
    let isPlaintext: Bool
    /// Trusted beside the system's authorities.
    let caFile: String?
    /// For a whole request. Apple answers in a second or two.
    var timeLimit: Duration = .seconds(30)

    /// Some hundred App IDs with their attributes are some hundred kilobytes.
    fileprivate static let largestAnswer = 4 << 20
    private static let isCurlReady = sso_curl_global_init() == CURLE_OK

    func carry(_ request: StoreConnectRequest, token: String) async throws(StoreConnectFault) -> StoreConnectAnswer {
        // On a thread of its own: curl blocks, and Swift's pool has few threads.
        let outcome: Result<StoreConnectAnswer, StoreConnectFault> = await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: perform(request, token: token)) }
            thread.stackSize = 1 << 20
            thread.start()
        }
        return try outcome.get()
    }

    private func perform(
        _ request: StoreConnectRequest, token: String
    ) -> Result<StoreConnectAnswer, StoreConnectFault> {
        guard Self.isCurlReady, let handle = curl_easy_init() else { return .failure(.notReached("out of memory")) }
        defer { curl_easy_cleanup(handle) }
        var lines = ["Authorization: Bearer \(token)", "Accept: application/json"]
        if request.body != nil { lines.append("Content-Type: application/json") }
        var headers: UnsafeMutablePointer<curl_slist>?
        defer { curl_slist_free_all(headers) }
        for line in lines {
            guard let longer = curl_slist_append(headers, line) else { return .failure(.notReached("out of memory")) }
            headers = longer
        }
        let received = ReceivedAnswer()
        guard prepare(handle, request, headers, received) else {
            return .failure(.notReached("curl refused an option"))
        }
        let code = withExtendedLifetime(received) { curl_easy_perform(handle) }
        guard code == CURLE_OK else { return .failure(.notReached(String(cString: curl_easy_strerror(code)))) }
        var status = 0
        _ = sso_curl_get_long(handle, CURLINFO_RESPONSE_CODE, &status)
        return .success(StoreConnectAnswer(status: status, headers: received.headers, body: received.body))
    }

    private func prepare(
        _ handle: UnsafeMutableRawPointer, _ request: StoreConnectRequest,
        _ headers: UnsafeMutablePointer<curl_slist>?, _ received: ReceivedAnswer
    ) -> Bool {
        func set(_ option: CURLoption, _ value: Int) -> CURLcode { sso_curl_set_long(handle, option, value) }
        func set(_ option: CURLoption, _ value: String) -> CURLcode { sso_curl_set_string(handle, option, value) }
        let context = Unmanaged.passUnretained(received).toOpaque()
        let milliseconds = Int(timeLimit.components.seconds) * 1000
        var codes = [
            set(CURLOPT_URL, request.url), set(CURLOPT_PROTOCOLS_STR, isPlaintext ? "http" : "https"),
            set(CURLOPT_SSL_VERIFYPEER, 1), set(CURLOPT_SSL_VERIFYHOST, 2),
            set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)),
            // The token goes to this address and nobody it points to.
            set(CURLOPT_FOLLOWLOCATION, 0), set(CURLOPT_PROXY, ""), set(CURLOPT_NOPROXY, "*"), set(CURLOPT_NETRC, 0),
            set(CURLOPT_TIMEOUT_MS, milliseconds), set(CURLOPT_MAXFILESIZE, Self.largestAnswer),
            set(CURLOPT_USERAGENT, "wellknown/\(WellKnownProgram.version)"), set(CURLOPT_NOSIGNAL, 1),
            sso_curl_set_quick_exit(handle), sso_curl_set_list(handle, CURLOPT_HTTPHEADER, headers),
            sso_curl_set_receive(handle, CURLOPT_WRITEFUNCTION, receiveAnswerBody),
            sso_curl_set_pointer(handle, CURLOPT_WRITEDATA, context),
            sso_curl_set_receive(handle, CURLOPT_HEADERFUNCTION, receiveAnswerHeader),
            sso_curl_set_pointer(handle, CURLOPT_HEADERDATA, context),
        ]
        if let body = request.body {
            // The size first: curl copies that many bytes.
            codes.append(sso_curl_set_offset(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count)))
            codes.append(body.withUnsafeBytes { sso_curl_set_pointer(handle, CURLOPT_COPYPOSTFIELDS, $0.baseAddress) })
        }
        if let caFile { codes.append(set(CURLOPT_CAINFO, caFile)) }
        return codes.allSatisfy { $0 == CURLE_OK }
    }
}

/// What has arrived of one answer. Belongs to the thread of its transfer.
private final class ReceivedAnswer {
    var headers: [(name: String, value: String)] = []
    var body: [UInt8] = []
    private var headerBytes = 0

    /// False ends the transfer: an answer is bounded while it arrives.
    func receive(body bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count <= CurlStoreConnectCarrier.largestAnswer - body.count else { return false }
        body.append(contentsOf: bytes)
        return true
    }

    func receive(header bytes: UnsafeRawBufferPointer) -> Bool {
        headerBytes += bytes.count
        guard headerBytes <= 1 << 16 else { return false }
        if bytes.starts(with: "HTTP/".utf8) { headers = [] }
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return true }
        let value = String(decoding: bytes[(colon + 1)...], as: UTF8.self)
        headers.append(
            (
                String(decoding: bytes[..<colon], as: UTF8.self).lowercased(),
                value.trimmingCharacters(in: .whitespacesAndNewlines)
            ))
        return true
    }
}

private let receiveAnswerBody: sso_curl_receive = { bytes, size, count, context in
    receive(bytes, size * count, context) { $0.receive(body: $1) }
}

private let receiveAnswerHeader: sso_curl_receive = { bytes, size, count, context in
    receive(bytes, size * count, context) { $0.receive(header: $1) }
}

private func receive(
    _ bytes: UnsafeMutablePointer<CChar>?, _ total: Int, _ context: UnsafeMutableRawPointer?,
    _ take: (ReceivedAnswer, UnsafeRawBufferPointer) -> Bool
) -> Int {
    guard let bytes, let context else { return 0 }
    let answer = Unmanaged<ReceivedAnswer>.fromOpaque(context).takeUnretainedValue()
    // Taking none of zero bytes would look like success to curl: refuse with a number that cannot be right.
    return take(answer, UnsafeRawBufferPointer(start: bytes, count: total)) ? total : total + 1
}
