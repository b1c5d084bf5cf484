import SSOShared

/// The paths of the gate.
package enum GatePath {
    /// Below it a proxy asks: `/gate/CLIENT/check`.
    package static let prefix = "/gate/"
    /// On the host of the service. The proxy routes ``steps`` below it to ``prefix`` and the client's id, and nothing else:
    /// scripts of the service could read what the check answers.
    package static let ofService = "/.sso/"
    /// What the browser itself asks for below ``ofService``.
    static let steps = ["start", "callback", "sign-out"]
    /// Where the browser comes from the service to sign in.
    package static let authorize = "/gate-sign-in"
    /// Where a user goes on who has signed in.
    package static let complete = "/gate-sign-in/complete"

    static func route(_ name: String) -> String { "\(prefix):client/\(name)" }
}

/// An address on the host of a service, which the browser goes back to: its path and query.
struct ReturnAddress: Sendable, Equatable {
    /// Begins with `/`.
    let text: String

    static let root = ReturnAddress(text: "/")
    /// Bytes. More would not fit into the request that is kept during a sign-in.
    static let longest = 8 * 1024
    /// Bytes of ``encoded``: the head of the request for a sign-in has 16 KiB, with the cookies of this program.
    static let longestEncoded = 12 * 1024

    private init(text: String) { self.text = text }

    /// The root for anything that is no path, that is too long, or that leads to the gate itself. Nothing is decided by it but where
    /// the browser goes, and that is always on the origin of the service.
    init(_ text: String?) {
        guard let text, text.utf8.first == UInt8(ascii: "/"), text.utf8.count <= Self.longest,
            text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }), !text.hasPrefix(GatePath.ofService)
        else {
            self = .root
            return
        }
        let address = ReturnAddress(text: text)
        self = address.encoded.utf8.count <= Self.longestEncoded ? address : .root
    }

    /// As the value of a parameter. What a query may hold stays readable, and so short.
    var encoded: String { PercentCoding.encode(text, keeping: "/?=:@,;!$'()*") }
}
