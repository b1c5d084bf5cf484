import Foundation

@testable import IdPInboundMail

/// Replies with errors in their transfer encoding or its name.
extension ReplyCorpus {
    var damagedEncodings: [ReplySample] { damage + encodingSigns + withoutMIME }

    private var damage: [ReplySample] {
        func quoted(_ name: String, _ text: String...) -> ReplySample {
            mimeSample("quoted-printable with \(name)", ["Content-Transfer-Encoding: quoted-printable"], text)
        }
        func base64(_ name: String, _ text: String...) -> ReplySample {
            mimeSample("base64 with \(name)", ["Content-Transfer-Encoding: base64"], text)
        }
        let encoded = Self.base64("\(number)\r\n\r\nHello\r\n")
        return [
            quoted("a broken escape", number, "", "50 =% of x=y"),
            quoted("a broken escape in the line", "\(number) =ZZ"),
            quoted("a cut escape at the end", number, "=4"), quoted("8-bit letters", "\(number) Grüße"),
            quoted("8-bit letters in another line", "Grüße", number), quoted("an `=` before a blank", "\(number) = x"),
            quoted("addresses that are not encoded", number, "https://example.com/?a=b&c=d"),
            mimeSample(
                "quoted-printable of HTML with `=` in its tags",
                ["Content-Type: text/html", "Content-Transfer-Encoding: quoted-printable"],
                ["<div class=\"x\"><a href=\"?a=zz\">x</a> <b>\(number)</b></div>"]),
            base64("a blank", "\(encoded.prefix(7)) \(encoded.dropFirst(7))"),
            base64("blanks and tabs between all digits", encoded.map(String.init).joined(separator: " \t")),
            base64("a blank in its padding", Self.base64("\(number)").replacing("==", with: "= =")),
            base64("blanks before and behind its lines", "  \(encoded.prefix(8))\t", "\t\(encoded.dropFirst(8))  "),
        ]
    }

    private var encodingSigns: [ReplySample] {
        [
            "7bit,", "'8bit'", "<7bit>", "8bit, 8bit", "7bit, 8BIT", "8bit 8bit", "[8bit]", "8bit.", "=8bit",
            "`binary`", ",",
            "'8bit", "8bit:",
        ].map { mimeSample("encoding [\($0)]", ["Content-Transfer-Encoding: \($0)"]) }
            + ["'base64'", "base64,", "base64, BASE64", "<Base64>", "base64."].map {
                mimeSample("encoding [\($0)]", ["Content-Transfer-Encoding: \($0)"], [Self.base64(number)])
            }
    }

    /// Without MIME-Version nothing says what damage means: it takes the line out, and not the message.
    private var withoutMIME: [ReplySample] {
        func bare(_ name: String, _ lines: [String], _ text: [String]) -> ReplySample {
            sample("fault without MIME: \(name)", .accepted) {
                $0.mime = lines
                $0.text = text
            }
        }
        let quoted = ["Content-Transfer-Encoding: quoted-printable"]
        return [
            bare("a broken escape in another line", quoted, [number, "50 =% of x=y"]),
            bare("8-bit letters in another line", quoted, ["Gr\u{fc}\u{df}e", number, "=4"]),
            bare(
                "8-bit letters above a quotation", quoted,
                [number, "", "Am Sonntag schrieb J\u{f6}rg:", "", otherNumber]),
            bare("an empty type", ["Content-Type:"], [number]),
            bare("a charset without a value", ["Content-Type: text/plain; charset="], [number]),
            bare("odd parameters", ["Content-Type: text/plain;; url=http://x/; charset='utf-8'; name="], [number]),
        ]
    }

    var hostileDamage: [ReplySample] {
        func quoted(_ name: String, _ text: String) -> ReplySample {
            refusedMIME(
                "quoted-printable with \(name)", .noNumber, ["Content-Transfer-Encoding: quoted-printable"], [text])
        }
        return [
            quoted("a cut escape behind the digits", "\(number)=3"),
            quoted("a broken escape before the digits", "=z\(number)"),
            quoted("a broken escape between the digits", "\(number.prefix(2))=z\(number.suffix(2))"),
            quoted("an 8-bit letter before the digits", "\u{e9}\(number)"),
            hostile("fault without MIME: all lines with a number are damaged", .transferEncoding) {
                $0.mime = ["Content-Transfer-Encoding: quoted-printable"]
                $0.text = ["Hello", "\(number) =ZZ", "\(number) \u{fc}"]
            },
            hostile("fault without MIME: a soft line end joins damage", .transferEncoding) {
                $0.mime = ["Content-Transfer-Encoding: quoted-printable"]
                $0.text = ["\(number) =", "=zz"]
            },
            refusedMIME(
                "base64 with other characters", .transferEncoding, ["Content-Transfer-Encoding: base64"],
                ["!\(Self.base64(number))"]),
            refusedMIME(
                "base64 that ends early", .transferEncoding, ["Content-Transfer-Encoding: base64"],
                ["\(Self.base64(number).prefix(5))"]),
        ]
    }
}
