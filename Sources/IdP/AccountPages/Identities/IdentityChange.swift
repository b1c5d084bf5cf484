import HTTPTypes
import IdPAccounts
import IdPFlow
import SSOWeb

/// A change of how the user signs in.
protocol IdentityChange: WaitingChange {}

extension IdentityChange {
    static var needs: Proof.Need { .recent }

    func signInAgain(as email: String) -> Text? { Text("identities.sign-in-again", ["email": email]) }

    /// The page that asks, about a provider.
    func page(
        _ title: Text, _ explanation: Text, _ provider: String, _ user: SignedInUser, isRemoval: Bool = false
    ) -> ChangePage {
        ChangePage(
            title: title.with(["provider": provider]),
            explanation: explanation.with(["email": user.account.email, "provider": provider]),
            isRemoval: isRemoval)
    }
}

extension PublicError {
    /// The account would have no identity left.
    static let lastIdentity = PublicError(
        .conflict, code: "last_identity", title: Text("error.last-identity.title"),
        explanation: Text("error.last-identity"), cause: "last_identity")
}
