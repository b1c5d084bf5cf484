/// Repeatable random numbers (SplitMix64).
struct SeededRandom: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ value >> 30) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ value >> 27) &* 0x94d0_49bb_1331_11eb
        return value ^ value >> 31
    }
}

/// Addresses as people type and paste them, with one to four random changes.
struct DamagedAddresses {
    private var random: SeededRandom
    private var count = 0

    init(seed: UInt64) { random = SeededRandom(state: seed) }

    mutating func next() -> String {
        count += 1
        var scalars = Array(Self.seeds[count % Self.seeds.count].unicodeScalars)
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let place = Int.random(in: 0...scalars.count, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                let end = min(scalars.count, place + Int.random(in: 0...3, using: &random))
                scalars.removeSubrange(place..<end)
            case 1, 2: scalars.insert(contentsOf: Self.tokens.randomElement(using: &random) ?? [], at: place)
            default:
                if let any = Unicode.Scalar(UInt32.random(in: 0..<0x30000, using: &random)) {
                    scalars.insert(any, at: place)
                }
            }
        }
        return String(String.UnicodeScalarView(scalars))
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
}
