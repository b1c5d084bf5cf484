import Foundation

@testable import IdPInboundMail

/// Replies of programs that write MIME wrongly, and what such faults must not open.
extension ReplyCorpus {
    var faults: [ReplySample] { types + boundaries + laterParts + unknownTypes }

    var hostileFaults: [ReplySample] { hostileTypes + hostileParts }

    /// A message that says that it is MIME, with more lines of that.
    func mimeSample(_ name: String, _ lines: [String], _ text: [String]? = nil) -> ReplySample {
        mimeSample(name, .accepted, lines, text)
    }

    func refusedMIME(
        _ name: String, _ reason: ReplyMessageError, _ lines: [String], _ text: [String]? = nil
    ) -> ReplySample {
        mimeSample(name, .rejected(reason), lines, text)
    }

    private func mimeSample(
        _ name: String, _ expectation: ReplySample.Expectation, _ lines: [String], _ text: [String]?
    ) -> ReplySample {
        sample("fault: \(name)", expectation) {
            $0.mime = ["MIME-Version: 1.0"] + lines
            if let text { $0.text = text }
        }
    }

    private func parts(_ name: String, _ type: String, _ parts: [String]...) -> ReplySample {
        sample("fault: \(name)", .accepted) { $0.multipart(type, parts) }
    }

    private func refusedParts(
        _ name: String, _ reason: ReplyMessageError, _ type: String, _ parts: [String]...
    ) -> ReplySample {
        hostile("fault: \(name)", reason) { $0.multipart(type, parts) }
    }

    private var digits: [UInt8] { Array(number.utf8) }

    private var plain: [String] { ["Content-Type: text/plain; charset=utf-8", "", number] }

    private var types: [ReplySample] {
        [
            "text/plain;; charset=utf-8", "text/plain;; charset=utf-8;;", "text/plain; charset=utf-8; charset=UTF-8",
            "text/plain; charset=utf8; charset=\"utf-8\"", "text/plain; charset=utf-8; charset=",
            "text/plain; charset=utf-8; url=http://x/", "text/plain; url=http://x/?a=b; charset=utf-8",
            "text/plain; charset=", "text/plain; charset=\"\"", "text/plain; charset=''", "text/plain; charset",
            "text/plain; charset='utf-8'", "text/plain; charset=\"utf-8", "text/plain; charset=utf-8\"",
            "text/plain; charset=\\\"utf-8\\\"", "text/plain; charset=<utf-8>", "text/plain; charset=utf-8, x",
            "text/plain charset=utf-8", "text/plain, charset=utf-8", "text/plain; charset=utf-8 format=flowed",
            "text/plain; type=text/plain; charset=utf-8", "text/plain; format=flowed; format=fixed", "text/plain; =x",
            "text/plain; x=a b c; charset=utf-8", "text/plain; charset=utf-8 (open", "text/plain; \"a; b\"; x=\"",
            "text/plain; name=", "text/plain/x", "text", "text/", "/plain", "text plain", "plain", "*", "",
        ].map { mimeSample("type [\($0)]", ["Content-Type: \($0)", "Content-Transfer-Encoding: 8bit"]) }
            + [
                inBase64("a charset in other quotation marks", "charset='utf-16be'", digits.flatMap { [0, $0] }),
                inBase64("a charset behind what cannot be read", "x=a/b c;; charset=ibm037", digits.map { $0 + 0xc0 }),
                mimeSample("an empty disposition", ["Content-Disposition:"]),
                mimeSample("an odd disposition", ["Content-Disposition: inline;; size=a b; filename="]),
            ]
    }

    private func inBase64(_ name: String, _ parameters: String, _ bytes: [UInt8]) -> ReplySample {
        mimeSample(
            name, ["Content-Type: text/plain; \(parameters)", "Content-Transfer-Encoding: base64"],
            [Data(bytes).base64EncodedString()])
    }

    private var boundaries: [ReplySample] {
        let types: [(type: String, boundary: String)] = [
            ("mixed; boundary=a/b=c?d:e@f", "a/b=c?d:e@f"), ("mixed; boundary=[a]b(c", "[a]b(c"),
            ("mixed; boundary=a(c)", "a"), ("mixed; boundary=a,b charset=x", "a,b"),
            ("mixed; boundary=a; boundary=\"a\"", "a"), ("mixed;; boundary=a;", "a"),
            ("mixed; charset=; boundary=a", "a"), ("related; type=text/plain; boundary=a; start=<a@b>", "a"),
            ("related; boundary=a; type=multipart/alternative; type=text/html", "a"), ("mixed boundary=a", "a"),
            ("mixed; boundary*0=a/; boundary*1=\"b\"; boundary*3=x", "a/b"),
            ("mixed; report-type=a/b; boundary=\"a b\"", "a b"),
        ]
        return types.map { type, boundary in
            mimeSample(
                "type [multipart/\(type)]", ["Content-Type: multipart/\(type)"],
                Self.multipart([plain], boundary: boundary))
        } + [
            mimeSample(
                "type [multipart; boundary=a]", ["Content-Type: multipart; boundary=a"],
                Self.multipart([plain], boundary: "a"))
        ]
    }

    private var laterParts: [ReplySample] {
        let html = ["Content-Type: text/html", "", "<p>\(number)</p>"]
        let unreadable: [(name: String, lines: [String])] = [
            ("a broken header", ["nonsense", "", "x"]),
            ("two types", ["Content-Type: a/b", "Content-Type: c/d", "", "x"]),
            ("two encodings", ["Content-Transfer-Encoding: 7bit", "Content-Transfer-Encoding: base64", "", "x"]),
            ("no boundary", ["Content-Type: multipart/mixed", "", "x"]),
            ("two boundaries", ["Content-Type: multipart/mixed; boundary=x; boundary=y", "", "--x", "", "--x--"]),
            ("two charsets", ["Content-Type: text/plain; charset=utf-8; charset=koi8-r", "", "x"]),
            ("a picture", ["Content-Type: image/png; name=a b.png; name=c.png", "", "x"]),
            ("an odd disposition", ["Content-Disposition: attachment; filename=a b;; filename=c", "", "x"]),
            (
                "an encoded multipart",
                ["Content-Type: multipart/mixed; boundary=x", "Content-Transfer-Encoding: base64", "", "x"]
            ),
        ]
        return unreadable.map { name, lines in parts("a later part with \(name)", "mixed", plain, lines) }
            + unreadable.map { name, lines in parts("an alternative with \(name)", "alternative", html, lines) }
            + [
                sample("fault: the end is missing below the text", .accepted) {
                    $0.multipart("mixed", [])
                    $0.text = ["--b"] + plain + ["--b", "Content-Type: image/png", "", "x"]
                },
                parts(
                    "a first picture with two charsets and encodings", "mixed",
                    [
                        "Content-Type: image/png; charset=a; charset=b", "Content-Transfer-Encoding: 7bit",
                        "Content-Transfer-Encoding: base64", "", "x",
                    ], plain),
                parts(
                    "a first picture with an odd name", "mixed", ["Content-Type: image/png; name=a b", "", "x"], plain),
            ]
    }

    private var unknownTypes: [ReplySample] {
        let html = "<p>\(number)</p>"
        return [
            "text/x-web-markdown", "text/markdown; variant=GFM", "text/enriched", "text/x-unknown; charset=utf-8",
            "TEXT/RTF",
        ].map { mimeSample("type \($0)", ["Content-Type: \($0)"]) }
            + ["text/x-amp-html", "text/watch-html"].map { mimeSample("type \($0)", ["Content-Type: \($0)"], [html]) }
            + ["x-unknown", "parallel", "appledouble", "voice-message", "header-set", "multilingual"].map {
                parts("multipart \($0)", $0, plain, ["Content-Type: image/png", "", "x"])
            } + [
                parts(
                    "unknown text before HTML", "alternative", ["Content-Type: text/enriched", "", "Hello"],
                    ["Content-Type: text/html", "", html]),
                parts("unknown text before plain text", "alternative", ["Content-Type: text/x-a", "", "Hello"], plain),
                parts(
                    "a multipart of unknown kind in another", "mixed",
                    ["Content-Type: multipart/x-a; boundary=a", ""] + Self.multipart([plain], boundary: "a")),
                parts(
                    "a calendar entry before the text", "alternative", ["Content-Type: text/calendar", "", "x"], plain),
            ]
    }

    private var hostileTypes: [ReplySample] {
        [
            refusedMIME("two charsets", .mimeMalformed, ["Content-Type: text/plain; charset=utf-8; charset=ibm037"]),
            refusedMIME(
                "two charsets, one unknown", .mimeMalformed, ["Content-Type: text/plain; charset=utf-8; charset=x-evil"]
            ),
            refusedMIME("an unknown charset", .charset, ["Content-Type: text/plain; charset='x-evil'"]),
            refusedMIME(
                "a charset with an option of iconv", .charset, ["Content-Type: text/plain; charset=utf-8//IGNORE"]),
            refusedMIME("a multipart without a subtype and a boundary", .mimeMalformed, ["Content-Type: multipart"]),
            refusedMIME(
                "two boundaries that differ in case", .mimeMalformed,
                ["Content-Type: multipart/mixed; boundary=b; boundary=B"],
                Self.multipart([plain], boundary: "b")),
            refusedMIME(
                "a boundary and another in pieces", .mimeMalformed,
                ["Content-Type: multipart/mixed; boundary=b; boundary*0=c; boundary*1=d"],
                Self.multipart([plain], boundary: "b")),
            refusedMIME(
                "a boundary in a comment without its end", .mimeMalformed,
                ["Content-Type: multipart/mixed (; boundary=b"],
                Self.multipart([plain], boundary: "b")),
            refusedMIME("a name that cannot be read", .noText, ["Content-Type: text/plain; name=a b.txt;;"]),
            refusedMIME("a disposition that cannot be read", .noText, ["Content-Disposition: @"]),
            refusedMIME(
                "the name of a file with an odd parameter", .noText, ["Content-Disposition: inline; filename*=a b/c"]),
            refusedMIME(
                "two encodings in one field", .transferEncoding, ["Content-Transfer-Encoding: 8bit, quoted-printable"]),
            refusedMIME(
                "an encoding and an unknown one", .transferEncoding, ["Content-Transfer-Encoding: 8bit x-uuencode"]),
        ]
    }

    private var hostileParts: [ReplySample] {
        [
            refusedParts("a first part with a broken header", .mimeMalformed, "mixed", ["nonsense", "", "x"], plain),
            refusedParts(
                "a first alternative with two types", .mimeMalformed, "alternative",
                ["Content-Type: a/b", "Content-Type: c/d", "", "x"], plain),
            refusedParts("ranges of bytes", .noText, "byteranges", plain),
            refusedParts(
                "an unknown multipart whose first text has no number", .noNumber, "x-unknown", ["", "Hello"], plain),
            refusedParts(
                "an unknown text before the number", .noNumber, "mixed", ["Content-Type: text/x-a", "", "Hello"], plain),
            refusedParts("a card", .noText, "mixed", ["Content-Type: text/vcard", "", number]),
            hostile("fault: the end of the text is missing", .mimeMalformed) {
                $0.multipart("mixed", [])
                $0.text = ["--b", "Content-Type: image/png", "", "x", "--b"] + plain
            },
        ]
    }
}
