/// Other files under `/.well-known/` for sign-in and payment on phones. They are optional: a missing one is no finding.
public enum Neighbour: String, Sendable, Hashable, CaseIterable {
    /// The sites that may use the passkeys of this one. Source: W3C, Web Authentication Level 3, section 5.11.
    case webauthn
    /// Pages for creating and managing passkeys. Source: W3C, "A Well-Known URL for Relying Party Passkey Endpoints".
    case passkeyEndpoints = "passkey-endpoints"
    /// A redirect to the page for changing the password. Source: W3C, "A Well-Known URL for Changing Passwords".
    case changePassword = "change-password"
    /// The proof for Apple Pay. Source: Apple, "Maintaining your environment" for Apple Pay on the Web.
    case merchant = "apple-developer-merchantid-domain-association"

    public var path: String { "/.well-known/\(rawValue)" }

    /// Whether the file has content to lint. ``changePassword`` is a redirect.
    public var hasContent: Bool { self != .changePassword }

    /// The kind of a file by its name. Copies of the files may have the ending `.json` or `.txt`.
    public static func named(_ fileName: String) -> Neighbour? {
        var name = fileName.split(separator: "/").last.map(String.init) ?? fileName
        for ending in [".json", ".txt"] where name.hasSuffix(ending) { name = String(name.dropLast(ending.count)) }
        return Neighbour(rawValue: name).flatMap { $0.hasContent ? $0 : nil }
    }
}

/// The rules about the neighbours of the association files: codes `near.*`.
public enum NeighbourRules {
    private static let webauthn =
        "W3C, Web Authentication Level 3, section 5.11 \"Using Web Authentication across related origins\""
    private static let passkeys = "W3C, \"A Well-Known URL for Relying Party Passkey Endpoints\""
    private static let password = "W3C, \"A Well-Known URL for Changing Passwords\""
    private static let applePay = "Apple, \"Apple Pay on the Web\", domain verification"

    public static let rules: [LintRule] = [
        form, webauthnOrigin, webauthnLabels, passkeyURL, changePassword, soft404, merchant, served,
    ]

    static let form = LintRule(
        "near.form", .error, "webauthn or passkey-endpoints does not have its form",
        reason: "Browsers and password managers ignore the file and report nothing.",
        fix:
            "Write {\"origins\": [\"https://example.com\"]} into webauthn, and {\"enroll\": \"https://…\", \"manage\": "
            + "\"https://…\"} into passkey-endpoints.", source: "\(webauthn); \(passkeys)")
    static let webauthnOrigin = LintRule(
        "near.webauthn-origin", .error, "An element of webauthn that is not the origin of a site",
        reason: "Browsers skip the element, so the passkeys do not work on that site.",
        fix: "Write https, the host and no path: \"https://example.com\".", source: webauthn)
    static let webauthnLabels = LintRule(
        "near.webauthn-labels", .warning, "webauthn names more than five different names",
        reason:
            "Browsers must accept five names and may ignore the sites after them. example.com and example.de share the "
            + "name example. Names are counted without the Public Suffix List.",
        fix: "Put the sites that need passkeys most first, or use fewer names.", source: webauthn)
    static let passkeyURL = LintRule(
        "near.passkey-url", .error, "An address in passkey-endpoints that is not an https address",
        reason: "Password managers do not offer to create or manage a passkey.",
        fix: "Write the full https address of the page.", source: passkeys)
    static let changePassword = LintRule(
        "near.change-password", .warning, "change-password does not lead to a page",
        reason: "Password managers open the start page instead of the page for changing the password.",
        fix: "Redirect it with 302, 303 or 307 to the page for changing the password.", source: password)
    static let soft404 = LintRule(
        "near.soft-404", .warning, "The site answers 200 for a page that cannot exist",
        reason: "Password managers test this address, and then do not trust change-password.",
        fix: "Answer 404 for unknown addresses under /.well-known/.", source: password)
    static let merchant = LintRule(
        "near.merchant", .error, "The domain association of Apple Pay does not have its form",
        reason:
            "Apple does not verify the domain: Apple Pay does not appear on the site, or stops when the certificate is "
            + "renewed.",
        fix: "Serve the file unchanged as downloaded from Apple or the payment provider.", source: applePay)
    static let served = LintRule(
        "near.served", .error, "A neighbour of the association files is not served as a file",
        reason: "The systems that read it need status 200 without a redirect, and JSON as application/json.",
        fix: "Serve it like the association files: status 200, the right type, no redirect.",
        source: "\(webauthn); \(passkeys); \(applePay)")
}
