import IdPAuthorization
import IdPClients
import Logging
package import SSOWeb

/// What happens at the gate.
extension EventKind {
    package static let gateRefused = EventKind(
        "gate_refused", .info, .refusal("client, `cause`"), line: [.reason, .client.orDash], causes: gateCauses,
        "A request of a service behind the [gate](gate.md), or a return to it, was refused: `reason`.")
    package static let gateIdentityForged = EventKind(
        "gate_identity_forged", .error, .refusal("client; `detail`: the field"),
        line: [.client.orDash, .detail("field")],
        "A request to a service brought a field that only the gate may set, and the proxy passed it on: 403. Its file must remove `field` from what clients send, see [gate](gate.md). Further ones of the same client within an hour are at `info`."
    )
    package static let gateSignedOut = EventKind(
        "gate_signed_out", .info, .row("client, session"), line: [.client, .account, .session],
        user: Text("activity.gate-signed-out"), "A user has signed out of one service behind the gate.")
    package static let appKeyRefused = EventKind(
        "app_key_refused", .info, .refusal("client, `cause`"), line: [.reason, .client.orDash],
        causes: [
            .init(
                "unknown", "The key is of another service, has ended or expired, or never was one. Make another one."),
            .init("malformed", "The text is not in the form of a key: `sgk_` and 43 characters."),
            .init("doubled", "The request has more than one key, or one field twice."),
        ], "A request with the key of an app was refused. Beyond 20 a minute and network nothing is recorded.")

    private static let gateCauses: [EventCause] =
        [
            .init("no_proxies", "Set `IDP_TRUSTED_PROXIES` to the network of the proxy."),
            .init("proxy", "The request comes from an address that `IDP_TRUSTED_PROXIES` does not name."),
            .init("client_unknown", "The path names no client with `protocols: [gate]`, or a disabled one."),
            .init(
                "origin", "The proxy names another origin than `gate_origin`, or none, or two. Compare byte by byte."),
            .init("cross_site", "A page of another site sent a form or a script's request: `Sec-Fetch-Site`."),
            .init("state", "The browser that comes back is not the one that began, or took longer than ten minutes."),
            .init("given_up", "The user has given up, or was not let in."),
        ] + GrantErrorCause.allCases.map { EventCause($0.rawValue, $0.remedy) }
}

/// The events of this target.
package enum GateEvents {
    package static let all: [EventKind] = [
        .gateRefused, .gateIdentityForged, .gateSignedOut, .appKeyRefused,
    ]
}
