package import Logging
package import SSOWeb

/// What happens to the list of clients, and to the audit log itself.
extension EventKind {
    package static let clientsFileLoaded = EventKind(
        "clients_file_loaded", .notice, .row("`detail`: clients added (`+`) and dropped (`-`) by SIGHUP"),
        "The clients file was read again: `count`, `added`, `dropped`.")
    package static let clientsFileRejected = EventKind(
        "clients_file_rejected", .error, .row(""),
        "A fault of a reloaded file; the old one holds. Correct it, send SIGHUP. `error` says what is wrong.")
    package static let clientsFileWarning = EventKind(
        "clients_file_warning", .warning, .line,
        "`warning` says what is probably wrong. With level error a client is left out. `no key of IDP_SECRET_KEY opens`: the key that sealed its secret has left `IDP_SECRET_KEY`; put it back behind the new one, or give the client a new secret with `idp client rotate`. `registered twice` or `the same secret`: a client of the database contradicts the file; remove one."
    )
    package static let clientsNotRead = EventKind(
        "clients_not_read", .warning, line: [.cause()],
        "The clients of the database could not be compared; the list of before stays. Look at `cause` and `/readyz`.")
    package static let clientsNotRecorded = EventKind(
        "clients_not_recorded", .warning, line: [.cause()],
        "Commands do not know the clients of the file: `cause`. Send SIGHUP.")
    package static let signOutAddressRefused = EventKind(
        "sign_out_address_refused", .notice, .refusal("client, `cause`"), line: [.cause(), .client.orDash],
        by: [.protocol], causes: signOutAddressCauses,
        "A sign-out link is wrong, and the browser stays here: `cause`, for an unregistered address the `nearest` one. Tell the client's developers."
    )
    package static let auditFailed = EventKind(
        "audit_failed", .warning, line: [.cause()],
        "Refusals wait in memory for the [audit log](#audit-events): `cause`. Sign-ins and changes fail: look at the database."
    )

    private static let signOutAddressCauses: [EventCause] =
        [
            .init("client_unknown", "Correct `client_id`, or register the client."),
            .init("client_id_missing", "Send `client_id`, or an `id_token_hint`."),
            .init("client_id_differs", "`client_id` and `id_token_hint` name different clients. Send one of them."),
            .init("not_registered", "Register the address byte for byte; `nearest` is most like it."),
            .init("id_token_hint_missing", "Send `id_token_hint`, so that the user need not be asked."),
            .init("hint_of_other_user", "`id_token_hint` is of another user or session than this browser's."),
            .init("id_token_hint_wrong", "`id_token_hint` must be an ID token of this provider."),
            .init("state_wrong", "`state` must be printable ASCII."),
        ]
        + ["logout_hint", "ui_locales", "id_token_hint", "client_id", "post_logout_redirect_uri", "state"].flatMap {
            [
                .init("\($0)_too_long", "Send a shorter `\($0)`."),
                .init("\($0)_repeated", "`\($0)` was sent more than once."),
                .init("\($0)_malformed", "`\($0)` must be percent-encoded UTF-8."),
            ]
        }
}

extension EventLabel {
    /// The client's protocol.
    package static let `protocol` = field("protocol", ["sso", "oidc", "gate"])
}

extension Event {
    /// - Parameter level: error where a client is left out.
    package static func clientsFileWarning(_ warning: String, level: Logger.Level? = nil) -> Event {
        Event(.clientsFileWarning, ["warning": "\(warning)"], level: level)
    }
}

/// The events of this target.
package enum ClientEvents {
    package static let all: [EventKind] = [
        .clientsFileLoaded, .clientsFileRejected, .clientsFileWarning, .clientsNotRead, .clientsNotRecorded,
        .signOutAddressRefused, .auditFailed,
    ]
}
