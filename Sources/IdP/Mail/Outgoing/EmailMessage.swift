import Foundation
import SSOShared
import SSOWeb

/// An email to one recipient: the same content as plain text and as HTML.
///
/// Owns its form on the wire (RFC 5322, MIME).
package struct EmailMessage: Sendable {
    /// Unique among all emails: names it in `Message-ID` and in the outbox.
    let id: String
    let date: Timestamp
    let from: MailFrom
    let to: EmailAddress
    let subject: String
    let text: String
    let html: String
    let language: Language
    /// Where answers go instead of the sender, if anywhere.
    var replyTo: EmailAddress?
    /// A PNG that the HTML shows as `cid:logo`.
    var logo: [UInt8]?
    /// The right half of the Message-ID: the host of the IdP's public address.
    let messageIDDomain: String

    /// The whole message. Lines end with CRLF and have at most 76 bytes, except a header line with one longer address.
    func rfc5322() -> [UInt8] {
        let parts = [Self.part("text/plain", text), htmlPart]
        let boundary = boundary(notIn: parts)
        let header = [
            "Date: \(MIME.date(date))",
            MIME.mailbox("From", from),
            "To: \(to.text)",
        ]
        let replyHeader = replyTo.map { ["Reply-To: \($0.text)"] } ?? []
        let contentHeader = [
            MIME.unstructured("Subject", subject),
            "Message-ID: \(messageID)",
            // RFC 3834 5: prevents vacation notices as answers.
            "Auto-Submitted: auto-generated",
            "Content-Language: \(language.rawValue)",
            "MIME-Version: 1.0",
            "Content-Type: multipart/alternative;\r\n boundary=\"\(boundary)\"",
        ]
        var bytes = Array(((header + replyHeader + contentHeader).joined(separator: "\r\n") + "\r\n\r\n").utf8)
        for part in parts {
            bytes += Array("--\(boundary)\r\n".utf8)
            bytes += part
            bytes += [0x0d, 0x0a]
        }
        return bytes + Array("--\(boundary)--\r\n".utf8)
    }

    /// The HTML, with the logo that it shows (RFC 2387).
    private var htmlPart: [UInt8] {
        let html = Self.part("text/html", html)
        guard let logo else { return html }
        let encoded = Data(logo).base64EncodedString(options: [
            .lineLength76Characters, .endLineWithCarriageReturn, .endLineWithLineFeed,
        ])
        let image = """
            Content-Type: image/png; name="logo.png"\r
            Content-Transfer-Encoding: base64\r
            Content-ID: <logo>\r
            Content-Disposition: inline; filename="logo.png"\r
            \r
            \(encoded)\r

            """
        let parts = [html, Array(image.utf8)]
        let boundary = boundary(notIn: parts, "related")
        var bytes = Array(
            "Content-Type: multipart/related; type=\"text/html\";\r\n boundary=\"\(boundary)\"\r\n\r\n".utf8)
        for part in parts { bytes += Array("--\(boundary)\r\n".utf8) + part + [0x0d, 0x0a] }
        return bytes + Array("--\(boundary)--\r\n".utf8)
    }

    /// `<id@host>`, of characters that need no quoting (RFC 5322 3.6.4).
    private var messageID: String {
        let host = HostPort.isName(messageIDDomain.utf8) ? messageIDDomain : "localhost"
        return "<\(plainID)@\(host)>"
    }

    /// The id, with every character replaced that has a meaning in a header or a file name.
    var plainID: String {
        let bytes = id.utf8.prefix(64).map { byte in
            byte.isASCIILetter || byte.isASCIIDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
                ? byte : UInt8(ascii: "-")
        }
        return bytes.isEmpty ? "email" : String(decoding: bytes, as: UTF8.self)
    }

    private static func part(_ type: String, _ text: String) -> [UInt8] {
        let lines = MIME.lines(text)
        let isPlain = lines.allSatisfy { line in
            line.count <= 76 && line.allSatisfy { (0x20...0x7e).contains($0) || $0 == 0x09 }
        }
        let header = """
            Content-Type: \(type); charset=utf-8\r
            Content-Transfer-Encoding: \(isPlain ? "7bit" : "quoted-printable")\r
            \r

            """
        let body = isPlain ? lines.flatMap { Array($0) + [0x0d, 0x0a] } : MIME.quotedPrintable(text)
        return Array(header.utf8) + body
    }

    /// A line that occurs in neither part, so that no text can end its part and begin another (RFC 2046 5.1.1).
    private func boundary(notIn parts: [[UInt8]], _ word: String = "") -> String {
        var number = 0
        while true {
            let boundary = "=_\(word)\(number)_\(plainID.prefix(40))"
            if !parts.contains(where: { Data($0).range(of: Data(boundary.utf8)) != nil }) { return boundary }
            number += 1
        }
    }
}
