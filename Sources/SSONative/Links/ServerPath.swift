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
}
