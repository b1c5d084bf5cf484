import Foundation

@testable import IdPInboundMail

/// Bodies that cannot be read without doubt, and numbers outside the text of the author.
extension ReplyCorpus {
    var bodies: [ReplySample] { broken + encodings + otherParts }

    private var plain: [String] { ["Content-Type: text/plain; charset=utf-8", "", number] }

    private var broken: [ReplySample] {
        [
            hostile("a multipart without a boundary", .mimeMalformed) {
                $0.multipart("mixed", [plain])
                $0.mime = ["Content-Type: multipart/mixed"]
            },
            hostile("a multipart with an empty boundary", .mimeMalformed) {
                $0.multipart("mixed", [plain])
                $0.mime = ["Content-Type: multipart/mixed; boundary=\"\""]
            },
            hostile("a multipart with two boundaries", .mimeMalformed) {
                $0.multipart("mixed", [plain])
                $0.mime = ["Content-Type: multipart/mixed; boundary=b; boundary=c"]
            },
            hostile("a multipart with two boundaries, the right one last", .mimeMalformed) {
                $0.multipart("mixed", [plain])
                $0.mime = ["Content-Type: multipart/mixed; boundary=c; boundary=b"]
            },
            hostile("a multipart with another boundary", .mimeMalformed) {
                $0.multipart("mixed", [plain])
                $0.mime = ["Content-Type: multipart/mixed; boundary=bb"]
            },
            hostile("a multipart without its end", .mimeMalformed) {
                $0.multipart("mixed", [plain])
                $0.text = ["--b"] + plain
            },
            hostile("a multipart that ends before it begins", .mimeMalformed) {
                $0.multipart("mixed", [])
            },
            hostile("a part whose header is broken", .mimeMalformed) {
                $0.multipart("mixed", [["Content-Type: text/plain", "nonsense", "", number]])
            },
            hostile("a part with two types", .mimeMalformed) {
                $0.multipart("mixed", [["Content-Type: text/plain", "Content-Type: text/html", "", number]])
            },
            hostile("a type without a subtype", .mimeMalformed) { $0.mime = ["Content-Type: text"] },
            hostile("a type with a broken parameter", .mimeMalformed) {
                $0.mime = ["Content-Type: text/plain; charset"]
            },
            hostile("multiparts six deep", .tooDeep) { $0.text = nested(6, into: &$0.mime) },
            hostile("multiparts 200 deep", .tooDeep) { $0.text = nested(200, into: &$0.mime) },
            hostile("10,000 parts", .tooManyParts) {
                $0.multipart("mixed", [plain] + Array(repeating: ["", "x"], count: 10_000))
            },
            hostile("101 parts", .tooManyParts) {
                $0.multipart("mixed", [plain] + Array(repeating: ["", "x"], count: 100))
            },
            hostile("no body", .noNumber) { $0.body = [] },
            damaged("no empty line behind the header", .noNumber) { bytes in
                let header = bytes.indices.first { bytes[$0...].starts(with: "\r\n\r\n".utf8) } ?? 0
                bytes = bytes[..<header] + Array("\r\nX-Number: \(number)".utf8)
            },
            hostile("text before and after the parts", .noNumber) {
                $0.multipart("mixed", [["", "Hello"]])
                $0.text = [number, "--b", "", "Hello", "--b--", number]
            },
        ]
    }

    private func nested(_ depth: Int, into mime: inout [String]) -> [String] {
        mime = ["Content-Type: multipart/mixed; boundary=b0"]
        var lines = plain
        for level in (0..<depth).reversed() {
            lines = Self.multipart([lines], boundary: "b\(level)")
            if level > 0 { lines = ["Content-Type: multipart/mixed; boundary=b\(level)", ""] + lines }
        }
        return lines
    }

    private var encodings: [ReplySample] {
        func encoded(_ name: String, _ reason: ReplyMessageError, _ encoding: String, _ text: String) -> ReplySample {
            hostile("encoding: \(name)", reason) {
                $0.mime = ["Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: \(encoding)"]
                $0.text = [text]
            }
        }
        let digits = Array(number.utf8)
        let base64 = Data("\(number)\r\n".utf8).base64EncodedString()
        return [
            encoded("base64 with other characters", .transferEncoding, "base64", "!\(base64)"),
            encoded("base64 that ends early", .transferEncoding, "base64", String(base64.dropLast(3))),
            encoded("base64 with spaces", .transferEncoding, "base64", "\(base64.prefix(4)) \(base64.dropFirst(4))"),
            encoded("base64 that goes on behind its padding", .transferEncoding, "base64", "NDc=\(base64)"),
            encoded("base64 with unused bits", .transferEncoding, "base64", "NDcxMR=="),
            encoded("quoted-printable with a broken escape", .transferEncoding, "quoted-printable", "\(number) =ZZ"),
            encoded("quoted-printable with a cut escape", .transferEncoding, "quoted-printable", "\(number) =4"),
            encoded("quoted-printable with 8-bit letters", .transferEncoding, "quoted-printable", "\(number) ü"),
            encoded("a word behind binary", .transferEncoding, "binary base64", number),
            encoded("a comment without its end", .transferEncoding, "8bit (base64", number),
            encoded("a quoted string without its end", .transferEncoding, "\"8bit", number),
            encoded("uuencode", .transferEncoding, "x-uuencode", number),
            encoded("two encodings", .transferEncoding, "7bit, base64", number),
            encoded("a CR in quoted-printable", .lineEnds, "quoted-printable", "> x=0D\(number)"),
            encoded("a NUL in base64", .charset, "base64", Data([0] + digits).base64EncodedString()),
            hostile("encoding: base64 of a multipart", .transferEncoding) {
                $0.multipart("mixed", [plain])
                $0.mime.append("Content-Transfer-Encoding: base64")
            },
        ]
    }

    private var otherParts: [ReplySample] {
        let html = "Content-Type: text/html; charset=utf-8"
        func parts(_ name: String, _ reason: ReplyMessageError, _ type: String, _ parts: [String]...) -> ReplySample {
            hostile("parts: \(name)", reason) { $0.multipart(type, parts) }
        }
        return [
            parts(
                "the number in an attached text", .noNumber, "mixed", ["", "Hello"],
                ["Content-Type: text/plain", "Content-Disposition: attachment; filename=a.txt", "", number]),
            parts(
                "an attachment only", .noText, "mixed",
                ["Content-Type: text/plain", "Content-Disposition: attachment; filename=a.txt", "", number]),
            parts(
                "a text with the name of a file", .noText, "mixed",
                ["Content-Type: text/plain; name=a.txt", "", number]),
            parts(
                "a text shown inline with a name in its type", .noText, "mixed",
                ["Content-Type: text/plain; name=a.txt", "Content-Disposition: inline", "", number]),
            parts(
                "a text shown inline with the name of a file", .noText, "mixed",
                ["Content-Type: text/plain", "Content-Disposition: inline; filename=a.txt", "", number]),
            parts(
                "the number in an attached message", .noNumber, "mixed", ["", "Hello"],
                ["Content-Type: message/rfc822", "", "Subject: x", "Content-Type: text/plain", "", number]),
            parts(
                "an attached message only", .noText, "mixed",
                ["Content-Type: message/rfc822", "", "Subject: x", "Content-Type: text/plain", "", number]),
            parts("the number in a digest", .noText, "digest", ["", "Subject: x", "", number]),
            parts("the number in the second text", .noNumber, "mixed", ["", "Hello"], ["", number]),
            parts(
                "the number in HTML beside a plain text without it", .noNumber, "alternative", ["", "Hello"],
                [html, "", "<p>\(number)</p>"]),
            parts(
                "the number in the signature part", .noNumber, "signed; protocol=\"application/pgp-signature\"",
                ["", "Hello"], ["Content-Type: application/pgp-signature", "", number], ["", number]),
            parts(
                "an encrypted message", .noText, "encrypted; protocol=\"application/pgp-encrypted\"",
                ["Content-Type: application/pgp-encrypted", "", "Version: 1"], plain),
            parts("a form", .noText, "form-data", plain),
            hostile("parts: an S/MIME message", .noText) {
                $0.mime = ["Content-Type: application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m"]
            },
            hostile("parts: a picture", .noText) { $0.mime = ["Content-Type: image/png"] },
            hostile("parts: a calendar entry", .noText) { $0.mime = ["Content-Type: text/calendar; method=REPLY"] },
            hostile("parts: a text that is an attachment", .noText) {
                $0.mime.append("Content-Disposition: attachment")
            },
        ]
    }
}
