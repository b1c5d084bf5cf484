import Hummingbird
import SSOShared
import SSOWeb
import Storage

@testable import Counterparts
@testable import IdPAccounts
@testable import IdPClients
@testable import IdPFlow
@testable import IdPServer
@testable import TestKit
@testable import WebTestKit

/// A page of the tests with a form, a setting and a change that waits for a new sign-in, added as CONTRIBUTING.md says: its
/// template, its texts in two languages, its model, its slot and its routes.
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

    private static let files = PageFiles([
        .init(
            "greeting.mustache",
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
            <form class="full" method="post" action="/greeting/word">
            <input type="hidden" name="form_token" value="{{formToken}}">
            <input type="text" name="word" aria-label="[[=greeting.word]]">
            <button type="submit">[[greeting.change]]</button>
            </form>
            {{/main}}
            {{/layout}}
            """),
        .init(
            "en.json",
            """
            {"greeting.title":"Greeting","greeting.text":"Greeted {count} times.","greeting.button":"Greet",
            "greeting.word":"Word","greeting.change":"Change","greeting.ask":"Greet with {word}",
            "greeting.effect":"This browser greets {email} with {word}."}
            """),
        .init(
            "de.json",
            """
            {"greeting.title":"Gruß","greeting.text":"{count} Mal gegrüßt.","greeting.button":"Grüßen",
            "greeting.word":"Wort","greeting.change":"Ändern","greeting.ask":"Mit {word} grüßen",
            "greeting.effect":"Dieser Browser grüßt {email} mit {word}."}
            """),
    ])

    struct Greetings: SessionSlot {
        static let key = "test_greetings"
        static let survivesSignIn = false
        var count = 0
        /// What the user has changed the word to.
        var word: String?
    }

    /// The change of the word: it needs a recent sign-in with two proofs.
    struct Word: WaitingChange {
        struct Asked: Codable, Sendable { let word: String }

        static let id = "test_greeting"
        static let path = "/greeting/word"
        static let home = GreetingFeature.path
        static let needs = Proof.Need(age: .minutes(10), strength: .mfa)

        func asked(in fields: URLEncodedFields) throws -> Asked { Asked(word: try fields.text("word") ?? "") }

        func page(of asked: Asked, for user: SignedInUser, _ connection: any SQLConnection) -> ChangePage? {
            ChangePage(
                title: Text("greeting.ask", ["word": asked.word]),
                explanation: Text("greeting.effect", ["word": asked.word, "email": user.account.email]))
        }

        func carryOut(_ asked: Asked, for user: SignedInUser, _ context: VisitorContext) -> ChangeStep {
            .here { _, slots, _ in
                slots[Greetings.self].word = asked.word
                return .done(goingTo: Self.home)
            }
        }
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
    var changes: [any WaitingChange] { [Word()] }

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
            formToken: parts.sessions.formToken(for: session), word: session[Greetings.self].word ?? word,
            count: String(session[Greetings.self].count))
        var response = parts.pages.response("greeting", model, for: request)
        parts.sessions.remember(session, in: &response)
        return response
    }
}
