/// One step of a history. It names things by small numbers, so that a history stays readable when steps are left out: browsers,
/// addresses (``Cast``), clients, and what was issued, counted back from the newest.
enum Operation: Hashable, Sendable {
    // Users, each in a browser.
    case ask(browser: Int, address: Int)
    case type(browser: Int, code: TypedCode, remember: Bool)
    case link(browser: Int, of: Int)
    case look(browser: Int)
    /// With the id of the session before, which somebody has kept.
    case lookEarlier(browser: Int)
    case signOut(browser: Int)
    case endSession(browser: Int, of: Int)
    case endOthers(browser: Int)
    case authorize(browser: Int, client: Int, wish: Wish)
    case addPasskey(browser: Int, isHardware: Bool)
    case usePasskey(browser: Int, passkey: Int, how: Touch)
    case renamePasskey(browser: Int, passkey: Int)
    case removePasskey(browser: Int, passkey: Int)
    case useLink(browser: Int, link: Int)

    // Clients.
    case redeem(client: Int, grant: Int, how: Presentation)
    case question(client: Int, told: Int)
    case exchange(client: Int, grant: Int)
    case refresh(client: Int, token: Int)
    case userInfo(token: Int)
    case introspect(client: Int, token: Int)
    case revoke(client: Int, token: Int)
    case server(client: Int, isDown: Bool)

    // Operators.
    case disable(address: Int)
    case enable(address: Int)
    case signOutUser(address: Int)
    case signOutEveryone
    case erase(address: Int, mode: Erasing)
    case end(address: Int, days: Int?)
    case move(address: Int, to: Int)
    case invite(address: Int)
    case withdraw(address: Int)
    case join(address: Int, group: Int)
    case leave(address: Int, group: Int)
    case access(client: Int, groups: Bool)
    case enableClient(client: Int, isEnabled: Bool)
    case replaceClient(client: Int)
    case rotate(client: Int)
    case retire(client: Int)
    case retryMessages
    case endByOperator(address: Int, browser: Int)
    case require(client: Int, isStrict: Bool)
    case removeFor(address: Int, passkey: Int)
    case forgetPasskeys
    case printLink(address: Int)
    case withdrawLink(address: Int)

    // The world.
    case wait(seconds: Int)
    case jobs
    case restart
    case node(Int)
    case backUp
    case restore
    case file(drops: Bool, isReloaded: Bool)
    case allow(narrowed: Bool)
    /// Of a feature that is added to the program.
    case added(AddedStep)
    /// The process that carries a step out is killed after so many statements and commits, and starts again.
    indirect case kill(Operation, after: Int)

    enum TypedCode: Hashable, Sendable { case right, wrong, of(Int) }
    enum Wish: Hashable, Sendable { case none, login, silent, fresh, strong }
    /// With the next challenge, with a copy of the key, or with an answer that was sent before.
    enum Touch: Hashable, Sendable { case right, copied, replayed }
    enum Presentation: Hashable, Sendable { case right, wrongAddress, wrongSecret, formerSecret }
    enum Erasing: Hashable, Sendable { case now, later, cancel }
}

extension Operation {
    /// As it is written in Swift, to paste into a test.
    var swift: String { "." + Self.plain(self) }

    /// The name of its case.
    var name: String { String(swift.dropFirst().prefix { $0 != "(" }) }

    /// The browser that makes it; nil for any other.
    var browser: Int? {
        switch self {
        case .ask(let browser, _), .type(let browser, _, _), .link(let browser, _), .look(let browser),
            .lookEarlier(let browser),
            .signOut(let browser), .endSession(let browser, _), .endOthers(let browser), .authorize(let browser, _, _),
            .addPasskey(let browser, _), .usePasskey(let browser, _, _), .renamePasskey(let browser, _),
            .removePasskey(let browser, _), .useLink(let browser, _):
            browser
        default: nil
        }
    }

    /// Whether it is of passkeys or printed links.
    var isOfPasskeys: Bool {
        switch self {
        case .addPasskey, .usePasskey, .renamePasskey, .removePasskey, .removeFor, .forgetPasskeys, .printLink,
            .withdrawLink, .useLink:
            true
        default: false
        }
    }

    private static func plain(_ value: Any) -> String {
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .enum, let child = mirror.children.first, let name = child.label else {
            return "\(value)"
        }
        let values = Mirror(reflecting: child.value)
        let fields: [(String?, Any)] =
            values.displayStyle == .tuple
            ? values.children.map { ($0.label, $0.value) } : [(nil, child.value)]
        return name + "("
            + fields.map { label, value in
                let named = label.flatMap { $0.hasPrefix(".") ? nil : "\($0): " } ?? ""
                return named + text(of: value)
            }.joined(separator: ", ") + ")"
    }

    private static func text(of value: Any) -> String {
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .optional: return mirror.children.first.map { text(of: $0.value) } ?? "nil"
        case .enum: return "." + plain(value)
        default: return "\(value)"
        }
    }
}

/// Who and what a history is about.
enum Cast {
    static let browsers = 4
    /// The first three may sign in by `IDP_ALLOWED_EMAILS`, and the third only until it is narrowed.
    static let addresses = [
        "ann@example.com", "bob@example.com", "carl@example.net", "guest@other.test", "new@example.com",
    ]
    static let groups = ["staff", "board"]
    static let clients = ["one", "two", "forum", "wiki"]
    /// Those of the database, which commands may change.
    static let stored = [2, 3]
    /// The one of OpenID Connect.
    static let openID = 3
}
