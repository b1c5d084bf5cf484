import Foundation

/// Short replies as no particular program writes them, and the ways in which mail servers pass messages on.
extension ReplyCorpus {
    var plainHonest: [ReplySample] { texts + transports + results }

    private func reply(
        _ name: String, envelope: String? = nil, _ change: (inout ReplyDraft) -> Void
    ) -> ReplySample {
        sample(name, .accepted, envelope: envelope, change)
    }

    /// The number in the digits of a script.
    private func digits(from zero: UInt32) -> String {
        String(String.UnicodeScalarView(number.unicodeScalars.compactMap { Unicode.Scalar($0.value - 0x30 + zero) }))
    }

    private var texts: [ReplySample] {
        [
            reply("text between blank lines") { $0.text = ["Hi,", "", number, "", "Thanks"] },
            reply("text below a stamped line") { $0.text = ["Classification: Internal 2026", "", number] + quotation },
            reply("text below a stamped line with two numbers") {
                $0.text = ["Document 2026, page 1000 of 1001", "Hi,", "\(number)."]
            },
            reply("text above lines with other numbers") {
                $0.text = [number, "", "Room 1010", "\u{a9} 2026", "Est. 1984"]
            },
            reply("text in two groups") { $0.text = ["\(number.prefix(2)) \(number.suffix(2))"] },
            reply("text in two groups with a no-break space, below a stamped line") {
                $0.text = ["Internal 2026", "*\(number.prefix(2))\u{a0}\(number.suffix(2))*."]
            },
            reply("text in groups of one digit") { $0.text = [number.map(String.init).joined(separator: " ")] },
            reply("text in a sentence") { $0.text = ["The number is \(number)."] },
            reply("text in bold, as plain text shows it") { $0.text = ["*\(number)*"] },
            reply("text in German quotation marks") { $0.text = ["Die Zahl lautet „\(number)“ – viele Grüße"] },
            reply("text with the same number twice") { $0.text = ["\(number), again: \(number)"] },
            reply("text with a no-break space") { $0.text = ["\u{feff}number:\u{a0}\(number)\u{a0}"] },
            reply("text in full-width digits") { $0.text = [digits(from: 0xff10)] },
            reply("text in Arabic digits, in a sentence") {
                $0.text = ["\u{627}\u{644}\u{631}\u{642}\u{645} \(digits(from: 0x660))"]
            },
            reply("text with zero-width spaces between the digits") {
                $0.text = [number.map(String.init).joined(separator: "\u{200b}")]
            },
            reply("text below the quotation") { $0.text = quotation + ["", number, "", "-- ", "Ann, room 1234"] },
            reply("text below a quotation in another language") {
                $0.text = ["Ann skrev den 22 nov. 2026:", "> 123456", "> 1234", "", number]
            },
            reply("text that begins like On … wrote:") { $0.text = ["On the screen: \(number)"] + quotation },
            reply("text that begins like On … wrote:, and a quotation of another program") {
                $0.text = ["On the screen: \(number)", "", "Example wrote:", "> 1234"]
            },
            reply("text above a signature with a phone number") {
                $0.text = [number, "", "-- ", "Ann Lee", "Phone 030 1234", ""] + quotation
            },
            reply("base64 in UTF-8") {
                $0.mime = [
                    "MIME-Version: 1.0", "Content-Type: text/plain; charset=\"UTF-8\"",
                    "Content-Transfer-Encoding: base64",
                ]
                $0.text = [Data("Grüße, \(number)\r\n\r\n> 1234\r\n".utf8).base64EncodedString()]
            },
            reply("8-bit ISO 8859-1 in German") {
                $0.mime = [
                    "MIME-Version: 1.0", "Content-Type: text/plain; charset=iso-8859-1",
                    "Content-Transfer-Encoding: 8bit",
                ]
                $0.body =
                    Array("Die Zahl ist \(number), sch".utf8) + [0xf6] + Array("ne Gr".utf8) + [0xfc, 0xdf]
                    + Array("e\r\n\r\nAm 22.11.2026 um 10:24 schrieb Example:\r\n> 1234\r\n".utf8)
            },
            reply("HTML only") {
                $0.html(
                    "<html><head><style>p{margin:1234px}</style></head><body><p>Hi,</p><p><b>\(number.prefix(2))</b>"
                        + "\(number.suffix(2))</p><p>On Sunday Example wrote:</p><blockquote>1234</blockquote></body></html>"
                )
            },
            reply("HTML with character references") {
                $0.html("<div>&nbsp;&#x34;&#55;11 &lt; &amp;</div>".replacing("&#x34;&#55;11", with: references))
            },
        ]
    }

    /// The number as references to its characters.
    private var references: String { number.unicodeScalars.map { "&#\($0.value);" }.joined() }

    private var transports: [ReplySample] {
        [
            lineFeeds("a pipe transport with a line of mailbox files and LF") {
                $0.top = [
                    "From \(address) Sun Nov 22 09:24:00 2026", "Return-Path: <\(address)>",
                    "X-Original-To: \(recipient)", "Delivered-To: \(recipient)",
                ]
            },
            reply("the recipient in the envelope only", envelope: recipient.uppercased()) {
                $0.to = ["undisclosed-recipients:;"]
            },
            reply("the recipient in upper case among others") {
                $0.to = ["\"Smith, J.\" <j@other.example>, Example <\(recipient.uppercased())> (our service)"]
                $0.lines.append("Cc: \(recipient), Friends: a@other.example, b@other.example;")
            },
            reply("an envelope recipient beside another address in To", envelope: recipient) {
                $0.to = [otherRecipient]
            },
            reply("a folded header with tabs") {
                $0.from = ["\"Lee, Ann (Sales) <\(address)>\"\r\n\t<\(address.uppercased())>"]
                $0.results = [passed.replacing("; ", with: ";\r\n\t")]
            },
            reply("a display name in UTF-8") { $0.from = ["Änn Lée <\(address)>"] },
            reply("a display name in encoded words") {
                $0.from = ["=?utf-8?B?w4RubiA8ZXZpbEBldmlsLmV4YW1wbGU+?= =?utf-8?Q?_Lee?= <\(address)>"]
            },
            reply("an address alone") { $0.from = [address] },
            reply("fields that ask for no automatic answers") {
                $0.lines += [
                    "X-Auto-Response-Suppress: DR, RN, NRN, OOF, AutoReply", "Auto-Submitted: no", "Precedence: normal",
                ]
            },
        ]
    }

    private func lineFeeds(_ name: String, _ change: (inout ReplyDraft) -> Void) -> ReplySample {
        let sample = reply(name, change)
        return ReplySample(
            name: sample.name, expectation: sample.expectation, message: sample.message.filter { $0 != 0x0d })
    }

    private var results: [ReplySample] {
        func passing(_ name: String, _ results: String) -> ReplySample {
            reply("results: \(name)") {
                $0.results = [results, "mx.other.example; dkim=fail header.d=\(domain)"]
                $0.signatures = []
            }
        }
        return [
            passing(
                "of opendkim",
                "\(authservID);\r\n\tdkim=pass (2048-bit key; unprotected) header.d=\(domain) header.i=@\(domain)"
                    + " header.a=rsa-sha256 header.s=s1 header.b=Ab/Cd+eF;\r\n\tdkim-atps=neutral"),
            passing(
                "of an old opendkim",
                "\(authservID); dkim=pass reason=\"1024-bit key; x\" header.i=@\(domain);"
                    + " spf=pass smtp.mailfrom=\(address)"),
            passing(
                "of policyd-spf",
                "\(authservID); spf=pass (sender SPF authorized) smtp.mailfrom=\(domain)"
                    + " (client-ip=192.0.2.7; helo=x; envelope-from=\(address); receiver=x)"),
            passing(
                "of rspamd",
                "\(authservID);\r\n\tdkim=pass header.d=\(domain) header.s=s1 header.b=AbCd;\r\n"
                    + "\tspf=pass (mx: domain of \(address) designates 192.0.2.7 as permitted) smtp.mailfrom=\(address);\r\n"
                    + "\tdmarc=pass (policy=none) header.from=\(domain)"),
            passing(
                "of Fastmail's filter",
                "\(authservID.uppercased()) 1; arc=none (no signatures found); dkim=pass"
                    + " (2048-bit rsa key sha256) header.d=\(domain.uppercased()) header.a=rsa-sha256 x-bits=2048;"
                    + " iprev=pass smtp.remote-ip=192.0.2.7; spf=none"),
            passing(
                "two signatures, one of the author",
                "\(authservID); dkim=pass header.d=sender.example;"
                    + " dkim=fail header.d=\(domain) header.s=old; DKIM/1 = PASS header.d=\(domain)"),
            passing("a quoted local part", "\"\(authservID)\"; spf=pass smtp.mailfrom=\"ann lee\"@\(domain)"),
        ]
    }
}
