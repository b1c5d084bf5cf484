/// The signature of one message on the back channel: 32 bytes of HMAC-SHA256, in a header as `sha256=` and 64 hex
/// digits.
///
/// It covers the exact bytes of the body. Parsing and encoding again gives other bytes: JSON has many spellings, and a
/// `String` repaired from bad UTF-8 is the same for different bytes.
public struct RequestSignature: Sendable {
    /// The header that carries the signature, in the request and in the answer.
    public static let headerName = "X-SSO-Signature"
    /// The header that may name the signing client. Without it the signature picks the client.
    public static let clientHeaderName = "X-SSO-Client"

    let bytes: [UInt8]

    /// The signature of a request: HMAC-SHA256(secret, the label of the message + body).
    public static func request(
        body: [UInt8], secret: SharedSecret, label: MessageLabel = .verify
    ) -> RequestSignature {
        RequestSignature(bytes: secret.key.code(for: label.message(body)))
    }

    /// The signature of an answer: HMAC-SHA256(secret, "response." + the request's signature in lower-case hex + "." +
    /// body).
    ///
    /// The label separates it from the signature of a request. The request's signature ties it to one request: the answer
    /// for another token is not accepted.
    public static func response(
        body: [UInt8], to request: RequestSignature, secret: SharedSecret
    ) -> RequestSignature {
        var message: [UInt8] = []
        message.reserveCapacity("response.".utf8.count + request.bytes.count * 2 + 1 + body.count)
        message += "response.".utf8
        for byte in request.bytes { Hex.append(byte, to: &message) }
        message.append(UInt8(ascii: "."))
        message += body
        return RequestSignature(bytes: secret.key.code(for: message))
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    /// Reads a header's value: exactly `sha256=` and 64 hex digits of either case, and nothing else.
    ///
    /// A header given twice arrives as a list (`sha256=good,sha256=bad`), which is refused.
    public init?(headerValue: String) {
        let text = headerValue.utf8
        guard text.count == 71, text.starts(with: "sha256=".utf8),
            let bytes = Hex.decode(Substring(text.dropFirst(7))), bytes.count == 32
        else { return nil }
        self.bytes = bytes
    }

    /// `sha256=` and 64 lower-case hex digits.
    public var headerValue: String { "sha256=" + Hex.encode(bytes) }

    /// Whether both are the same signature, in constant time over the decoded bytes.
    ///
    /// Not `==`, so that a comparison in variable time is not the easier one to write.
    public func matches(_ other: RequestSignature) -> Bool {
        bytes.count == 32 && ConstantTime.equal(bytes, other.bytes)
    }
}

/// What is signed in front of a body, so that the signature of one kind of message is wrong for every other one. It is no part
/// of the body.
public enum MessageLabel: String, Sendable, CaseIterable {
    /// ``SSOPath/verify``.
    case verify = ""
    /// ``SSOPath/session``.
    case session = "session."
    /// ``SSOPath/ping``.
    case ping = "ping."
    /// The message to a client's ``SSOPath/logout``.
    case logout = "logout."

    /// What is signed.
    func message(_ body: [UInt8]) -> [UInt8] { self == .verify ? body : Array(rawValue.utf8) + body }
}

/// Before it is sent, a signature is worth as much as the secret for this one message.
extension RequestSignature: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "<redacted>" }
    public var debugDescription: String { "<redacted>" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
