import SSOShared

/// The paths of `/sign-in` and below it: everything that leads to a sign-in takes them from here.
package enum SignInPath {
    /// The page with every way to sign in.
    package static let signIn = "/sign-in"
    /// Asks which account a client gets.
    package static let account = "/sign-in/account"
    /// Makes a browser known, from an email.
    package static let browser = "/sign-in/browser"
    /// Gives up a sign-in and takes the user back to the client.
    package static let cancel = "/sign-in/cancel"
    /// Takes the code of an email.
    package static let code = "/sign-in/code"
    /// Goes on after the first sign-in with an invitation.
    package static let invited = "/sign-in/invited"
    /// Tells a waiting page that its user has replied.
    package static let events = "/sign-in/events"
    /// Says that an address has an account already.
    package static let knownAddress = "/sign-in/known-address"
    /// Signs in, from an email. The token follows.
    package static let link = "/sign-in/link"
    /// Signs in by a link that an operator has printed.
    package static let printedLink = "/sign-in/operator"
    /// Takes what the browser answers for a passkey.
    package static let passkey = "/sign-in/passkey"
    /// Gives the page a new challenge for one.
    package static let passkeyOptions = "/sign-in/passkey/options"
    /// The id of a provider follows.
    package static let provider = "/sign-in/with/"
    /// Goes on after a reply.
    package static let reply = "/sign-in/reply"

    /// The page with every way to sign in, for a flow.
    package static func signIn(_ flow: FlowID?) -> String { FlowID.path(signIn, flow) }

    /// The page after "Cancel" at a provider, which it names.
    package static func signIn(_ flow: FlowID?, cancelled provider: String) -> String {
        adding(cancelledParameter, PercentCoding.encode(provider), to: signIn(flow))
    }

    /// The page for a browser that has a code whose challenge is gone, as after a failover of the database. It says so.
    package static func signInWithoutCode(_ flow: FlowID?) -> String {
        adding(lostCodeParameter, "1", to: signIn(flow))
    }

    /// The page for a user whose session ended while a form was open. It says so.
    package static let stale = adding(staleParameter, "1", to: signIn)

    private static func adding(_ name: String, _ value: String, to path: String) -> String {
        "\(path)\(path.contains("?") ? "&" : "?")\(name)=\(value)"
    }

    package static let cancelledParameter = "cancelled"
    package static let lostCodeParameter = "lost"
    package static let staleParameter = "stale"
}
