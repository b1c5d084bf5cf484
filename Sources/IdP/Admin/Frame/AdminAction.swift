import IdPAccounts
import IdPClients
import SSOShared
import SSOWeb
import Storage

/// A change that an admin makes on a page. One value for each: what it asks for, what it says that it will do, and how it is done.
///
/// ``AdminActions`` does the rest, and the same for all: who may, CSRF, the question with the effect, the new sign-in, the audit log.
protocol AdminAction: Sendable {
    /// In the audit log and in the address after the change. Never changes.
    static var id: String { get }
    /// Below `/admin`. `:id` is what it is about.
    static var path: String { get }
    /// What its form is called.
    static var title: Text { get }
    /// What the notice says after it.
    static var done: Text { get }
    /// What it says of the other of two changes, which ``AdminOutcome/done(_:isOther:)`` names; nil where there is one.
    static var otherDone: Text? { get }
    /// Whether nothing brings back what a word is typed for.
    static var isFinal: Bool { get }
    /// Whether a link may bring values, so that the question is shown at once. Where it may not, the form shows them first: nobody is to
    /// send an admin to a question of their own.
    static var takesLinks: Bool { get }
    /// Whether an auditor may, too.
    static var isForAuditors: Bool { get }

    /// The title of the form, which names what it is about.
    func title(_ asked: AdminAsked, _ connection: any SQLConnection) throws -> Text

    /// What is typed.
    func fields(_ asked: AdminAsked, _ connection: any SQLConnection) throws -> [AdminField]

    /// What the change would do now. It is read again in the transaction that makes it.
    ///
    /// - Throws: ``PublicError/notFound`` where the thing that it is about does not exist, and ``AdminProblems`` for what was typed.
    func plan(_ asked: AdminAsked, by admin: Admin, _ connection: any SQLConnection) throws -> AdminPlan

    /// Makes it, in the transaction of the plan.
    func make(
        _ asked: AdminAsked, _ context: ChangeContext, _ connection: any SQLConnection
    ) throws -> AdminOutcome
}

extension AdminAction {
    static var otherDone: Text? { nil }
    static var isFinal: Bool { true }
    static var isForAuditors: Bool { false }
    static var takesLinks: Bool { false }
    func title(_ asked: AdminAsked, _ connection: any SQLConnection) throws -> Text { Self.title }
    func fields(_ asked: AdminAsked, _ connection: any SQLConnection) throws -> [AdminField] { [] }
}

/// What a request asks for.
struct AdminAsked: Sendable {
    /// The `:id` of the path; empty without one.
    let id: String
    /// The field's texts, by name.
    let fields: [String: [String]]

    /// Each is cut: no value of a form of ours is longer but a pasted file.
    func text(_ name: String) -> String {
        (fields[name]?.first ?? "").withoutNUL.trimmed
    }

    func has(_ name: String) -> Bool { fields[name] != nil }

    /// The lines of a text area.
    func lines(_ name: String) -> [String] {
        text(name).split(whereSeparator: \.isNewline).map { String($0).trimmed }.filter { !$0.isEmpty }
    }

    /// The same, each once.
    func names(_ name: String) -> [String] {
        lines(name).reduce(into: []) { all, line in if !all.contains(line) { all.append(line) } }
    }
}

extension String {
    /// Without what no database keeps in a text.
    var withoutNUL: String {
        contains("\0") ? String(String.UnicodeScalarView(unicodeScalars.filter { $0 != "\0" })) : self
    }
}

extension String {
    /// Without blanks at both ends.
    fileprivate var trimmed: String {
        let isBlank: (Character) -> Bool = { $0.isWhitespace || $0.isNewline }
        var rest = drop(while: isBlank)
        while rest.last.map(isBlank) == true { rest.removeLast() }
        return String(rest)
    }
}

/// What a change would do, as its page says it.
struct AdminPlan: Sendable {
    /// "Disable ann@example.com": the heading, and the words on the button.
    let title: Text
    /// Each sentence about the effect, with its numbers.
    let effects: [Text]
    /// Where the admin goes on, and after giving up.
    let home: String
    /// What must be typed before a change of great effect.
    var typed: String?
    /// The account and the client of the audit rows.
    var account, client: String?
    /// What else of the row must not have changed since the page was shown.
    var state = ""
    /// The names of the values that change, never the values.
    var names = ""

    init(
        _ title: Text, _ effects: [Text], home: String, typed: String? = nil, account: String? = nil,
        client: String? = nil, state: String = "", names: String = ""
    ) {
        (self.title, self.effects, self.home, self.typed) = (title, effects, home, typed)
        (self.account, self.client, self.state, self.names) = (account, client, state, names)
    }

    /// What the plan says, in the words that the page shows.
    func words(_ texts: Texts) -> String { effects.map(texts.plain).joined(separator: "\n") }

    /// Names what the page has shown. The state and the effect of another moment have another one.
    func version(_ texts: Texts) -> String {
        Base64URL.encode(Array(SHA256.hash(Array("\(texts.plain(title))\n\(words(texts))\n\(state)".utf8)).prefix(16)))
    }
}

/// What became of a change.
enum AdminOutcome: Sendable {
    /// The admin goes on at this path, or at that of the plan.
    case done(String?, isOther: Bool = false)
    /// Shown once, in the answer to the form.
    case shown(@Sendable (AdminWriter) -> [AdminPage.Block])
    /// Done after the transaction, such as a call of another server, and shown in the answer to the form.
    case later(@Sendable () async -> @Sendable (AdminWriter) -> [AdminPage.Block])
    /// A file for the browser.
    case file(name: String, type: String, @Sendable () async throws -> String)
}

/// What is wrong with what was typed, by the name of the field.
struct AdminProblems: Error {
    let all: [(field: String, text: Text)]

    init(_ all: [(field: String, text: Text)]) { self.all = all }
    init(_ field: String, _ text: Text) { all = [(field, text)] }
}

/// Why a change is not made, whatever is typed.
struct AdminRefusal: Error {
    let text: Text
    var cause = "refused"
    var account, client: String?
    /// What helps; the overview where nothing does.
    var next = PublicError.NextStep(label: Text("admin.back"), href: AdminPath.home)

    init(
        _ text: Text, cause: String = "refused", account: String? = nil, client: String? = nil,
        next: PublicError.NextStep? = nil
    ) {
        (self.text, self.cause, self.account, self.client) = (text, cause, account, client)
        if let next { self.next = next }
    }
}
