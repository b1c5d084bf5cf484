/// How a language counts, writes a date, and runs: one table for all languages.
///
/// Source: Unicode CLDR 46, "Language Plural Rules", for the whole numbers that pages show. What CLDR has for exact millions
/// alone, as in French and Spanish, is left out.
struct LanguageRules: Sendable {
    /// The forms of a text that depends on a number, as CLDR calls them. A text has a key for each form of its language:
    /// `code.tries-left.few`.
    enum Form: String, CaseIterable, Sendable { case zero, one, two, few, many, other }

    /// The form for a number.
    let form: @Sendable (Int) -> Form
    /// The first day of a month in a date, where it is not a plain number.
    let firstDay: String?
    /// Whether the table has the language. If not, it counts as English does.
    let isKnown: Bool

    init(_ language: Language) {
        let primary = String(language.primary)
        let rule = Self.exceptions[language.rawValue] ?? Self.plurals.first { $0.languages.contains(primary) }?.rule
        form = rule ?? Self.oneAlone
        firstDay = primary == "fr" ? "1er" : nil
        isKnown = rule != nil
    }

    /// The forms that the language has, `other` last.
    var forms: [Form] { Form.allCases.filter(Set((0...200).map(form)).union([.other]).contains) }

    /// The numbers up to 200 that a form stands for.
    func numbers(of form: Form) -> [Int] { (0...200).filter { self.form($0) == form } }

    /// Whether the text of a language runs from right to left.
    static func isRightToLeft(_ language: Language) -> Bool {
        let tag = language.rawValue
        return tag.contains("-Arab") || tag.contains("-Hebr")
            || rightToLeft.contains(String(language.primary)) && !tag.contains("-Latn") && !tag.contains("-Cyrl")
    }

    typealias Rule = @Sendable (Int) -> Form

    private static let oneAlone: Rule = { $0 == 1 ? .one : .other }
    private static let zeroAndOne: Rule = { $0 <= 1 ? .one : .other }

    private static let exceptions: [String: Rule] = ["pt-PT": oneAlone]

    private static let rightToLeft: Set<String> = ["ar", "ckb", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi"]

    private static let plurals: [(languages: Set<String>, rule: Rule)] = [
        (["bo", "dz", "id", "ja", "jv", "km", "ko", "lo", "ms", "my", "su", "th", "vi", "yue", "zh"], { _ in .other }),
        (
            [
                "af", "ast", "az", "bg", "ca", "ckb", "da", "de", "dv", "el", "en", "eo", "es", "et", "eu", "fi", "fo",
                "fy", "gl", "hu", "it", "ka", "kk", "ku", "ky", "lb", "ml", "mn", "mr", "nb", "ne", "nl", "nn", "no",
                "ps", "rm", "sd", "so", "sq", "sv", "sw", "ta", "te", "tk", "tr", "ug", "ur", "uz", "yi",
            ], oneAlone
        ),
        (
            [
                "ak", "am", "as", "bn", "fa", "ff", "fr", "gu", "hi", "hy", "kab", "kn", "ln", "mg", "pa", "pt", "si",
                "ti", "wa", "zu",
            ], zeroAndOne
        ),
        (
            ["bs", "hr", "sh", "sr"],
            { isOneOfTen($0) ? .one : isFewOfTen($0) ? .few : .other }
        ),
        (["be", "ru", "uk"], { isOneOfTen($0) ? .one : isFewOfTen($0) ? .few : .many }),
        (["pl"], { $0 == 1 ? .one : isFewOfTen($0) ? .few : .many }),
        (["cs", "sk"], { $0 == 1 ? .one : (2...4).contains($0) ? .few : .other }),
        (
            ["sl"],
            { number in
                switch number % 100 {
                case 1: .one
                case 2: .two
                case 3...4: .few
                default: .other
                }
            }
        ),
        (
            ["lt"],
            { number in
                if (11...19).contains(number % 100) { return .other }
                return number % 10 == 1 ? .one : number % 10 >= 2 ? .few : .other
            }
        ),
        (
            ["lv"],
            { number in
                if number % 10 == 0 || (11...19).contains(number % 100) { return .zero }
                return number % 10 == 1 ? .one : .other
            }
        ),
        (["is", "mk"], { isOneOfTen($0) ? .one : .other }),
        (["mo", "ro"], { $0 == 1 ? .one : $0 == 0 || (1...19).contains($0 % 100) ? .few : .other }),
        (["fil", "tl"], { [4, 6, 9].contains($0 % 10) ? .other : .one }),
        (["he"], { $0 == 1 ? .one : $0 == 2 ? .two : .other }),
        (
            ["ga"],
            { number in
                switch number {
                case 1: .one
                case 2: .two
                case 3...6: .few
                case 7...10: .many
                default: .other
                }
            }
        ),
        (
            ["cy"],
            { number in
                switch number {
                case 0: .zero
                case 1: .one
                case 2: .two
                case 3: .few
                case 6: .many
                default: .other
                }
            }
        ),
        (
            ["mt"],
            { number in
                switch number {
                case 1: .one
                case 2: .two
                default:
                    number == 0 || (3...10).contains(number % 100)
                        ? .few
                        : (11...19).contains(number % 100) ? .many : .other
                }
            }
        ),
        (
            ["ar"],
            { number in
                switch number {
                case 0: .zero
                case 1: .one
                case 2: .two
                default: (3...10).contains(number % 100) ? .few : number % 100 >= 11 ? .many : .other
                }
            }
        ),
    ]

    /// 1, 21, 31, 101, and not 11.
    @Sendable private static func isOneOfTen(_ number: Int) -> Bool { number % 10 == 1 && number % 100 != 11 }

    /// 2 to 4, 22 to 24, 102, and not 12 to 14.
    @Sendable private static func isFewOfTen(_ number: Int) -> Bool {
        (2...4).contains(number % 10) && !(12...14).contains(number % 100)
    }
}
