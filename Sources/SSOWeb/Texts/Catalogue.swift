import Hummingbird
import SSOShared

/// Every text of a program's pages and emails, in every language.
///
/// A language is a JSON file of keys and texts. `{name}` in a text stands for a value, `{since, time}` for a moment. The
/// texts of SSOWeb itself, such as those of error pages, are always included.
public struct Catalogue: Sendable {
    /// The languages that the program offers.
    public let languages: Languages
    private let texts: [Language: Texts]
    /// What the languages call themselves, beside those that are built in.
    private let names: [Language: String]

    /// - Parameters:
    ///   - parts: the files for each language of each target of the program.
    ///   - values: what stands in place of a placeholder in every text, such as the program's name.
    ///   - added: further languages, and other words for those that are built in.
    /// - Throws: ``CatalogueError`` at the start: a built-in file is malformed, two have the same key, or a built-in language
    ///   lacks a text that another has.
    package init(
        _ parts: [[Language: [[UInt8]]]], values: [String: String] = [:], adding added: AddedLanguages = .empty
    ) throws(CatalogueError) {
        var texts: [Language: Texts] = [:]
        for language in Language.builtIn {
            var patterns: [String: TextPattern] = [:]
            for file in ([PageFiles.web.texts] + parts).flatMap({ $0[language] ?? [] }) {
                for (key, pattern) in try Self.patterns(file, language) {
                    guard patterns.updateValue(pattern, forKey: key) == nil else {
                        throw CatalogueError(language: language, problem: "\"\(key)\" is in two files")
                    }
                }
            }
            texts[language] = Texts(language: language, patterns: patterns, shared: values)
        }
        try Self.checkBuiltInAgree(texts)
        for language in added.all {
            texts[language.language] = (texts[language.language] ?? texts[.english])?.replaced(by: language)
        }
        self.texts = texts
        languages = Languages(Language.builtIn + added.all.map(\.language).filter { !Language.builtIn.contains($0) })
        names = added.names
    }

    /// The texts in one language, in English for one that the program does not have.
    public subscript(language: Language) -> Texts {
        texts[language] ?? texts[.english] ?? Texts(language: .english, patterns: [:], shared: [:])
    }

    /// What a language calls itself.
    func name(of language: Language) -> String {
        names[language] ?? self[.english].plain(Text("language.\(language.rawValue)"))
    }

    /// The catalogue with every text changed, for a test that finds texts outside the catalogue.
    func mapLiterals(_ change: (String) -> String) -> Catalogue {
        Catalogue(texts.mapValues { $0.mapLiterals(change) }, languages, names.mapValues(change))
    }

    private init(_ texts: [Language: Texts], _ languages: Languages, _ names: [Language: String]) {
        (self.texts, self.languages, self.names) = (texts, languages, names)
    }

    private static func patterns(
        _ file: [UInt8], _ language: Language
    ) throws(CatalogueError) -> [String: TextPattern] {
        let members: [JSONMember]?
        do { members = try JSONReader.readStrictly(file).object } catch {
            throw CatalogueError(language: language, problem: "\(error)")
        }
        guard let members else { throw CatalogueError(language: language, problem: "must be one JSON object") }
        var patterns: [String: TextPattern] = [:]
        for member in members {
            guard let text = member.value.string, !text.isEmpty, let pattern = TextPattern(text) else {
                throw CatalogueError(
                    language: language, problem: "\"\(member.key)\" must be a text with placeholders such as {name}")
            }
            patterns[member.key] = pattern
        }
        return patterns
    }

    private static func checkBuiltInAgree(_ texts: [Language: Texts]) throws(CatalogueError) {
        let english = texts[.english]?.placeholders ?? [:]
        for language in Language.builtIn {
            let other = texts[language]?.placeholders ?? [:]
            for key in Set(english.keys).union(other.keys).sorted() where english[key] != other[key] {
                let problem =
                    english[key] == nil || other[key] == nil
                    ? "\"\(key)\" is missing in it, or in English" : "\"\(key)\" has other placeholders than in English"
                throw CatalogueError(language: language, problem: problem)
            }
        }
    }
}

/// A catalogue that cannot be used. Found at start and in every test.
public struct CatalogueError: Error, CustomStringConvertible {
    let language: Language
    let problem: String
    public var description: String { "The texts in the language \(language.rawValue): \(problem)" }
}
