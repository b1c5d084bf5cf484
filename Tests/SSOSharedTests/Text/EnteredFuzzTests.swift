import Testing

@testable import SSOShared
@testable import TestKit

@Suite("Addresses as people type and paste them: fuzz", .rules)
struct EnteredFuzzTests {
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

    private static let seeds = [
        "ann@example.com", "Ann Example <ann.lee@exümple.example>", "mailto:ann%2Bx@faß.de?subject=x", "„ann@例え.テスト“",
        "ann＠пример。рф", "o'brien@xn--exmple-4ya.example", "ann@\u{915}\u{94d}\u{200d}\u{937}.com",
        "a@\u{5d0}\u{5d1}.com",
    ]

    private static let tokens = [
        "@", "＠", ".", "．", "。", "<", ">", "\"", "'", "„", "“", "«", "mailto:", "%40", "%", "?", "-", "_", "\u{200b}",
        "\u{200d}", "\u{200c}", "\u{ad}", "\u{feff}", "\u{301}", "\u{3000}", " ", "\r\n", "ü", "ß", "\u{130}",
        "\u{131}",
        "\u{212a}", "\u{5d0}", "\u{661}", "☃", "ａ", "xn--", "xn--a", "\u{fb00}", "\u{2100}", "/", "：", "\\", "\u{202e}",
        "\u{0}", "+", "{", "}", "(", ")", ",", ";", "e\u{301}", "1", "0x1",
    ].map { Array($0.unicodeScalars) }

    private static func damaged(_ text: String, _ random: inout Seeded) -> String {
        var scalars = Array(text.unicodeScalars)
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let place = Int.random(in: 0...scalars.count, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                let end = min(scalars.count, place + Int.random(in: 0...3, using: &random))
                scalars.removeSubrange(place..<end)
            case 1, 2: scalars.insert(contentsOf: tokens.randomElement(using: &random) ?? [], at: place)
            default:
                if let any = Unicode.Scalar(UInt32.random(in: 0..<0x30000, using: &random)) {
                    scalars.insert(any, at: place)
                }
            }
        }
        return String(String.UnicodeScalarView(scalars))
    }

    @Test("of 20,000 damaged addresses each is refused, or becomes one that programs read as it is, and once only")
    func damagedAddresses() throws {
        var random = Seeded(state: 5)
        var (read, refused) = (0, 0)
        for index in 0..<20_000 {
            let typed = Self.damaged(Self.seeds[index % Self.seeds.count], &random)
            guard let address = try? Entered.address(typed) else {
                refused += 1
                continue
            }
            read += 1
            #expect(try EmailAddress(address.text) == address, "\(typed.debugDescription)")
            #expect(try Entered.address(address.text) == address, "\(typed.debugDescription)")
            #expect(try Entered.address(address.shown) == address, "\(typed.debugDescription)")
        }
        #expect(read > 2000 && refused > 2000)
    }

    @Test("invisible characters anywhere in an address change nothing")
    func invisible() throws {
        var random = Seeded(state: 6)
        let marks: [Unicode.Scalar] = [
            "\u{200b}", "\u{200e}", "\u{2060}", "\u{ad}", "\u{feff}", "\u{fe0f}", "\u{2069}", "\u{61c}",
        ]
        for _ in 0..<500 {
            var scalars = Array("ann.lee+x@exümple.example".unicodeScalars)
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let place = Int.random(in: 0...scalars.count, using: &random)
                scalars.insert(marks.randomElement(using: &random) ?? "\u{200b}", at: place)
            }
            let typed = String(String.UnicodeScalarView(scalars))
            #expect(try Entered.address(typed).text == "ann.lee+x@xn--exmple-4ya.example", "\(typed.debugDescription)")
        }
    }
}
