import COpenSSL
import Foundation

/// Reads a signed file: CMS (RFC 5652, formerly PKCS#7) as DER, as PEM, or as an S/MIME message (RFC 8551).
///
/// iOS 8 required signing for services other than universal links. Signing is deprecated since 2019. The signature is
/// not verified, because the content is only shown and linted.
package enum SignedMessage {
    /// OID 1.2.840.113549.1.7.2, signedData (RFC 5652 section 5.1).
    private static let signedData: [UInt8] = [0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x02]

    static func isDER(_ body: [UInt8]) -> Bool {
        guard body.first == 0x30 else { return false }
        // The outer tag and a length of one to five bytes come before it.
        return (2...6).contains { body.dropFirst($0).starts(with: signedData) }
    }

    static func textForm(_ text: ArraySlice<UInt8>) -> BodyForm.SignedForm? {
        if text.starts(with: "-----BEGIN ".utf8) { return .pem }
        let head = String(decoding: text.prefix(4096), as: UTF8.self).lowercased()
        guard head.hasPrefix("mime-version:") || head.hasPrefix("content-") else { return nil }
        return head.contains("pkcs7-mime") || head.contains("multipart/signed") ? .smime : nil
    }

    /// The signed bytes. `nil` if the message is detached or cannot be parsed.
    static func content(of body: [UInt8], _ form: BodyForm.SignedForm) -> [UInt8]? {
        switch form {
        case .der: content(of: body)
        case .pem: armored(body).flatMap(content)
        case .smime: letter(body)
        }
    }

    /// The signed content of a message in DER or BER.
    ///
    /// - Returns: `nil` if the bytes are not a signed message, or the message has no content.
    package static func content(of bytes: [UInt8]) -> [UInt8]? {
        final class Content { var bytes: [UInt8] = [] }
        let content = Content()
        let isFound = sso_message_content(
            bytes, bytes.count,
            { start, count, context in
                guard let start, let context else { return }
                Unmanaged<Content>.fromOpaque(context).takeUnretainedValue().bytes =
                    Array(UnsafeBufferPointer(start: start, count: count))
            }, Unmanaged.passUnretained(content).toOpaque())
        return isFound == 1 ? content.bytes : nil
    }

    /// Decodes PEM: base64 between two lines of dashes (RFC 7468).
    private static func armored(_ body: [UInt8]) -> [UInt8]? {
        let lines = body.split { $0 == 0x0a || $0 == 0x0d }
        guard let begin = lines.firstIndex(where: { $0.starts(with: "-----BEGIN ".utf8) }) else { return nil }
        let inner = lines[(begin + 1)...].prefix { !$0.starts(with: "-----".utf8) }
        return base64(inner)
    }

    private static func base64(_ lines: some Sequence<ArraySlice<UInt8>>) -> [UInt8]? {
        Data(base64Encoded: Data(lines.joined()), options: .ignoreUnknownCharacters).map(Array.init)
    }

    /// Decodes S/MIME: one base64 part, or two parts of which the first is the plain content.
    private static func letter(_ body: [UInt8]) -> [UInt8]? {
        let lines = body.split(separator: 0x0a, omittingEmptySubsequences: false).map { line in
            line.last == 0x0d ? line.dropLast() : line
        }
        guard let blank = lines.firstIndex(where: \.isEmpty) else { return nil }
        let head = lines[..<blank].map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
        let rest = lines[(blank + 1)...]
        guard head.lowercased().contains("multipart/signed") else { return base64(rest).flatMap(content) }
        guard let boundary = parameter("boundary", of: head) else { return nil }
        let border = Array("--\(boundary)".utf8)
        guard let first = rest.firstIndex(where: { $0.elementsEqual(border) }) else { return nil }
        let part = rest[(first + 1)...].prefix { !$0.starts(with: border) }
        // The header lines of a part end with an empty line. JSON does not begin with a header name and a colon.
        let hasHeader = part.first?.starts(with: "Content-".utf8) == true
        let content = hasHeader ? part.drop { !$0.isEmpty } : part
        return Array(content.drop(while: \.isEmpty).joined(separator: [0x0a]))
    }

    private static func parameter(_ name: String, of head: String) -> String? {
        guard let start = head.range(of: name + "=", options: .caseInsensitive)?.upperBound else { return nil }
        let rest = head[start...]
        if rest.first == "\"" { return String(rest.dropFirst().prefix { $0 != "\"" }) }
        let value = String(rest.prefix { $0 != ";" && !$0.isWhitespace })
        return value.isEmpty ? nil : value
    }
}
