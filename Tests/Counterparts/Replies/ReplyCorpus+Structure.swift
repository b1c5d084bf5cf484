@testable import IdPInboundMail

/// Messages that mail programs divide into lines and fields in different ways, and messages beyond the limits.
extension ReplyCorpus {
    var structure: [ReplySample] {
        sizes + lineEnds + headers + repeated
    }

    private var sizes: [ReplySample] {
        [
            hostile("300 KiB of text", .tooLarge) {
                $0.body += ReplyCorpus.bytes(Array(repeating: String(repeating: "x", count: 70), count: 4300))
            },
            damaged("10,000 header fields", .tooManyHeaderFields) {
                $0 = ReplyCorpus.bytes((0..<10_000).map { "X-\($0): a" }) + $0
            },
            hostile("a header field of 20 KiB", .headerFieldTooLong) {
                $0.lines.append("X-Long: " + String(repeating: "x", count: 20_000))
            },
            hostile("a header field of 20 KiB in folded lines", .headerFieldTooLong) {
                $0.lines += ["X-Long: x"] + Array(repeating: "\t" + String(repeating: "x", count: 70), count: 300)
            },
            hostile("a header of 70 KiB", .headerTooLong) {
                $0.lines += (0..<20).map { "X-\($0): " + String(repeating: "x", count: 3500) }
            },
            hostile("a line of 200,000 letters and no number", .noNumber) {
                $0.text = [String(repeating: "x", count: 200_000)]
            },
            hostile("a line of 200,000 digits", .noNumber) { $0.text = [String(repeating: "4", count: 200_000)] },
            hostile("60,000 empty lines", .noNumber) { $0.text = Array(repeating: "", count: 60_000) },
        ]
    }

    private var lineEnds: [ReplySample] {
        [
            hostile("a NUL byte in the text", .nulByte) { $0.body.insert(0, at: 2) },
            hostile("a NUL byte in the header", .nulByte) { $0.lines.append("X-Nul: a\0b") },
            hostile("a CR without LF in the text", .lineEnds) { $0.text = [">\r\(number)"] },
            hostile("a From field behind a CR without LF", .lineEnds) {
                $0.lines.append("X-Note: a\rFrom: \(address)")
            },
            hostile("a From field behind a LF without CR", .lineEnds) {
                $0.lines.append("X-Note: a\nFrom: \(address)")
            },
            hostile("a second message behind LF . CRLF", .lineEnds) {
                $0.body += Array("\n.\r\nMAIL FROM:<\(address)>\r\n".utf8)
            },
            damaged("a CR at the end", .lineEnds) { $0.append(0x0d) },
            hostile("CR CR LF", .lineEnds) { $0.text = ["\(number)\r"] },
        ]
    }

    private var headers: [ReplySample] {
        [
            damaged("no byte", .headerMalformed) { $0 = [] },
            damaged("an empty line first, the header in the body", .headerMalformed) { $0 = [0x0d, 0x0a] + $0 },
            damaged("a folded line first", .headerMalformed) { $0 = Array(" From: \(address)\r\n".utf8) + $0 },
            damaged("bytes of a picture", .headerMalformed) { $0 = [0xff, 0xd8, 0xff, 0xe0] + $0 },
            hostile("a space before the colon of From", .headerMalformed) { $0.lines.append("From : \(address)") },
            hostile("a field without a name", .headerMalformed) { $0.lines.append(": \(address)") },
            hostile("a line without a colon in the header", .headerMalformed) { $0.lines.append("nonsense") },
            hostile("a folded line of spaces in the header", .headerMalformed) {
                $0.lines += ["X-Note: a", "   ", "\tFrom: \(address)"]
            },
            hostile("a control character in the header", .headerMalformed) { $0.lines.append("X-Note: \u{1b}[2J") },
            hostile("a second line From of a mailbox file", .headerMalformed) {
                $0.top = ["From ann@\(domain) Sun Nov 22 09:24:00 2026", "From ann@\(domain) Sun Nov 22 09:24:00 2026"]
            },
            damaged("a Subject in ISO 8859-1", .headerNotUTF8) {
                $0 = Array("X-Subject: Gr".utf8) + [0xfc, 0xdf, 0x65, 0x0d, 0x0a] + $0
            },
            damaged("an overlong encoding of @ in the header", .headerNotUTF8) {
                $0 = Array("Sender: ann".utf8) + [0xc1, 0x80] + Array("\(domain)\r\n".utf8) + $0
            },
        ]
    }

    private var repeated: [ReplySample] {
        [
            "Subject: Re: another", "Date: Mon, 23 Nov 2026 10:25:02 +0100", "Message-ID: <another@mail.example>",
            "To: \(recipient)", "MIME-Version: 1.0", "Content-Type: text/html", "content-type: text/plain",
            "Content-Transfer-Encoding: base64",
        ].map { line in
            hostile("twice: \(line.prefix { $0 != "@" })", .headerRepeated) { $0.lines.append(line) }
        }
    }
}
