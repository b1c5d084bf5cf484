import SSOShared
import Testing

@testable import Counterparts
@testable import IdPInboundMail
@testable import TestKit

@Suite("Replies by email: fuzz", .rules)
struct ReplyFuzzTests {
    /// Repeatable random numbers (SplitMix64).
    private struct Seeded: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var value = state
            value = (value ^ value >> 30) &* 0xbf58_476d_1ce4_e5b9
            value = (value ^ value >> 27) &* 0x94d0_49bb_1331_11eb
            return value ^ value >> 31
        }
    }

    private static let tokens = [
        "\r\n", "\n", "\r", "\0", " ", "\t", "\"", "\\", "(", ")", "<", ">", ";", ":", ",", "=", "@", "--b", "--b--",
        "From: eve@evil.example\r\n", "=?utf-8?Q?x?=", "\r\n\r\n", "\r\n ", "\u{e9}", "<!--", "&#x0;", "&#1114112;",
        "=",
        "=0", "====", "boundary=", "charset=utf-16", "multipart/mixed", "; dkim=pass header.d=evil.example", "4711",
    ].map { Array($0.utf8) }

    private static func damaged(_ message: [UInt8], donor: [UInt8], _ random: inout Seeded) -> [UInt8] {
        var bytes = message
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let place = Int.random(in: 0...bytes.count, using: &random)
            let end = min(bytes.count, place + Int.random(in: 0...40, using: &random))
            switch Int.random(in: 0..<6, using: &random) {
            case 0: bytes.removeSubrange(place..<end)
            case 1: bytes.insert(contentsOf: bytes[place..<end], at: Int.random(in: 0...bytes.count, using: &random))
            case 2: bytes.insert(contentsOf: tokens.randomElement(using: &random) ?? [], at: place)
            case 3: bytes = Array(bytes[..<place])
            case 4: bytes.replaceSubrange(place..<end, with: donor.dropFirst(place).prefix(60))
            default: if place < bytes.count { bytes[place] = UInt8.random(in: .min ... .max, using: &random) }
            }
        }
        return bytes
    }

    @Test("4,000 damaged messages are read or rejected, and what is read has a key, an address and four digits")
    func damagedMessages() throws {
        let corpus = ReplyCorpus()
        let reader = InboundMailReader(domain: corpus.replyDomain, authservID: corpus.authservID)
        let samples = (corpus.honest + corpus.hostile).filter { $0.message.count < 8192 }
        var random = Seeded(state: 11)
        var (read, rejected) = (0, 0)
        for index in 0..<TestLength.of(short: 4000, nightly: 100_000) {
            let donor = try #require(samples.randomElement(using: &random)).message
            let message = Self.damaged(samples[index % samples.count].message, donor: donor, &random)
            guard let reply = try? reader.read(message, recipient: nil) else {
                rejected += 1
                continue
            }
            read += 1
            try #require(reply.key.count == 32)
            try #require(reply.number.utf8.count == 4)
            try #require(reply.number.utf8.allSatisfy { (0x30...0x39).contains($0) })
            _ = try EmailAddress(reply.sender.text)
        }
        // Both ways must have been taken for the claim to mean something.
        #expect(read > 50)
        #expect(rejected > 1000)
    }

    private static let charsets = [
        "iso-2022-jp", "iso-2022-kr", "iso-2022-cn-ext", "utf-7", "gb18030", "big5-hkscs", "euc-tw", "shift_jis",
        "johab",
        "utf-16", "utf-16be", "utf-32", "ucs-2", "ibm037", "ibm1364", "tscii", "iso-8859-8-i", "cp-1252", "x-cs-866",
        "utf-8",
        "internal", "//", "x",
    ].map { Array($0.utf8) }
    private static let encodings = [
        "7bit", "binary", "8-bit", "(c) 8bit ;x", "\"7bit\"", "base64", "quoted-printable", "none", "x-y",
    ].map { Array($0.utf8) }
    private static let pieces = [
        "\u{1b}$B", "\u{1b}(B", "\u{1b}$)C", "\u{e}", "\u{f}", "+", "-", "~{", "\r\n", " 1234 ", "\r\n1234\r\n", " ",
        "47", "11", "7", "=1B",
        "=\r\n",
    ].map { Array($0.utf8) }

    /// A reply in some character set and encoding, both perhaps misspelled, whose text does not have the number:
    /// nothing may read it as the number.
    private static func foreign(_ corpus: ReplyCorpus, _ random: inout Seeded) -> [UInt8] {
        var names = [charsets, encodings].map { $0.randomElement(using: &random) ?? [] }
        for index in names.indices where Int.random(in: 0..<4, using: &random) == 0 {
            names[index].insert(UInt8.random(in: 0x20...0x7e, using: &random), at: 0)
        }
        let texts = names.map { String(decoding: $0, as: UTF8.self) }
        var body: [UInt8] = []
        for _ in 0..<Int.random(in: 1...60, using: &random) {
            body += pieces.randomElement(using: &random) ?? []
            let byte = UInt8.random(in: 1 ... .max, using: &random)
            body.append(byte == 0x0d || byte == 0x0a ? 0x20 : byte)
        }
        var draft = ReplyDraft(corpus)
        draft.mime = ["Content-Type: text/plain; charset=\(texts[0])", "Content-Transfer-Encoding: \(texts[1])"]
        // Then damage is repaired.
        if Bool.random(using: &random) { draft.mime.append("MIME-Version: 1.0") }
        draft.body = body + [0x0d, 0x0a]
        return draft.bytes
    }

    @Test("20,000 texts in all kinds of character sets and encodings end in an answer, and none of them is the number")
    func foreignTexts() {
        var corpus = ReplyCorpus()
        corpus.number = "9386"
        let reader = InboundMailReader(domain: corpus.replyDomain, authservID: corpus.authservID)
        var random = Seeded(state: 23)
        var (read, rejected) = (0, 0)
        for _ in 0..<20_000 {
            do {
                let reply = try reader.read(Self.foreign(corpus, &random), recipient: nil)
                #expect(reply.number != corpus.number)
                read += 1
            } catch { rejected += 1 }
        }
        #expect(read > 100)
        #expect(rejected > 1000)
    }
}
