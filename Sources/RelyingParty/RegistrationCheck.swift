import SSOShared
import SSOWeb

extension SettingsReader {
    /// The largest difference of the clocks that does not matter, in seconds.
    private static let tolerated = 5

    /// Reports a secret, a redirect URI or a clock with which no sign-in would work.
    func checkRegistration(_ clientID: String, at callback: String, _ client: BackChannelClient) async {
        do throws(BackChannelError) {
            let before = ServiceClock.system().now().seconds
            let answer = try await client.ping(redirectURI: callback, time: before)
            let after = ServiceClock.system().now().seconds
            record("connect SSO_CLIENT_ID", "\(answer.clientID), and its secret is right (idp \(answer.version))")
            if !answer.isRegistered {
                problem(
                    "RP_PUBLIC_URL: \(callback) is not registered for the client \(answer.clientID). Add it to its redirect_uris at the identity provider, byte for byte."
                )
            }
            // The answer was made between the two.
            let ahead = answer.time < before ? before - answer.time : min(0, after - answer.time)
            if abs(ahead) > Self.tolerated {
                warn(
                    "the clock of this machine is \(abs(ahead)) seconds \(ahead > 0 ? "ahead of" : "behind") the identity provider's. Set both by NTP."
                )
            }
        } catch {
            switch error {
            case .rejected(.invalidSignature, _):
                problem(
                    "SSO_SHARED_SECRET: the identity provider has another one for the client \(clientID), or does not know this client. Compare the fingerprints that both programs print at their start."
                )
            default: warn("the registration could not be checked, which needs swift-sso at the other end: \(error)")
            }
        }
    }
}
