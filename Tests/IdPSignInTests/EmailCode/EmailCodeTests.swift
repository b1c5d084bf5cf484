import Testing

@testable import IdPSignIn
@testable import SSOShared
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

@Suite("The six digits", .rules)
struct EmailCodeTests {
    private static let first = "first-key-" + String(repeating: "a", count: 32)
    private static let second = "second-key-" + String(repeating: "b", count: 32)

    private static func codes(_ keys: String...) throws -> EmailCode {
        EmailCode(keys: try DerivedKeys.parse(keys.joined(separator: ","), setting: "IDP_SECRET_KEY"))
    }

    private static func challenge(_ id: String, of codes: EmailCode) -> Challenge {
        let now = TestClock().now
        return Challenge(
            id: id, address: "ann@example.com", isEligible: true,
            codeMAC: codes.mac(of: codes.code(for: id), challenge: id),
            service: nil, device: "mac", language: .english, browserID: nil, createdAt: now,
            expiresAt: now + Challenge.lifetime)
    }

    /// ASVS 6.5.3. Fixed ids, so the outcome is always the same; 27.88 is the chi-square bound of nine degrees at 0.1 %.
    @Test("every digit is equally likely at each of the six positions, leading zeros included")
    func uniform() throws {
        let codes = try Self.codes(Self.first)
        var counts = [[Int]](repeating: [Int](repeating: 0, count: 10), count: 6)
        let total = 20_000
        for number in 0..<total {
            let digits = Array(codes.code(for: "chl_\(number)").utf8)
            try #require(digits.count == 6)
            for (position, digit) in digits.enumerated() { counts[position][Int(digit) - 48] += 1 }
        }
        let expected = Double(total) / 10
        for position in counts {
            let chiSquare = position.reduce(0.0) { $0 + (Double($1) - expected) * (Double($1) - expected) / expected }
            #expect(chiSquare < 27.88, "\(position)")
        }
    }

    @Test("a code works only for its challenge and its key")
    func bound() throws {
        let codes = try Self.codes(Self.first)
        let (one, other) = (Self.challenge("chl_one", of: codes), Self.challenge("chl_other", of: codes))
        let code = codes.code(for: "chl_one")
        #expect(!codes.matches(code, other))
        #expect(codes.mac(of: code, challenge: "chl_one") != codes.mac(of: code, challenge: "chl_other"))
        #expect(try !Self.codes(Self.second).matches(code, one))
        #expect(codes.matches(code, one))
    }

    @Test("no other number matches: all others of the last three digits are tried")
    func exact() throws {
        let codes = try Self.codes(Self.first)
        let challenge = Self.challenge("chl_one", of: codes)
        let code = codes.code(for: "chl_one")
        let tried = (0..<1000).map { String(code.prefix(3)) + String(String($0 + 1000).dropFirst()) }
        #expect(tried.filter { codes.matches($0, challenge) } == [code])
    }

    @Test("after a key rotation a sent code still works, and a second email has the same one")
    func rotation() throws {
        let old = try Self.codes(Self.first)
        let challenge = Self.challenge("chl_one", of: old)
        let code = old.code(for: "chl_one")
        let rolled = try Self.codes(Self.second, Self.first)
        #expect(rolled.matches(code, challenge))
        #expect(rolled.code(of: challenge) == code)
        #expect(try Self.codes(Self.second).code(of: challenge) == nil)
    }

    @Test(
        "anything but six digits is not a guess: numbers that are no digits, a sign, a word, a sentence around the code",
        arguments: [
            "", "12345", "1234567", "+12345", "-12345.", "12345\u{0}", "12.345", "0x1234", "123.456",
            "12345½", "1\u{301}23456", "Ⅰ23456", "①23456", "¹²³⁴⁵⁶", "+123456", "12345a",
            "123456a", "a123456", "a-123456", "123456-a", "é123456", "123456\u{301}", "一二三四五六",
            "１２３４５", "123456\u{0664}", "\u{0664}123456", "$123456", "#123456", "123456%", "123456.7", "1\u{20e3}23456",
            "7.123456", "7,123456", "123456/7", "123456 7", "1 234567", "123456, 654321", "123456 123456",
            "code: 079254", "Your code to sign in to Partner service: 261833", "コード：261833",
            "https://main.example/123456", "1e5000", "－", "- -",
            String(repeating: "1", count: 6000), String(repeating: " ", count: 4091) + "123456",
        ])
    func notACode(typed: String) {
        #expect(EmailCode.normalised(typed) == nil)
    }

    @Test(
        "digits of every script count by their value, whatever cannot be seen or stands around the code",
        arguments: [
            "１２３４５６", "1２3４5６", "١٢٣٤٥٦", "१२३४५६", "12345\u{0666}", "𝟏𝟐𝟑𝟒𝟓𝟔", "𑁧𑁨𑁩𑁪𑁫𑁬", "123456\u{200b}",
            "\u{feff}123456", "1\u{200b}23456", "\u{200e}123456\u{2069}", "\u{2066}123\u{ad}456\u{2069}",
            "12\u{2060}3456",
            "1\u{fe0f}23456", "123456.", "(123456)", "„123456“", "«123456»", "\"123456\"", "'123456'", "<123456>",
            "１２３－４５６", "「123456」。", "\u{3000}123456\u{a0}", "123456,",
        ])
    func everyDigit(typed: String) {
        #expect(EmailCode.normalised(typed) == "123456")
    }

    @Test(
        "a character that nobody can see and that stays in the code is named with its place, and one that is left out is not",
        arguments: [
            ("123\u{fffc}456", "a placeholder of a picture at position 4", "U+FFFC", 4),
            ("\u{200b}12345\u{7}6", "a control character (U+0007) at position 7", "U+0007", 7),
            ("123456\u{0}", "a control character (U+0000) at position 7", "U+0000", 7),
            ("\u{fff9}123456", "an invisible character (U+FFF9) at position 1", "U+FFF9", 1),
            ("\u{2800}123456", "an empty Braille pattern at position 1", "U+2800", 1),
            ("12345\u{200b}", nil, "", 0), ("12345 \u{a0}", nil, "", 0), ("abc", nil, "", 0), ("", nil, "", 0),
        ] as [(String, String?, String, Int)])
    func unseen(typed: String, words: String?, code: String, position: Int) {
        #expect(EmailCode.normalised(typed) == nil)
        let sentence = words.map { " The value has \($0)." } ?? ""
        #expect(EmailCode.inputProblem(typed) == "code must have six digits.\(sentence)")
        let error = EmailCode.inputError(typed)
        #expect(error == (words == nil ? .notSixDigits : .unseen(code: code, position: position)))
    }

    @Test(
        "blanks and dashes of any kind are ignored around six digits and between them",
        arguments: [
            ("123456", "123456"), (" 123 456 ", "123456"), ("12-34-56", "123456"), ("\t1 2 3 4 5 6", "123456"),
            ("012345", "012345"), ("-123456", "123456"), ("000000", "000000"), ("261 833", "261833"),
            ("261-833", "261833"), ("123456\n", "123456"), ("123\r\n456", "123456"), ("123\u{a0}456", "123456"),
            ("123\u{202f}456\u{3000}", "123456"), ("123–456", "123456"), ("123—456", "123456"),
            ("123\u{2011}456", "123456"), ("123\u{2212}456", "123456"),
            (String(repeating: " ", count: 4090) + "123456", "123456"),
            (String(repeating: "\u{200b}", count: 1360) + "123456", "123456"),
        ])
    func aCode(typed: String, code: String) {
        #expect(EmailCode.normalised(typed) == code)
    }
}
