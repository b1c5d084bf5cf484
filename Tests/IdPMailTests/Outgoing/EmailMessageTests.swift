import Foundation
import Testing

@testable import Counterparts
@testable import IdPMail
@testable import SSOWeb
@testable import TestKit

@Suite("Emails on the wire", .rules)
struct EmailMessageTests {
    /// True for every email: only CRLF ends lines, no line is longer than 76, and all bytes are ASCII.
    private func expectSound(_ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) {
        let lines = String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n")
        #expect(lines.allSatisfy { $0.utf8.count <= 76 }, sourceLocation: sourceLocation)
        let between = lines.joined().utf8
        #expect(between.allSatisfy { $0 != 0x0d && $0 != 0x0a && $0 < 0x80 }, sourceLocation: sourceLocation)
        #expect(bytes.suffix(2) == [0x0d, 0x0a], sourceLocation: sourceLocation)
    }

    /// Python's `email` before 3.13.1 shows a blank between two encoded words.
    @Test(
        "only the words of a name that are not ASCII are encoded, neighbours together, and another parser reads the same",
        arguments: [
            ("B\u{fc}cher & S\u{f6}hne", "=?utf-8?B?QsO8Y2hlcg==?= & =?utf-8?B?U8O2aG5l?="),
            (
                "Stadtwerke Musterstadt und Wasserwerke S\u{fc}d GmbH & Co",
                "Stadtwerke Musterstadt und Wasserwerke =?utf-8?B?U8O8ZA==?= GmbH & Co"
            ),
            ("S\u{fc}d GmbH & Co. KG", "=?utf-8?B?U8O8ZA==?= \"GmbH & Co. KG\""),
            ("Gr\u{f6}\u{df}te B\u{fc}cher Shop", "=?utf-8?B?R3LDtsOfdGUgQsO8Y2hlcg==?= Shop"),
            ("Shop, \"Inc\" \u{9375}", "\"Shop, \\\"Inc\\\"\" =?utf-8?B?6Y21?="),
            ("A  \u{d6}  B", "\"A \" =?utf-8?B?w5Yg?= B"), ("A  B", "\"A  B\""),
            ("x =?y?= z", "x =?utf-8?B?PT95Pz0=?= z"), ("Main App", "Main App"),
            ("S\u{fc}d =?y?=", "=?utf-8?B?U8O8ZCA9P3k/PQ==?="),
        ])
    func mixedName(name: String, phrase: String) async throws {
        let escaped = name.replacingOccurrences(of: "\"", with: "\\\"")
        let bytes = try EmailMessage.example(from: "\"\(escaped)\" <s@example.com>").rfc5322()
        expectSound(bytes)
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(
            text.contains("\r\nFrom: \(phrase) <s@example.com>\r\n")
                || text.contains("\r\nFrom: \(phrase)\r\n <s@example.com>\r\n"), "\(text.prefix(300))")
        let email = try await ReadEmail.read(bytes)
        #expect(email.names == [name] && email.defects == [])
    }

    @Test("a long name of many encoded words is folded between them, and words too long for one are cut after a blank")
    func longName() async throws {
        let many = String(repeating: "\u{e4} b ", count: 12) + "c"
        let bytes = try EmailMessage.example(from: "\(many) <sign-in@example.com>").rfc5322()
        expectSound(bytes)
        #expect(try await ReadEmail.read(bytes).names == [many])
        let name =
            "\u{413}\u{43e}\u{441}\u{443}\u{434}\u{430}\u{440}\u{441}\u{442}\u{432}\u{43e} \u{431}\u{438}\u{431}\u{43b}\u{438}\u{43e}\u{442}\u{435}\u{43a}\u{438}"
        let long = try EmailMessage.example(from: "\(name) <sign-in@example.com>").rfc5322()
        expectSound(long)
        let words = MIME.encodedWords(name, firstLimit: 70).components(separatedBy: "\r\n ")
        #expect(words.count == 2 && Data(base64Encoded: String(words[0].dropFirst(10).dropLast(2)))?.last == 0x20)
        let read = try await ReadEmail.read(long).names.first ?? ""
        #expect(read.split(separator: " ") == name.split(separator: " "))
    }

    @Test("a name without a blank near the end of a word is cut between two characters")
    func longWord() throws {
        let name = "Gr\u{f6}\u{df}te Donaudampfschifffahrtsgesellschaftskapit\u{e4}nsm\u{fc}tzenmuseum"
        let words = MIME.encodedWords(name, firstLimit: 70).components(separatedBy: "\r\n ")
        let texts = words.map { word in
            String(decoding: Data(base64Encoded: String(word.dropFirst(10).dropLast(2))) ?? Data(), as: UTF8.self)
        }
        #expect(texts.count == 2 && texts.joined() == name)
        #expect(words.allSatisfy { $0.utf8.count <= 75 })
    }

    @Test("an ordinary email has every header once, plain text first, and another parser finds no defect")
    func complete() async throws {
        let bytes = try EmailMessage.example().rfc5322()
        expectSound(bytes)
        let email = try await ReadEmail.read(bytes)
        #expect(email.defects == [])
        #expect(
            email.headers.map { $0[0] } == [
                "Date", "From", "To", "Subject", "Message-ID", "Auto-Submitted", "Content-Language", "MIME-Version",
                "Content-Type",
            ])
        #expect(email.values("Date") == ["Sat, 21 Nov 2026 03:35:29 +0000"])
        #expect(email.values("From") == ["Main App <sign-in@example.com>"])
        #expect(email.values("To") == ["ann@client.example"])
        #expect(email.values("Message-ID") == ["<01J-letter_1@idp.example.com>"])
        #expect(email.values("Auto-Submitted") == ["auto-generated"])
        #expect(email.values("Content-Language") == ["en"])
        let german = try await ReadEmail.read(EmailMessage.example(language: .german).rfc5322())
        #expect(german.values("Content-Language") == ["de"])
        #expect(email.parts.map(\.type) == ["text/plain", "text/html"])
        #expect(email.parts[0].text == "Your code:\n\n123456\n\nIgnore this letter if it was not you.\n")
        #expect(email.parts.map(\.encoding) == ["7bit", "7bit"])
    }

    @Test(
        "any text can be read back unchanged",
        arguments: [
            "Schlüssel ✓ 🔑\n\n123456\n", "trailing blank \nand tab\t\n", String(repeating: "long ", count: 60) + "\n",
            String(repeating: "é", count: 200) + "\n", "=3D = =\n.\n..\nFrom here\n", "--=_0_x\n--=_0_x--\n",
            "null \0 bell \u{7}\n", "\n\n\n",
        ])
    func text(text: String) async throws {
        let bytes = try EmailMessage.example(id: "x", text: text, html: "<p>\(text)</p>\n").rfc5322()
        expectSound(bytes)
        let email = try await ReadEmail.read(bytes)
        #expect(email.defects == [])
        #expect(email.parts.count == 2)
        #expect(email.parts[0].text == text)
        #expect(email.parts[1].text == "<p>\(text)</p>\n")
    }

    @Test("line endings of any kind become CRLF", arguments: ["a\nb\n", "a\r\nb\r\n", "a\rb\r", "a\nb"])
    func lineEnds(text: String) async throws {
        let bytes = try EmailMessage.example(text: text).rfc5322()
        expectSound(bytes)
        #expect(try await ReadEmail.read(bytes).parts[0].text == "a\nb\n")
    }

    @Test(
        "any subject can be read back from one header",
        arguments: [
            "Ihr Schlüssel für Straße", "鍵" + String(repeating: "長い件名 ", count: 20) + "終",
            String(repeating: "word ", count: 40) + "end",
            "=?utf-8?B?SGk=?=", "🔑🔑🔑🔑🔑🔑🔑🔑🔑🔑🔑🔑🔑🔑🔑🔑🔑🔑🔑🔑",
        ])
    func subject(subject: String) async throws {
        let bytes = try EmailMessage.example(subject: subject).rfc5322()
        expectSound(bytes)
        let email = try await ReadEmail.read(bytes)
        #expect(email.values("Subject") == [subject])
        #expect(email.defects == [])
    }

    @Test(
        "no field can add a header or a part",
        arguments: [
            "x\r\nBcc: v@evil.example", "x\nBcc: v@evil.example\n\nbody", "x\r\n\r\n--=_0_a",
            "x\u{2028}Bcc: v@evil.example", "\0x",
        ])
    func injection(poison: String) async throws {
        let bytes = try EmailMessage.example(id: poison, subject: poison, text: poison, html: poison, domain: poison)
            .rfc5322()
        expectSound(bytes)
        let email = try await ReadEmail.read(bytes)
        #expect(email.headers.count == 9)
        #expect(email.values("Bcc") == [])
        #expect(email.parts.count == 2)
        #expect(email.defects == [])
    }

    @Test(
        "a sender's name can be read back unchanged by every parser",
        arguments: [
            "Main, App", "Main \"App\"", "Bücher & Söhne", "App.example", "=?x?=", "Back\\slash",
            String(repeating: "n", count: 64),
        ])
    func sender(name: String) async throws {
        let quoted = name.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\"", with: "\\\"")
        let bytes = try EmailMessage.example(from: "\"\(quoted)\" <sign-in@example.com>").rfc5322()
        expectSound(bytes)
        let email = try await ReadEmail.read(bytes)
        #expect(email.defects == [])
        let from = try #require(email.values("From").first)
        #expect(try MailFrom(from).name == name)
        #expect(from.hasSuffix("<sign-in@example.com>"))
    }

    @Test(
        "dates are UTC and RFC 5322",
        arguments: [
            (0, "Thu, 1 Jan 1970 00:00:00 +0000"), (951_782_400_000, "Tue, 29 Feb 2000 00:00:00 +0000"),
            (1_798_761_599_999, "Thu, 31 Dec 2026 23:59:59 +0000"),
            (4_107_542_400_000, "Mon, 1 Mar 2100 00:00:00 +0000"),
        ] as [(Int64, String)])
    func date(milliseconds: Int64, written: String) {
        #expect(MIME.date(Timestamp(milliseconds: milliseconds)) == written)
    }
}
