import Foundation
import HTTPTypes
public import Hummingbird
import Mustache
import NIOCore

/// Renders the pages and emails of a program in the language of the user. Templates are parsed once for each language, and share
/// one layout and one style sheet.
///
/// A template has no words of its own: `[[key]]` stands for a text of the catalogue as HTML, with every value in a `<bdi>`,
/// and `[[=key]]` for the text alone, for titles, attributes and plain emails. Both are escaped in HTML.
public struct Pages: Sendable {
    /// The languages that the program offers.
    public var languages: Languages { catalogue.languages }
    private let templates: [Language: Templates]
    private var languageSwitches: [Language: LanguageSwitch] = [:]
    private let preparedHeaders: [Language: HTTPFields]
    private let catalogue: Catalogue
    private let frame: Frame
    let errorPages = ErrorPages()
    /// The program's name on its pages.
    public var brand: String { frame.brand.name }
    /// The logo that emails carry; nil for none.
    package var mailLogo: [UInt8]? { frame.brand.mailLogo }
    /// Where users get help; nil if nobody has said so.
    public var supportURL: String? { frame.brand.supportURL }

    /// What the layout shows around the content of every page.
    struct Frame: Sendable {
        let brand: Brand
        let stylesheets: [StyleSheet]
        let icon, touchIcon, logo, times: String
        /// The colour of the page's ground, for the browser's own bars; nil without a style sheet that sets it.
        let ground: StyleSheet.Ground?
        /// What texts in every template may name.
        let values: [String: String]
    }

    struct StyleSheet: Sendable, MustacheParent {
        let href: String

        func child(named name: String) -> Any? { name == "href" ? href : nil }

        /// `--ground` of a style sheet, on light and on dark pages.
        struct Ground: Sendable {
            let light, dark: String

            init?(_ css: String) {
                // A regular expression would take a twentieth of the start.
                let found = css.split(separator: "--ground: ").dropFirst().map { String($0.prefix { $0 != ";" }) }
                guard found.count == 2, found.allSatisfy({ $0.utf8.count == 7 && $0.hasPrefix("#") }) else {
                    return nil
                }
                (light, dark) = (found[0], found[1])
            }
        }
    }

    /// - Parameters:
    ///   - brand: how the program presents itself.
    ///   - files: what each target of the program brings.
    ///   - values: values that every template and text may name, beside `{brand}`.
    ///   - assets: `brand.css`, `icon.svg`, `touch-icon.png` and, if the brand has them, `logo.…` and `accent.css`.
    ///   - added: languages beside those that are built in.
    /// - Throws: ``CatalogueError``, or ``TemplateError`` for what every page includes. See ``readTemplates()`` for the others.
    package init(
        brand: Brand, files: [PageFiles], values: [String: String] = [:], assets: StaticAssets,
        adding added: AddedLanguages = .empty
    ) throws {
        let values = values.merging(["brand": brand.name]) { $1 }
        try self.init(
            brand: brand, files: files,
            catalogue: try Catalogue(files.map(\.texts), values: values, adding: added), values: values,
            assets: assets)
    }

    /// - Parameter catalogue: has the texts of SSOWeb and of the program.
    init(
        brand: Brand, files: [PageFiles], catalogue: Catalogue, values: [String: String], assets: StaticAssets
    ) throws {
        MustacheContentTypes.register(EscapedHTML(), named: EscapedHTML.name)
        let files = [.web] + files
        let partials = try Self.union(files.map(\.partials))
        let others = try Self.union(files.map(\.templates), beside: partials)
        let frame = Frame(
            brand: brand,
            stylesheets: ["base.css", "brand.css", "accent.css"].map(assets.path).filter { !$0.isEmpty }
                .map(StyleSheet.init),
            icon: assets.path(of: brand.logo == nil ? "icon.svg" : brand.logoName),
            touchIcon: assets.path(of: brand.touchIconName), logo: assets.path(of: brand.logoName),
            times: assets.path(of: "times.js"),
            ground: ["brand.css", "base.css"].lazy.compactMap { StyleSheet.Ground(assets.text(of: $0)) }.first,
            values: values)
        var templates: [Language: Templates] = [:]
        for language in catalogue.languages.all {
            let texts = catalogue[language]
            let parsed = try Self.library(of: partials, texts, frame, language)
            let made = Templates(parsed: parsed, unread: others) { try Self.template($0, texts) }
            languageSwitches[language] = LanguageSwitch(catalogue, in: language) { items in
                let model = LanguageModel(languages: items)
                return made.render("languages", Framed(frame: frame, language: language, model: model))
            }
            templates[language] = made
        }
        self.templates = templates
        self.catalogue = catalogue
        self.frame = frame
        preparedHeaders = Self.headers(catalogue.languages)
    }

    /// - Throws: ``TemplateError`` for a name that is there twice.
    private static func union(
        _ lists: [[String: [UInt8]]], beside others: [String: [UInt8]] = [:]
    ) throws -> [String: [UInt8]] {
        var all: [String: [UInt8]] = [:]
        for (name, bytes) in lists.joined() {
            guard others[name] == nil, all.updateValue(bytes, forKey: name) == nil else {
                throw TemplateError(name: name, cause: "two targets have a template of this name")
            }
        }
        return all
    }

    /// What other templates include, in one language.
    private static func library(
        of partials: [String: [UInt8]], _ texts: Texts, _ frame: Frame, _ language: Language
    ) throws -> MustacheLibrary {
        var library = MustacheLibrary()
        for (name, bytes) in partials {
            do { library.register(try template(bytes, texts), named: name) } catch {
                throw TemplateError(name: name, cause: "\(error)")
            }
        }
        do { try prepareLayout(of: &library, frame, language) } catch {
            throw TemplateError(name: "layout", cause: "\(error)")
        }
        return library
    }

    private static func template(_ bytes: [UInt8], _ texts: Texts) throws -> MustacheTemplate {
        let source = String(decoding: bytes, as: UTF8.self)
        // Plain text templates, for emails, name their type themselves.
        let isHTML = !source.hasPrefix("{{% CONTENT_TYPE")
        let text = try insertTexts(of: texts, into: source, isHTML: isHTML)
        return try MustacheTemplate(string: isHTML ? htmlPragma + text : text)
    }

    /// Renders the layout once, except for its blocks: the rest is the same on every page. A block that is not named here would
    /// be empty on every page.
    private static func prepareLayout(
        of library: inout MustacheLibrary, _ frame: Frame, _ language: Language
    ) throws {
        // The delimiters of the new layout. No brand, text or path has the control character, so a name with braces is no tag.
        let (open, close) = ("\u{1}{", "}\u{1}")
        let blocks = ["title", "head", "shape", "main"].map { name in
            "{{$\(name)}}\(open)$\(name)\(close)\(open)/\(name)\(close){{/\(name)}}"
        }
        let page = try MustacheTemplate(string: "{{<layout}}\(blocks.joined()){{/layout}}")
        // The switch differs from page to page.
        let model = ["languageSwitchHTML": "\(open)&languageSwitchHTML\(close)"]
        let text = page.render(Framed(frame: frame, language: language, model: model), library: library)
        try library.register(htmlPragma + "{{=\(open) \(close)=}}" + text, named: "layout")
    }

    /// Begins every template of a page.
    private static var htmlPragma: String { "{{% CONTENT_TYPE:\(EscapedHTML.name)}}" }

    /// Parses all templates that no page has needed so far.
    ///
    /// - Throws: ``TemplateError``.
    func readTemplates() async throws {
        for templates in templates.values {
            for name in templates.unread {
                try templates.read(name)
                // Requests come first.
                await Task.yield()
            }
        }
    }

    /// The texts in the language that a browser asks for.
    public func texts(for request: Request) -> Texts { catalogue[language(of: request)] }

    private func language(of request: Request) -> Language { languages.preferred(request.headers[.acceptLanguage]) }

    /// What a language calls itself.
    package func name(of language: Language) -> String { catalogue.name(of: language) }

    /// The texts in a language.
    public func texts(in language: Language) -> Texts { catalogue[language] }

    /// Renders a page as a response, in the language that the browser asks for.
    ///
    /// - Parameters:
    ///   - model: a struct with the properties that the template names, or a dictionary of texts.
    ///   - offersLanguages: whether the same GET shows the same page again, which then has links to its other languages. The address
    ///     of the page is part of them, so it must hold no token.
    public func response(
        _ template: String, _ model: some Encodable, for request: Request, status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:], offersLanguages: Bool = false
    ) -> Response {
        let language = language(of: request)
        let links = offersLanguages ? languageSwitches[language]?.html(for: request) ?? "" : ""
        // One buffer, so that the response has a Content-Length.
        return Response(
            status: status, headers: headers.merging(self.headers(language)),
            body: .init(byteBuffer: ByteBuffer(string: text(template, model, in: language, links))))
    }

    /// Renders a template as text, for emails.
    public func text(_ template: String, _ model: some Encodable, in language: Language) -> String {
        text(template, model, in: language, "")
    }

    private func text(
        _ template: String, _ model: some Encodable, in language: Language, _ languageSwitchHTML: String
    ) -> String {
        // The texts of an account whose language has no catalogue any more are English.
        let language = catalogue[language].language
        let framed = Framed(frame: frame, language: language, model: model, languageSwitchHTML: languageSwitchHTML)
        return templates[language]?.render(template, framed) ?? ""
    }

    /// The headers of every page in a language. Caches must keep the languages apart (RFC 9110 12.5.5).
    func headers(_ language: Language) -> HTTPFields { preparedHeaders[language] ?? [:] }

    private static func headers(_ languages: Languages) -> [Language: HTTPFields] {
        let fields = languages.all.map { language -> (Language, HTTPFields) in
            let fields: HTTPFields = [
                .contentType: "text/html; charset=utf-8", .contentLanguage: language.rawValue,
                // The cookie of the user's own choice (``LanguageChoice``).
                .vary: "Accept-Language, Cookie",
            ]
            return (language, fields)
        }
        return Dictionary(uniqueKeysWithValues: fields)
    }

    /// Puts the texts in place of `[[key]]` and `[[=key]]`.
    private static func insertTexts(of texts: Texts, into source: String, isHTML: Bool) throws -> String {
        var (result, rest) = ("", source[...])
        while let open = pair(UInt8(ascii: "["), in: rest) {
            result += rest[..<open.lowerBound]
            guard let close = pair(UInt8(ascii: "]"), in: rest[open.upperBound...]) else {
                throw UnknownText(key: "[[")
            }
            let name = rest[open.upperBound..<close.lowerBound]
            let isPlain = name.hasPrefix("=")
            let key = String(isPlain ? name.dropFirst() : name)
            let place: Texts.Place = !isHTML ? .plain : isPlain ? .attribute : .html
            guard let text = texts.template(key, in: place) else { throw UnknownText(key: key) }
            result += text
            rest = rest[close.upperBound...]
        }
        return result + rest
    }

    /// The first two equal characters. Bytes are fast to search; Foundation's search is a noticeable part of the start.
    private static func pair(_ character: UInt8, in text: Substring) -> Range<Substring.Index>? {
        let bytes = text.utf8
        var start = bytes.startIndex
        while let first = bytes[start...].firstIndex(of: character) {
            let second = bytes.index(after: first)
            guard second < bytes.endIndex else { return nil }
            let next = bytes.index(after: second)
            if bytes[second] == character { return first..<next }
            start = next
        }
        return nil
    }

    private struct UnknownText: Error, CustomStringConvertible {
        let key: String
        var description: String { "the catalogue has no text \"\(key)\"" }
    }
}

extension HTTPFields {
    /// These fields, with those of `others` that are missing here.
    func merging(_ others: HTTPFields) -> HTTPFields {
        var fields = self
        // The length, the security headers and a cookie come later.
        fields.reserveCapacity(count + others.count + 12)
        for field in others where !fields.contains(field.name) { fields.append(field) }
        return fields
    }
}

/// What the template of the switch names.
private struct LanguageModel: Encodable, Sendable {
    let languages: [LanguageSwitch.Item]
}
