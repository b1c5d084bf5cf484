@testable import IdPInboundMail
@testable import WebTestKit

/// Messages to other addresses, and senders that one program reads as the account and another as someone else.
extension ReplyCorpus {
    private var random: String { String(recipient.dropFirst(ReplyAddress.prefix.count).prefix { $0 != "@" }) }

    var recipients: [ReplySample] {
        let reasons: [(name: String, to: String)] = [
            ("an address without a key", "login@\(replyDomain)"),
            ("an empty key", "login+@\(replyDomain)"),
            ("a key that is too short", "login+\(random.dropLast())@\(replyDomain)"),
            ("a key that is too long", "login+\(random)a@\(replyDomain)"),
            ("a key with other characters", "login+\(random.dropLast())1@\(replyDomain)"),
            ("a key with padding", "login+\(random)====@\(replyDomain)"),
            ("a key whose unused bits are set", "login+\(random.dropLast())b@\(replyDomain)"),
            (
                "a key in the alphabet of hexadecimal digits",
                "login+\(String(repeating: "0f", count: 32))@\(replyDomain)"
            ),
            ("another domain", "login+\(random)@\(replyDomain).evil.example"),
            (
                "another domain of the same length",
                "login+\(random)@\(String(repeating: "x", count: replyDomain.count))"
            ),
            ("a domain that ends in the right one", "login+\(random)@evil\(replyDomain)"),
            ("another word before the key", "xlogin+\(random)@\(replyDomain)"),
            ("the address in a display name", "\"\(recipient)\" <someone@\(replyDomain)>"),
            ("the address in a comment", "someone@\(replyDomain) (\(recipient))"),
            ("the address with a quoted local part", "\"login+\(random)\"@\(replyDomain)"),
            ("the address with a comment in it", "login+\(random)(x)@\(replyDomain)"),
            ("the address as the name of a group", "\(recipient): someone@\(replyDomain);"),
            ("an unfinished quoted string", "\"\(recipient), \(recipient)"),
        ]
        return reasons.map { name, to in hostile("to: \(name)", .noRecipient) { $0.to = [to] } } + [
            hostile("to: no field", .noRecipient) { $0.to = [] },
            hostile("the address in Subject and Reply-To only", .noRecipient) {
                $0.to = ["login@\(replyDomain)"]
                $0.lines += ["Reply-To: \(recipient)", "X-Note: \(recipient)"]
            },
            hostile("addresses of two challenges", .severalRecipients) { $0.to = ["\(recipient), \(otherRecipient)"] },
            hostile("addresses of two challenges in To and Delivered-To", .severalRecipients) {
                $0.top = ["Delivered-To: \(otherRecipient)"]
            },
            hostile("an envelope for someone else", .noRecipient, envelope: "postmaster@\(replyDomain)") { _ in },
        ]
    }

    var senders: [ReplySample] { ambiguousSenders + otherSenders }

    private var ambiguousSenders: [ReplySample] {
        let values: [(name: String, from: String, reason: ReplyMessageError)] = [
            ("two addresses", "\(address), evil@evil.example", .fromList),
            ("two addresses, the account last", "evil@evil.example, \(address)", .fromList),
            ("two addresses with names", "Eve <evil@evil.example>, Ann <\(address)>", .fromList),
            ("an empty second address", "Ann <\(address)>,", .fromList),
            ("a comma in a name without quotation marks", "Lee, Ann <\(address)>", .fromList),
            ("a group", "Friends: \(address);", .fromGroup),
            ("a group with a name in front", "Friends: Ann <\(address)>;", .fromGroup),
            ("an empty group before the address", "undisclosed:; \(address)", .fromGroup),
            ("a semicolon behind the address", "Ann <\(address)>; evil@evil.example", .fromGroup),
            ("a comment with the address", "evil@evil.example (\(address))", .fromComment),
            ("a comment before the address", "(evil@evil.example) \(address)", .fromComment),
            ("a comment within the address", "ann(evil@evil.example)@\(domain)", .fromComment),
            ("a comment within the brackets", "Ann <ann(x)@\(domain)>", .fromComment),
            ("a comment behind the brackets", "Ann <\(address)> (<evil@evil.example>)", .fromComment),
            ("a comment with the local part", "\(address) (ann@)", .fromComment),
            ("a comment with an encoded address", "\(address) (=?utf-8?Q?eve=40evil.example?=)", .fromComment),
            ("a comment with an address in base64", "\(address) (=?utf-8?B?ZXZlQGV2aWwuZXhhbXBsZQ==?=)", .fromComment),
            ("a comment with a broken encoded word", "\(address) (=?utf-8?X?eve?=)", .fromComment),
            ("a comment with UTF-7", "\(address) (=?utf-7?Q?eve+AEA-evil.example?=)", .fromComment),
            ("a comment with UTF-7 in base64", "\(address) (=?unicode-1-1-utf-7?B?ZXZlK0FFQS1ldmls?=)", .fromComment),
            ("a comment with UTF-7 in two words", "\(address) (=?utf-7?Q?eve+AE?= =?utf-7?Q?A-evil?=)", .fromComment),
            ("a comment with EBCDIC", "\(address) (=?ibm037?Q?=85=A5=85=7C?=)", .fromComment),
            ("a comment with an unknown charset", "\(address) (=?x-evil?Q?eve?=)", .fromComment),
            ("a comment with half an encoded word", "\(address) (=?utf-8?Q?eve)", .fromComment),
            ("a comment that is half a quotation", "\(address) (\"a) (b\")", .fromComment),
            ("a comment with one quotation mark", "\(address) (5\" x)", .fromComment),
            ("a comment that ends in quotation marks", "\(address) (\"x)\" y)", .fromMalformed),
            (
                "brackets between the quotation marks of two comments",
                "(\"x) <evil@evil.example> (y\") <\(address)>", .fromMalformed
            ),
            (
                "the account between the quotation marks of two comments",
                "(\"x) <\(address)> (y\") <evil@evil.example>", .fromMalformed
            ),
            ("a comment with a comma in an encoded word", "\(address) (=?utf-8?Q?Lee=2C_Ann?=)", .fromComment),
            ("a comment with a comma before the address", "(Lee, Ann) \(address)", .fromComment),
            ("UTF-7 in a name", "=?utf-7?Q?eve+AEA-evil.example?= <\(address)>", .fromMalformed),
            ("UTF-16 in a name", "=?utf-16be?B?AGUAdgBlAEA=?= <\(address)>", .fromMalformed),
            ("EBCDIC in a name", "=?ibm037?Q?=85=A5=85=7C?= <\(address)>", .fromMalformed),
            ("an unknown charset in a name", "Ann =?x-evil?Q?eve?= <\(address)>", .fromMalformed),
            ("HZ in a name", "=?hz-gb-2312?Q?Ann?= <\(address)>", .fromMalformed),
            ("blanks in the brackets behind an encoded word", "=?utf-8?Q?Ann?= < \(address) >", .fromMalformed),
            ("blanks in the brackets and the address", "< ann @\(domain) >", .fromMalformed),
            ("two addresses between blanks in brackets", "< \(address) evil@evil.example >", .fromMalformed),
            ("a comment that does not end", "\(address) (Ann", .fromComment),
            ("a comment with an escaped end", "\(address) (Ann \\) Lee)", .fromComment),
            ("a comment with a comma", "\(address) (Lee, Ann)", .fromComment),
            ("a comment within the address of no one", "ann(x)@\(domain)", .fromMalformed),
            ("an @ in a name", "Ann @ Home <\(address)>", .fromMalformed),
            ("the address and a name", "\(address) Ann <\(address)>", .fromMalformed),
            ("the address as a name beside a quoted one", "\"Eve\" \(address) <\(address)>", .fromMalformed),
            ("a route", "Ann <@evil.example:\(address)>", .fromMalformed),
            ("an address for a name without quotation marks", "evil@evil.example <\(address)>", .fromMalformed),
            ("two addresses in brackets", "<evil@evil.example> <\(address)>", .fromMalformed),
            ("two addresses in one pair of brackets", "<evil@evil.example,\(address)>", .fromMalformed),
            ("brackets in brackets", "Ann <<\(address)>>", .fromMalformed),
            ("brackets that do not end", "Ann <\(address)", .fromMalformed),
            ("text behind the brackets", "Ann <\(address)> evil@evil.example", .fromMalformed),
            ("a quoted string that does not end", "\"Ann <\(address)>", .fromMalformed),
            ("a quoted name and an address without brackets", "\"Eve\" \(address)", .fromMalformed),
            ("a quoted local part", "\"ann\"@\(domain)", .fromMalformed),
            ("a quoted local part with an address", "\"\(address)\"@evil.example", .fromMalformed),
            ("a second @", "<ann@\(domain)@evil.example>", .fromMalformed),
            ("a second @ after a space", "ann@evil.example @\(domain)", .fromMalformed),
            ("an encoded word for an address", "=?utf-8?Q?ann=40evil=2Eexample?=", .fromMalformed),
            ("an encoded word in the local part", "<=?utf-8?Q?evil=40evil.example=3E?=@\(domain)>", .fromMalformed),
            ("an encoded word around the brackets", "=?utf-8?Q?Ann_<\(address)>?=", .fromMalformed),
            ("a space in the address", "Ann <ann @\(domain)>", .fromMalformed),
            ("a space in the brackets", "Ann < \(address) >", .fromMalformed),
            ("a folded address", "Ann <ann@\r\n \(domain)>", .fromMalformed),
            ("a backslash in the name", "Ann \\<evil@evil.example> <\(address)>", .fromMalformed),
            ("a letter like a Latin one", "<\u{430}nn@\(domain)>", .fromMalformed),
            ("an @ of full width", "<ann\u{ff20}\(domain)>", .fromMalformed),
            ("an old route with %", "<ann%\(domain)@evil.example>", .fromMalformed),
            ("an address literal", "<ann@[192.0.2.1]>", .fromMalformed),
            ("no address", "Ann Lee", .fromMalformed),
            ("an empty address", "Ann <>", .fromMalformed),
            ("nothing", "", .fromMalformed),
        ]
        return values.map { name, from, reason in hostile("from: \(name)", reason) { $0.from = [from] } } + [
            hostile("no From, but a Sender", .noFrom) {
                $0.from = []
                $0.lines.append("Sender: \(address)")
            },
            hostile("two From fields", .severalFrom) { $0.from = [address, "evil@evil.example"] },
            hostile("two From fields, the account last", .severalFrom) { $0.from = ["evil@evil.example", address] },
            hostile("the same From twice", .severalFrom) { $0.from = [address, address] },
            hostile("two From fields in different case", .severalFrom) { $0.lines.append("fROM: evil@evil.example") },
        ]
    }

    /// An attacker whose own domain vouches for the attacker.
    private var otherSenders: [ReplySample] {
        let evil = "eve@evil.example"
        func signedByEvil(_ name: String, from: String, _ lines: [String] = []) -> ReplySample {
            sample("of an attacker: \(name)", .otherSender(evil)) {
                $0.results = ["\(authservID); dkim=pass header.d=evil.example; spf=pass smtp.mailfrom=\(evil)"]
                $0.signatures = []
                $0.from = [from]
                $0.lines += lines
            }
        }
        return [
            signedByEvil("an honest name", from: "Eve <\(evil)>"),
            signedByEvil("the account as the name", from: "\"\(address)\" <\(evil)>"),
            signedByEvil("the account in brackets as the name", from: "\"Ann <\(address)>\" <\(evil)>"),
            signedByEvil("an escaped quotation mark in the name", from: "\"Ann \\\" <\(address)>\" <\(evil)>"),
            signedByEvil("the account in an encoded word", from: "=?utf-8?Q?Ann_=3Cann=40example.com=3E?= <\(evil)>"),
            signedByEvil("the account as Sender", from: "<\(evil)>", ["Sender: \(address)"]),
            signedByEvil(
                "the account as Reply-To", from: evil, ["Reply-To: \(address)", "X-Original-From: \(address)"]),
        ]
    }
}
