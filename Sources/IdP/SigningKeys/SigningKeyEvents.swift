import Logging
package import SSOWeb

/// What happens to the keys of ID tokens and of the gate.
extension EventKind {
    package static let signingKeyMade = EventKind(
        "signing_key_made", .notice, .row("`detail`: the key; `cause`: its algorithm"), line: keyFields,
        "A key of ID tokens was made; it signs from `used_from` on.")
    package static let signingKeyPublished = EventKind(
        "signing_key_published", .notice, .row("`detail`: the key; `cause`: its algorithm"), line: keyFields,
        "`/oidc/jwks` has the key from now on.")
    package static let signingKeyRetired = EventKind(
        "signing_key_retired", .notice, .row("`detail`: the key; `cause`: its algorithm"), line: keyFields,
        "Nobody needs the key any more, or a command has removed it.")
    package static let signingKeysUnavailable = EventKind(
        "signing_keys_unavailable", .error, line: [.cause()],
        "Keys were not read or made: look at the database and `IDP_SECRET_KEY`."
    )

    private static let keyFields: [EventField] = [.detail("kid"), .cause("alg")]
}

/// The events of this target.
package enum SigningKeyEvents {
    package static let all: [EventKind] = [
        .signingKeyMade, .signingKeyPublished, .signingKeyRetired, .signingKeysUnavailable,
    ]
}
