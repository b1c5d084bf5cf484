import Foundation
import SSOWeb
import Testing

@testable import IdP
@testable import TestSupport

@Suite("Letters on the wire")
struct LetterTests {
    /// What holds for every letter: CRLF alone ends lines, none is longer than 76, all is ASCII.
    private func expectSound(_ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) {
        let lines = String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n")
        #expect(lines.allSatisfy { $0.utf8.count <= 76 }, sourceLocation: sourceLocation)
        let between = lines.joined().utf8
        #expect(between.allSatisfy { $0 != 0x0d && $0 != 0x0a && $0 < 0x80 }, sourceLocation: sourceLocation)
        #expect(bytes.suffix(2) == [0x0d, 0x0a], sourceLocation: sourceLocation)
    }

    @Test("an ordinary letter has every header once, plain text first, and another reader finds no fault")
    func complete() async throws {
        let bytes = try Letter.example().rfc5322()
        expectSound(bytes)
        let letter = try await ReadLetter.read(bytes)
        #expect(letter.defects == [])
        #expect(
            letter.headers.map { $0[0] } == [
                "Date", "From", "To", "Subject", "Message-ID", "Auto-Submitted", "Content-Language", "MIME-Version",
                "Content-Type",
            ])
        #expect(letter.values("Date") == ["Sat, 21 Nov 2026 03:35:29 +0000"])
        #expect(letter.values("From") == ["Main App <sign-in@example.com>"])
        #expect(letter.values("To") == ["ann@client.example"])
        #expect(letter.values("Message-ID") == ["<01J-letter_1@idp.example.com>"])
        #expect(letter.values("Auto-Submitted") == ["auto-generated"])
        #expect(letter.parts.map(\.type) == ["text/plain", "text/html"])
        #expect(letter.parts[0].text == "Your code:\n\n123456\n\nIgnore this letter if it was not you.\n")
        #expect(letter.parts.map(\.encoding) == ["7bit", "7bit"])
    }

    @Test(
        "any text comes back as it was",
        arguments: [
            "Schlüssel ✓ 🔑\n\n123456\n", "trailing blank \nand tab\t\n", String(repeating: "long ", count: 60) + "\n",
            String(repeating: "é", count: 200) + "\n", "=3D = =\n.\n..\nFrom here\n", "--=_0_x\n--=_0_x--\n",
            "null \0 bell \u{7}\n", "\n\n\n",
        ])
    func text(text: String) async throws {
        let bytes = try Letter.example(id: "x", text: text, html: "<p>\(text)</p>\n").rfc5322()
        expectSound(bytes)
        let letter = try await ReadLetter.read(bytes)
        #expect(letter.defects == [])
        #expect(letter.parts.count == 2)
        #expect(letter.parts[0].text == text)
        #expect(letter.parts[1].text == "<p>\(text)</p>\n")
        #expect(OutboxLetter(bytes).text == text)
    }

    @Test("line ends of any kind become CRLF", arguments: ["a\nb\n", "a\r\nb\r\n", "a\rb\r", "a\nb"])
    func lineEnds(text: String) throws {
        expectSound(try Letter.example(text: text).rfc5322())
        #expect(OutboxLetter(try Letter.example(text: text).rfc5322()).text == "a\nb\n")
    }

    @Test(
        "any subject comes back on one header",
        arguments: [
            "Ihr Schlüssel für Straße", "鍵" + String(repeating: "長い件名 ", count: 20) + "終",
            String(repeating: "word ", count: 40) + "end",
            "=?utf-8?B?SGk=?=", "🔑🔑🔑🔑🔑🔑🔑🔑🔑🔑🔑🔑🔑🔑🔑🔑🔑🔑🔑🔑",
        ])
    func subject(subject: String) async throws {
        let bytes = try Letter.example(subject: subject).rfc5322()
        expectSound(bytes)
        let letter = try await ReadLetter.read(bytes)
        #expect(letter.values("Subject") == [subject])
        #expect(letter.defects == [])
        #expect(OutboxLetter(bytes).subject == subject)
    }

    @Test(
        "no field can add a header or a part",
        arguments: [
            "x\r\nBcc: v@evil.example", "x\nBcc: v@evil.example\n\nbody", "x\r\n\r\n--=_0_a",
            "x\u{2028}Bcc: v@evil.example", "\0x",
        ])
    func injection(poison: String) async throws {
        let bytes = try Letter.example(id: poison, subject: poison, text: poison, html: poison, domain: poison)
            .rfc5322()
        expectSound(bytes)
        let letter = try await ReadLetter.read(bytes)
        #expect(letter.headers.count == 9)
        #expect(letter.values("Bcc") == [])
        #expect(letter.parts.count == 2)
        #expect(letter.defects == [])
    }

    @Test(
        "a sender's name is written so that every reader gets it back",
        arguments: [
            "Main, App", "Main \"App\"", "Bücher & Söhne", "App.example", "=?x?=", "Back\\slash",
            String(repeating: "n", count: 64),
        ])
    func sender(name: String) async throws {
        let quoted = name.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\"", with: "\\\"")
        let bytes = try Letter.example(from: "\"\(quoted)\" <sign-in@example.com>").rfc5322()
        expectSound(bytes)
        let letter = try await ReadLetter.read(bytes)
        #expect(letter.defects == [])
        let from = try #require(letter.values("From").first)
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
        #expect(LetterHeader.date(Timestamp(milliseconds: milliseconds)) == written)
    }
}
