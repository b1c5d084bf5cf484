import IdPFlow
import SSOWeb

/// The purpose of a flow of a visitor who opened the list of passkeys: after the sign-in it is shown.
struct PasskeyListPurpose: OwnPagePurpose {
    static let id = "passkeys"

    let sessions: Sessions
    let resumePath = PasskeyPath.list

    func home(of flow: Flow) -> String { "/" }
}

/// The purpose of a flow of a user who wants to add a passkey, and has to sign in for it.
struct PasskeyAddPurpose: OwnPagePurpose {
    static let id = "passkey_add"

    let sessions: Sessions
    let resumePath = PasskeyPath.add

    func home(of flow: Flow) -> String { PasskeyPath.list }

    func texts(of flow: Flow, again email: String?) -> FlowTexts {
        FlowTexts(
            again: email.map { Text("passkeys.sign-in-again", ["email": $0]) },
            cancel: .init(label: Text("passkeys.cancel"), href: FlowID.path(FlowID.cancelPath, flow.id)))
    }
}

/// The pages of passkeys.
enum PasskeyPath {
    static let list = "/passkeys"
    static let add = "/passkeys/add"
    /// Offers a passkey after a sign-in.
    static let offer = "/passkeys/offer"
    /// Where password managers find the pages (W3C, "A Well-Known URL for Relying Party Passkey Endpoints").
    static let endpoints = "/.well-known/passkey-endpoints"
    static let rename = "/passkeys/rename"
    static let remove = "/passkeys/remove"
    /// Sends a visitor to sign in. The pages themselves change nothing, so that link checkers do not either.
    static let signIn = "/passkeys/sign-in"
}
