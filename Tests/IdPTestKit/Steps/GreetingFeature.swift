import Hummingbird
import SSOShared
import SSOWeb

@testable import Counterparts
@testable import IdP
@testable import IdPClients
@testable import IdPFlow
@testable import TestKit
@testable import WebTestKit

/// A page of the tests with a form and a setting, added as CONTRIBUTING.md says: its template, its texts in two languages, its
/// model, its slot and its routes.
struct GreetingFeature: Feature {
    static let added = AddedFeatures(files: [files], settings: settings) { [try GreetingFeature($0, $1)] }

    /// Two lines make a setting: this one, and the one that looks its value up.
    static let settings: [any ReadableSetting] = [word]
    static let word = Setting(
        "TEST_GREETING", default: "Hello", example: "Welcome", "The word that greets, at most 20 characters."
    ) { text throws(SettingError) in
        guard text.count <= 20 else { throw SettingError("\"\(text)\" is longer than 20 characters.") }
        return text
    }

    static let path = "/greeting"

    private static let files = PageFiles(
        templates: [
            "greeting": Array(
                """
                {{<layout}}
                {{$title}}[[=greeting.title]]{{/title}}
                {{$main}}
                <h1>{{word}}</h1>
                <p>[[greeting.text]]</p>
                <form class="full" method="post" action="/greeting">
                <input type="hidden" name="form_token" value="{{formToken}}">
                <button type="submit">[[greeting.button]]</button>
                </form>
                {{/main}}
                {{/layout}}
                """.utf8)
        ],
        texts: [
            .english: Array(
                #"{"greeting.title":"Greeting","greeting.text":"Greeted {count} times.","greeting.button":"Greet"}"#
                    .utf8),
            .german: Array(
                #"{"greeting.title":"Gruß","greeting.text":"{count} Mal gegrüßt.","greeting.button":"Grüßen"}"#.utf8),
        ])

    struct Greetings: SessionSlot {
        static let key = "test_greetings"
        static let survivesSignIn = false
        var count = 0
    }

    private struct Model: Encodable, Sendable {
        let formToken, word, count: String
    }

    private let parts: SharedParts
    private let word: String

    init(_ parts: SharedParts, _ values: SettingValues) throws(SettingError) {
        self.parts = parts
        word = try values[Self.word]
    }

    var slots: [any SessionSlot.Type] { [Greetings.self] }

    func addRoutes(
        to router: inout FeatureRouter, _ completion: SignInCompletion, _ methods: [any SignInMethod]
    ) {
        let form = Form(
            about: { post in post.context.session == nil ? .over(.redirect(to: Self.path)) : .open(()) },
            orElse: { _ in .init(label: Text("greeting.button"), href: Self.path) },
            submit: { [sessions = parts.sessions] form, _ in
                _ = try await sessions.store.update(form.session) { slots in
                    slots[Greetings.self].count += 1
                    return true
                }
                return .redirect(to: Self.path)
            })
        router.form(at: Self.path, show: show, form)
    }

    @Sendable private func show(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let session = try await parts.sessions.current(request, context)
        let model = Model(
            formToken: parts.sessions.formToken(for: session), word: word,
            count: String(session[Greetings.self].count))
        var response = parts.pages.response("greeting", model, for: request)
        parts.sessions.remember(session, in: &response)
        return response
    }
}
