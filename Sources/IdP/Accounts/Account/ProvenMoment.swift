package import SSOWeb
package import Storage

/// Owns the rule whether the moment of a sign-in is proven.
///
/// A code, a link or an answer by email proves its moment. A sign-in with a provider proves one only if the provider says
/// when it authenticated the user (`auth_time`, OpenID Connect Core 1.0, 2): without that word one press of a button is
/// enough in a browser that is signed in there. A moment that is not proven counts as too old wherever a new sign-in is
/// needed.
enum ProvenMoment {
    /// - Parameters:
    ///   - stored: what was stored with the sign-in; nil where nothing was. Then only a proof by email counts, whose moment is known.
    ///   - methods: of the sign-in.
    static func isProven(stored: Bool?, methods: [String]) -> Bool {
        stored ?? (!methods.isEmpty && methods.allSatisfy { $0.hasPrefix("email_") })
    }
}

extension SQLColumns {
    /// The columns `authenticated_at`, `is_proven` and `methods` of a sign-in: when the user was authenticated; nil where
    /// nothing proves a moment.
    package func provenMoment() throws(DatabaseError) -> Timestamp? {
        let stored = try optionalInteger("is_proven").map { $0 != 0 }
        let methods = stored == nil ? try text("methods").split(separator: " ").map(String.init) : []
        return ProvenMoment.isProven(stored: stored, methods: methods) ? try timestamp("authenticated_at") : nil
    }
}
