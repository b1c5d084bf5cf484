/// A login at a mail server. Prints its user, never its password.
struct SMTPLogin: Sendable, CustomStringConvertible, CustomReflectable {
    let user: String
    let password: String

    var description: String { "\(user):***" }
    var customMirror: Mirror { Mirror(self, children: ["user": user]) }

    init(_ bytes: ArraySlice<UInt8>) throws(MailURLFault) {
        // A pasted blank is refused at once rather than by the mail server at the first email. One that belongs to the
        // password is written as %20, as in every URL (RFC 3986 2).
        let scalars = String(decoding: bytes, as: UTF8.self).unicodeScalars
        guard !scalars.contains(where: \.properties.isWhitespace) else { throw .blank }
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { throw .login }
        user = try Self.decoded(bytes[..<colon])
        password = try Self.decoded(bytes[bytes.index(after: colon)...])
    }

    /// Percent-decoded, strictly: UTF-8 without control characters.
    private static func decoded(_ bytes: ArraySlice<UInt8>) throws(MailURLFault) -> String {
        var result: [UInt8] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                let digits = rest.prefix(2)
                guard digits.count == 2, digits.allSatisfy({ "0123456789abcdefABCDEF".utf8.contains($0) }),
                    let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
                else { throw .login }
                rest = rest.dropFirst(2)
                result.append(value)
            } else {
                guard !"@/?#".utf8.contains(byte) else { throw .login }
                result.append(byte)
            }
        }
        guard !result.isEmpty, result.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }),
            let text = String(validating: result, as: UTF8.self)
        else { throw .login }
        return text
    }
}
