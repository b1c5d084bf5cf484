import IdPAccounts
import Testing

@testable import IdPServer
@testable import RelyingParty
@testable import SSOClient
@testable import SSOShared
@testable import SSOWeb
@testable import TestKit

/// Every text stands in the catalogue of its program, and every text of a catalogue is used.
@Suite("Texts in templates and sources", .program)
struct TextKeyTests {
    /// The names that `{{{…}}}` may insert, beside those that end with HTML. Each is made of escaped parts by our code.
    /// The SVG of a QR code.
    static let unescaped: Set<String> = ["code"]

    /// Keys that are made at run time: as written in the source, and what they become.
    static let dynamicKeys: [String: [String]] = [
        #"callback.\(error.code)"#: SignInError.codes.map { "callback.\($0)" },
        #"callback.\(error.code).title"#: SignInError.codes.map { "callback.\($0).title" },
        #"date.month-\(date.month)"#: (1...12).map { "date.month-\($0)" },
        #"language.\(language.rawValue)"#: Language.builtIn.map { "language.\($0.rawValue)" },
        #"error.\(text)"#: refusedForms.map { "error.\($0)" },
        #"error.\(text).title"#: refusedForms.map { "error.\($0).title" },
        #"method.\($0)"#: SignInMethodNames.known.map { "method.\($0)" },
        #"provider.\(key)"#: providerPages.map { "provider.\($0)" },
        #"provider.\(key).title"#: providerPages.map { "provider.\($0).title" },
        #"invitation.\(ending.rawValue)"#: invitationPages.map { "invitation.\($0)" },
        #"invitation.\(ending.rawValue).title"#: invitationPages.map { "invitation.\($0).title" },
        #"link-tester.\(summary)"#: ["no-app", "not-set-up", "what-happens"].map { "link-tester.\($0)" },
        #"mail.device-\(rawValue)"#: DeviceKind.allCases.map { "mail.device-\($0.rawValue)" },
        #"device-kind.\(rawValue)"#: DeviceKind.allCases.map { "device-kind.\($0.rawValue)" },
        #"own-mail.\(name)-subject"#: ownMails.map { "own-mail.\($0)-subject" },
        #"own-mail.\(name)"#: ownMails.map { "own-mail.\($0)" },
        #"own-mail.\(name)-fine"#: ownMails.map { "own-mail.\($0)-fine" },
        #"picture.\($0.rawValue)"#: ["missing", "too_large", "other_kind", "damaged"].map { "picture.\($0)" },
    ]

    /// The emails about a change of the own address.
    private static let ownMails = ["code", "taken", "old", "new", "back", "gone"]

    /// Why a form is refused, by `PublicError.staleForm`.
    private static let refusedForms = ["other-site", "no-cookie", "origin-hidden", "stale-form"]

    /// How an invitation can end.
    private static let invitationPages = ["expired", "unknown", "used", "withdrawn"]

    /// The pages of `ProviderSignInError`.
    private static let providerPages = [
        "other-browser", "ended", "not-fresh", "no-email", "not-allowed", "no-account", "other-user",
        "linked-elsewhere", "not-proven",
        "failed", "unavailable", "faulty",
    ]

    /// The keys that sources mention, dynamic ones expanded.
    private static func mentioned(in folder: String) throws -> Set<String> {
        var keys: Set<String> = []
        for (path, text) in try TextSources.files(in: folder, ending: "swift") {
            let code = text.split(separator: "\n", omittingEmptySubsequences: false)
                .filter { !$0.drop { $0 == " " }.hasPrefix("//") }.joined(separator: "\n")
            for (key, isCounted) in TextSources.textKeys(in: code) {
                if key.contains("\\(") {
                    let expanded = try #require(dynamicKeys[key], "\(path): add \(key) to dynamicKeys")
                    keys.formUnion(expanded)
                } else if isCounted {
                    keys.formUnion(["\(key).one", "\(key).other"])
                } else {
                    keys.insert(key)
                }
            }
        }
        return keys
    }

    private static func inTemplates(of folder: String) throws -> Set<String> {
        Set(
            try TextSources.files(in: folder, ending: "mustache").flatMap { file in
                file.text.matches(of: #/\[\[=?([^\]]*)\]\]/#).map { String($0.1) }
            })
    }

    private static func own(_ files: [PageFiles]) throws -> Set<String> {
        Set(
            try files.flatMap { $0.texts[.english] ?? [] }.flatMap { file in
                try JSONReader.readStrictly(file).object?.map(\.key) ?? []
            })
    }

    @Test("no template has words of its own, neither between tags nor in attributes that users see or hear")
    func templates() throws {
        let files = try TextSources.files(in: "Sources", ending: "mustache")
        #expect(files.count > 10)
        for (path, text) in files {
            let template = text.replacing(#/\[\[[^\]]*\]\]/#, with: "")
                // A class of the page, not a text.
                .replacing(#/\{\{\$shape\}\}[^{]*\{\{\/shape\}\}/#, with: "").replacing(#/\{\{\{[^}]*\}\}\}/#, with: "")
                // A section may stand between the attributes of a tag.
                .replacing(#/\{\{[^}]*\}\}/#, with: " ")
            for words in TextSources.words(ofHTML: template) where words.contains(where: \.isLetter) {
                Issue.record("\(path): \(words.split(whereSeparator: \.isWhitespace).joined(separator: " "))")
            }
        }
    }

    @Test("a template inserts without escaping only what ends with HTML")
    func unescapedValues() throws {
        for (path, text) in try TextSources.files(in: "Sources", ending: "mustache") {
            for match in text.matches(of: #/\{\{\{\s*([^}]*?)\s*\}\}\}/#) {
                #expect(match.1.hasSuffix("HTML") || Self.unescaped.contains(String(match.1)), "\(path): \(match.0)")
            }
            #expect(text.firstMatch(of: #/\{\{\s*&/#) == nil, "\(path)")
        }
    }

    @Test("every text that a source or template names is in the catalogue of its program")
    func known() throws {
        let shared = Set(try Catalogue([])[.english].placeholders.keys)
        for (folder, catalogue) in [
            ("Sources/SSOWeb", shared), ("Sources/IdP", shared.union(try Self.own(IdPPages.files))),
            ("Sources/RelyingParty", shared.union(try Self.own(RelyingPartyPages.files))),
        ] {
            let keys = try Self.mentioned(in: folder).union(Self.inTemplates(of: folder))
            #expect(keys.count > 5, "\(folder)")
            #expect(keys.subtracting(catalogue).sorted() == [], "\(folder)")
        }
    }

    @Test("every text of a catalogue is used")
    func used() throws {
        let folders = ["Sources/SSOWeb", "Sources/IdP", "Sources/RelyingParty"]
        let keys = try folders.map { try Self.mentioned(in: $0).union(Self.inTemplates(of: $0)) }
        // A key may also be passed on as a literal before it becomes a text.
        let sources = try folders.map { folder in
            try TextSources.files(in: folder, ending: "swift").map(\.text).joined(separator: "\n")
        }
        func unused(_ own: Set<String>, _ places: [Int]) -> [String] {
            own.filter { key in
                let stem = [".one", ".other"].first(where: key.hasSuffix).map { key.dropLast($0.count) } ?? key[...]
                return !places.contains {
                    keys[$0].contains(key) || sources[$0].contains("\"\(key)\"") || sources[$0].contains("\"\(stem)\"")
                }
            }.sorted()
        }
        #expect(unused(Set(try Catalogue([])[.english].placeholders.keys), [0, 1, 2]) == [])
        #expect(unused(try Self.own(IdPPages.files), [1]) == [])
        #expect(unused(try Self.own(RelyingPartyPages.files), [2]) == [])
    }

    @Test("every code of a failed callback has a heading and an explanation, in both languages and in English words")
    func callbackErrors() throws {
        let catalogue = try Catalogue(RelyingPartyPages.files.map(\.texts), values: ["brand": "B", "idp": "The IdP"])
        let made: [SignInError] = [
            .unknownState, .prefetch, .refused("access_denied", description: nil, returnTo: "/"),
            .refused("other", description: nil, returnTo: "/"),
            .refused("login_required", description: nil, returnTo: "/"),
            .tooOld(authenticatedAt: 0, returnTo: "/"), .methodNotAccepted([], returnTo: "/"),
            .tooWeak(nil, returnTo: "/"),
            .refused("server_error", description: nil, returnTo: "/"), .noToken(returnTo: "/"),
            .notVerified(.rejected(.invalidToken, description: nil), returnTo: "/"),
            .notVerified(.untrusted("x"), returnTo: "/"),
            .notVerified(.unavailable("x"), returnTo: "/"),
        ]
        #expect(Set(made.map(\.code)) == Set(SignInError.codes))
        for error in made {
            for language in Language.builtIn {
                let page = PublicError(error)
                for text in [page.title, page.explanation] {
                    #expect(catalogue[language].placeholders[text.key] != nil)
                    #expect(catalogue[language].plain(text).count > 10)
                }
            }
            // The same words as in SSOShared, for relying parties without a catalogue.
            #expect(catalogue[.english].plain(PublicError(error).title) == error.title(idp: "The IdP"))
            #expect(catalogue[.english].plain(PublicError(error).explanation) == error.explanation(idp: "The IdP"))
        }
    }
}
