import Hummingbird
import SSOWeb

/// Known browsers as routes use them: rows and cookie together.
struct Devices: Sendable {
    let store: DeviceStore
    let cookie: DeviceCookie

    /// The id under which the request's browser is known for an address, nil for an unknown one.
    func known(_ request: Request, for address: LetterAddress) async throws -> String? {
        try await store.find(cookie.claims(in: request), for: address)
    }

    /// Names the browser of a request by its cookie alone: enough to count it apart from its network.
    func countedBrowser(_ request: Request) -> [UInt8]? { cookie.claims(in: request).first?.id }

    /// Gives the browser the new claim beside those it has.
    func give(_ claim: DeviceCookie.Claim, _ request: Request, in response: inout Response) {
        let others = cookie.claims(in: request).filter { $0.id != claim.id }
        cookie.set([claim] + others, in: &response)
    }
}
