import Foundation
import Hummingbird
import SSOShared
import SSOWeb

/// Keeps a visitor's pending sign-ins in the browser, encrypted and authenticated, so that a visitor who signs in
/// nowhere costs no row.
///
/// Who holds the cookie can replay it, but neither read nor change it: that a state works once, ``UsedStateStore`` sees to.
struct PendingSignInsCookie: Sendable {
    /// Browsers keep 4,096 bytes of name and value together (RFC 6265 6.1).
    static let maximumBytes = 4000
    private let box: SealedBox
    private let cookie: BrowserCookie
    private let clock: ServiceClock

    init(keys: DerivedKeys, origin: PublicOrigin, clock: ServiceClock, randomness: any Randomness) {
        box = SealedBox(keys: keys, label: "pending-sign-ins", randomness: randomness)
        cookie = BrowserCookie(name: "rp_pending", origin: origin, maximumAge: PendingSignIns.lifetime)
        self.clock = clock
    }

    /// Those of the request's cookie. A missing, doubled, forged or damaged one holds none.
    func read(_ request: Request) -> PendingSignIns {
        guard let value = cookie.value(in: request), value.utf8.count <= Self.maximumBytes,
            let bytes = Base64URL.decode(value).flatMap(box.open),
            let pending = try? JSONDecoder().decode(PendingSignIns.self, from: Data(bytes))
        else { return PendingSignIns() }
        return pending
    }

    /// Has the browser keep these. What is too old goes, and one after the other of the rest until all fits: long
    /// return paths leave room for fewer than eight.
    func write(_ pending: PendingSignIns, in response: inout Response) throws {
        var kept = pending
        kept.dropExpired(now: clock.now())
        guard !kept.open.isEmpty else { return cookie.clear(in: &response) }
        var value = try sealed(kept)
        while value.utf8.count > Self.maximumBytes, kept.open.count > 1 {
            kept.dropOne()
            value = try sealed(kept)
        }
        cookie.set(value, in: &response)
    }

    private func sealed(_ pending: PendingSignIns) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return Base64URL.encode(try box.seal(Array(encoder.encode(pending))))
    }
}
