import CCurl

/// What to ask.
struct CurlRequest: Sendable {
    let url: String
    let headers: [String]
    /// What is posted; nil for a GET.
    let body: [UInt8]?
}

/// What came back. Whether to believe it is for ``BackChannelClient`` to say.
struct CurlResponse: Sendable {
    let status: Int
    /// Names in lower case, values without blanks at the ends, in the order they came.
    let headers: [(name: String, value: String)]
    let body: [UInt8]

    func values(_ name: String) -> [String] { headers.filter { $0.name == name }.map(\.value) }
}

/// Why nothing usable came back. The texts are curl's, for the log.
enum TransportFailure: Error, Equatable {
    case busy
    case cancelled
    case closed
    case timedOut
    case tooLarge
    case certificate(String)
    case broken(String)
}

/// One call on its way: its continuation, and what has been received.
///
/// Made on the caller's thread, handed over to the driver's, and touched by nobody else after that: hence `@unchecked`.
final class CurlTransfer: @unchecked Sendable {
    typealias Outcome = Result<CurlResponse, TransportFailure>

    /// More header bytes than any honest answer has: the rest of the answer is not waited for.
    static let maximumHeaderBytes = 16384

    let id: UInt64
    let request: CurlRequest
    let asked: ContinuousClock.Instant
    let errorText: UnsafeMutablePointer<CChar>
    private let replyBytes: Int
    private var continuation: CheckedContinuation<Outcome, Never>?

    private var sent = 0
    private var headers: [(name: String, value: String)] = []
    private var headerBytes = 0
    private var body: [UInt8] = []
    private var isTooLarge = false

    init(
        id: UInt64, request: CurlRequest, asked: ContinuousClock.Instant, replyBytes: Int,
        continuation: CheckedContinuation<Outcome, Never>
    ) {
        self.id = id
        self.request = request
        self.asked = asked
        self.replyBytes = replyBytes
        self.continuation = continuation
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit { errorText.deallocate() }

    /// Answers the caller; a second time does nothing.
    func finish(_ outcome: Outcome) {
        continuation?.resume(returning: outcome)
        continuation = nil
    }

    /// What curl's verdict on the finished transfer means.
    func outcome(of code: CURLcode, status: Int) -> Outcome {
        if isTooLarge { return .failure(.tooLarge) }
        let words = errorText.pointee == 0 ? String(cString: curl_easy_strerror(code)) : String(cString: errorText)
        let fault = "\(ConnectionFault(curl: code.rawValue, detail: words))"
        return switch code {
        case CURLE_OK: .success(CurlResponse(status: status, headers: headers, body: body))
        case CURLE_OPERATION_TIMEDOUT: .failure(.timedOut)
        case CURLE_FILESIZE_EXCEEDED: .failure(.tooLarge)
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
            .failure(.certificate(fault))
        default: .failure(.broken(fault))
        }
    }

    /// The next part of the body; 0 when all of it has been taken.
    func sendBody(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let part = (request.body ?? [])[sent...].prefix(buffer.count)
        buffer.copyBytes(from: part)
        sent += part.count
        return part.count
    }

    /// False ends the transfer: the answer is bounded while it arrives, not after a giant has been taken in.
    func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count <= replyBytes - body.count else {
            isTooLarge = true
            return false
        }
        body.append(contentsOf: bytes)
        return true
    }

    /// One header line. A status line begins anew: an interim answer (1xx) came before the real one.
    func receiveHeader(_ bytes: UnsafeRawBufferPointer) -> Bool {
        headerBytes += bytes.count
        guard headerBytes <= Self.maximumHeaderBytes else {
            isTooLarge = true
            return false
        }
        // Lines after the body are trailers: they announce nothing about a body that has been read already.
        guard body.isEmpty else { return true }
        if bytes.starts(with: "HTTP/".utf8) {
            headers = []
        } else if let colon = bytes.firstIndex(of: UInt8(ascii: ":")) {
            let name = String(decoding: bytes[..<colon], as: UTF8.self).lowercased()
            let value = bytes[(colon + 1)...].drop(while: Self.isBlank).reversed().drop(while: Self.isBlank).reversed()
            headers.append((name, String(decoding: value, as: UTF8.self)))
        }
        return true
    }

    private static func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0d, 0x0a].contains(byte) }
}
