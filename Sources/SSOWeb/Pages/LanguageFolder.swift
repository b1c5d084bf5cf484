import Foundation
import SSOShared

extension AddedLanguages {
    /// Reads a folder.
    ///
    /// - Parameter builtIn: the texts of the program.
    package init(folder: String, beside builtIn: Catalogue) {
        self.init()
        guard let items = Self.items(folder) else {
            findings = ["\"\(folder)\" cannot be read. Use a folder with one folder per language, such as fr."]
            return
        }
        // The system lists files in no order.
        for item in items.sorted() where !item.hasPrefix(".") {
            guard let files = Self.items("\(folder)/\(item)") else {
                if Self.isFolder("\(folder)/\(item)") { findings.append("\(item): the folder cannot be read.") }
                continue
            }
            guard let language = Language(rawValue: item) else {
                findings.append(
                    "\(Self.shown(item)): is no language tag. Name the folder as BCP 47 does: fr, pt-BR, zh-Hant.")
                continue
            }
            guard all.count < Limit.languages else {
                findings.append("\(item): is left out. At most \(Limit.languages) languages can be added.")
                continue
            }
            add(language, files.sorted(), in: "\(folder)/\(item)", builtIn)
        }
    }

    private mutating func add(_ language: Language, _ files: [String], in folder: String, _ builtIn: Catalogue) {
        var reading = LanguageReading(language, english: builtIn[.english])
        let catalogues = files.filter { $0.hasSuffix(".json") && !$0.hasPrefix(".") }
        for file in catalogues.prefix(Limit.files) { reading.read(file, at: "\(folder)/\(file)") }
        if catalogues.count > Limit.files {
            reading.report("at most \(Limit.files) files are read, and there are \(catalogues.count).")
        }
        guard !reading.patterns.isEmpty else {
            findings += reading.findings + ["\(language.rawValue): has no texts, and is not offered."]
            return
        }
        if !Language.builtIn.contains(language) {
            if reading.name == nil {
                reading.report("language.json: is missing, or has no \"name\" of 1 to \(Limit.name) characters.")
            }
            if !LanguageRules(language).isKnown {
                reading.report(
                    "the table of plural rules does not have this language. It counts as English does: one and other.")
            }
        }
        names[language] = reading.name ?? (Language.builtIn.contains(language) ? nil : language.rawValue)
        findings += reading.findings
        all.append(reading.language)
    }

    private static func items(_ folder: String) -> [String]? {
        try? FileManager.default.contentsOfDirectory(atPath: folder)
    }

    private static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }
}

/// Reads the files of one language.
private struct LanguageReading {
    private let tag: Language
    private let rules: LanguageRules
    private let english: Texts
    private let stems: Set<String>
    private(set) var name: String?
    private(set) var patterns: [String: TextPattern] = [:]
    private(set) var findings: [String] = []

    init(_ tag: Language, english: Texts) {
        (self.tag, self.english, stems) = (tag, english, english.stems)
        rules = LanguageRules(tag)
    }

    mutating func report(_ words: String) { findings.append("\(tag.rawValue): \(words)") }

    mutating func read(_ file: String, at path: String) {
        let place = AddedLanguages.shown(file)
        guard let handle = RegularFile.open(path),
            let data = try? handle.read(upToCount: AddedLanguages.Limit.bytes + 1) ?? Data()
        else { return report("\(place): cannot be read. Use a file that the program may read.") }
        FileAccess.warning(ofSettings: path, setting: tag.rawValue).map { findings.append($0) }
        guard data.count <= AddedLanguages.Limit.bytes else {
            return report("\(place): is larger than \(AddedLanguages.Limit.bytes >> 10) KiB. Use several files.")
        }
        let members: [JSONMember]?
        do throws(JSONError) { members = try JSONReader.readStrictly(Array(data)).object } catch {
            let line = data.prefix(error.offset).reduce(1) { $0 + ($1 == UInt8(ascii: "\n") ? 1 : 0) }
            return report("\(place), line \(line): \(error.message). None of its texts is used.")
        }
        guard let members else { return report("\(place): must be one JSON object of keys and texts.") }
        for member in members {
            if file == "language.json" {
                if member.key == "name" { name = Self.name(member.value.string) }
            } else if let problem = take(member.key, member.value.string) {
                report("\(place): \"\(AddedLanguages.shown(member.key))\" \(problem)")
            }
        }
    }

    private static func name(_ text: String?) -> String? {
        text.flatMap(DisplayName.normalised).flatMap { $0.count <= AddedLanguages.Limit.name ? $0 : nil }
    }

    /// Takes a text.
    ///
    /// - Returns: what is wrong with it, as a sentence after its key.
    private mutating func take(_ key: String, _ text: String?) -> String? {
        guard let original = original(key) else { return "is no key of a text. Remove it." }
        guard patterns[key] == nil else { return "is in another file, too. Keep one." }
        guard let text, !text.isEmpty, text.utf8.count <= AddedLanguages.Limit.text,
            !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }),
            let pattern = TextPattern(text)
        else {
            return
                "must be a text of 1 to \(AddedLanguages.Limit.text) bytes on one line, with placeholders such as {name}."
        }
        let (mine, theirs) = (pattern.placeholders, original.pattern.placeholders)
        guard mine == theirs || original.mayLackCount && mine.union([.value("count")]) == theirs else {
            return "must have the placeholders of the English text: \(Self.list(theirs)). It is shown in English."
        }
        patterns[key] = pattern
        return nil
    }

    /// The English text of a key, also of a form that English does not have.
    ///
    /// - Returns: nil for a key that no page asks for in this language. `mayLackCount` says that one number alone has the form, so
    ///   that words may stand for it.
    private func original(_ key: String) -> (pattern: TextPattern, mayLackCount: Bool)? {
        let parts = key.split(separator: ".", omittingEmptySubsequences: false)
        guard let last = parts.last, let form = LanguageRules.Form(rawValue: String(last)),
            stems.contains(String(key.dropLast(last.count + 1)))
        else { return english.patterns[key].map { ($0, false) } }
        guard rules.forms.contains(form) else { return nil }
        let isOneNumber = form != .other && rules.numbers(of: form).count == 1
        return english.patterns["\(key.dropLast(last.count + 1)).other"].map { ($0, isOneNumber) }
    }

    private static func list(_ placeholders: Set<TextPattern.Piece>) -> String {
        guard !placeholders.isEmpty else { return "none" }
        return placeholders.map { piece in
            switch piece {
            case .literal: ""
            case .value(let name): "{\(name)}"
            case .time(let name): "{\(name), time}"
            case .ago(let name): "{\(name), ago}"
            }
        }.sorted().joined(separator: ", ")
    }

    var language: AddedLanguage {
        guard !Language.builtIn.contains(tag) else {
            return AddedLanguage(language: tag, patterns: patterns, missing: [])
        }
        var (patterns, missing) = (patterns, Set(english.patterns.keys).subtracting(patterns.keys))
        for stem in stems {
            let keys = rules.forms.map { "\(stem).\($0)" }
            missing.subtract(["\(stem).one", "\(stem).other"])
            missing.formUnion(keys.filter { patterns[$0] == nil })
            // Without its general form a text is in English as a whole.
            if patterns["\(stem).other"] == nil { for key in keys { patterns[key] = nil } }
        }
        return AddedLanguage(
            language: tag, patterns: patterns, missing: missing.filter { !$0.hasPrefix("language.") }.sorted())
    }
}
