import Hummingbird
import IdPFlow
import SSOShared
import SSOWeb

/// The sign-in method "passkey": the browser asks the user for a touch, and an authenticator signs a challenge. Nothing is typed,
/// and a page of another site gets nothing that works here.
struct PasskeyMethod: SignInMethod {
    static let name = "passkey"

    let id = PasskeyMethod.name
    /// RFC 8176: proof of possession of a key, after a test of the user.
    let registeredValues = ["pop", "user", "mfa"]

    let strength = Strength.phr

    let ceremonies: PasskeyCeremonies
    /// Whether an app can come back from the system browser.
    let hasApps: Bool

    /// Those of ``PasskeySignIn``, which need the sign-in page.
    func addRoutes(to router: inout FeatureRouter) {}

    func prepare(_ attempt: SignInAttempt, in slots: inout SessionSlots) throws -> Bool {
        attempt.isNativeShell ? false : try ceremonies.issue(for: .signIn(attempt.flow), in: &slots)
    }

    /// The web view of an app may hide passkeys. The system browser has them.
    func options(for attempt: SignInAttempt) -> [SignInOption] {
        guard !attempt.isNativeShell else {
            guard hasApps else { return [] }
            return [
                .note(Text("passkey.in-browser")),
                .link(label: Text("passkey.sign-in"), path: NativeStart.prefix + id),
            ]
        }
        return [
            .passkey(
                PasskeyButton(
                    path: SignInPath.passkey, renewal: FlowID.path(PasskeySignIn.optionsPath, attempt.flow),
                    options: ceremonies.requestOptions(attempt.flow, in: attempt.slots)))
        ]
    }

    func nativeStart(_ name: String) -> NativeStart? {
        guard name == id else { return nil }
        return NativeStart(name: name, reaching: strength) { flow, _, _, _ in .redirect(to: SignInPath.signIn(flow)) }
    }
}
