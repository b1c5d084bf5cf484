/// Paths that the app and its server agree on.
enum ServerPath {
    static let authorize = "/auth/sso/authorize"
    static let complete = "/auth/sso/complete"
    static let signOut = "/auth/sso/sign-out"
    static let start = "/auth/sso/start"
    static let callback = "/auth/sso/callback"
    static let native = "/auth/native/"
    static let signIn = "/sign-in"
    static let signInLink = "/sign-in/link/"
    static let handoff = "/hotwire_native/sign_in"
    static let reset = "/reset_app"

    /// The method that a link to a browser session names: `email` for `/auth/native/email` and for `/auth/email`.
    static func method(of path: String) -> String? {
        let prefix = path.hasPrefix(native) ? native : "/auth/"
        let method = String(path.dropFirst(prefix.count))
        return path.hasPrefix(prefix) && method != "native" && method != "sso" && isMethod(method) ? method : nil
    }

    /// An id of a sign-in method: `[a-z0-9][a-z0-9_-]{0,62}`. `complete` is a page beside the methods.
    static func isMethod(_ text: String) -> Bool {
        let letters = Set("abcdefghijklmnopqrstuvwxyz0123456789".utf8)
        guard let first = text.utf8.first, letters.contains(first), text.utf8.count <= 63 else { return false }
        return text != "complete" && text.utf8.allSatisfy { letters.contains($0) || "_-".utf8.contains($0) }
    }
}
