import SSOShared
import SSOWeb

extension SettingsReader {
    /// The largest difference of the clocks that does not matter, in seconds.
    private static let tolerated = 5

    /// How far this machine's clock is ahead, in seconds; negative for behind.
    ///
    /// - Parameter told: the time at the identity provider, between the question and the answer. One before 1970, or after millions of
    ///   years, would not fit the sum.
    static func ahead(_ told: Int, asked: Int, answered: Int) -> Int {
        let told = min(max(0, told), 1 << 52)
        return told < asked ? asked - told : min(0, answered - told)
    }

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
            let ahead = Self.ahead(answer.time, asked: before, answered: after)
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
