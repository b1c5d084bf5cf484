/// A language beside those that are built in, or other words for one of them.
struct AddedLanguage: Sendable {
    let language: Language
    /// The texts that it has, each with the placeholders of the English one.
    let patterns: [String: TextPattern]
    /// The keys that it lacks. These texts are in English.
    let missing: [String]
}

/// The languages of a folder, each a folder of catalogues with its tag as its name.
///
/// `fr/language.json` has the language's own name, and every other `fr/….json` texts as those of Sources/…/Texts/en.json. What
/// cannot be used is left out, one text at a time, and is a finding: a translation never stops a start, and never costs a code,
/// a link or a name that the English text has.
package struct AddedLanguages: Sendable {
    /// What a folder may hold: ten times as much as the built-in texts.
    enum Limit {
        static let languages = 50
        static let files = 50
        static let bytes = 512 << 10
        /// A text, in bytes. The longest English one has 217.
        static let text = 2048
        static let name = 40
    }

    package static let empty = AddedLanguages()

    var all: [AddedLanguage] = []
    var names: [Language: String] = [:]
    /// What is left out: the file, the key, what is wrong, and the accepted form.
    package internal(set) var findings: [String] = []
    /// The added languages, each with how many texts it has, and the keys that it lacks.
    package var reports: [(tag: String, words: String, missing: [String])] {
        all.map { ($0.language.rawValue, words($0), $0.missing) }
    }

    package func contains(_ language: Language) -> Bool { all.contains { $0.language == language } }

    init() {}

    private func words(_ added: AddedLanguage) -> String {
        let name = names[added.language] ?? added.language.rawValue
        let number = added.patterns.count
        let count = "\(name): \(number) text\(number == 1 ? "" : "s")"
        guard !Language.builtIn.contains(added.language) else { return "\(count) in place of the built-in ones" }
        return added.missing.isEmpty
            ? "\(count), none is missing" : "\(count), \(added.missing.count) more are shown in English"
    }

    /// A name of a file or a key as an operator may read it.
    static func shown(_ name: String) -> String { String(name.prefix(80)) }
}
