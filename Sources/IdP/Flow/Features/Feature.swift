package import IdPMail
package import IdPSignOut
package import SSOWeb

/// A part of the identity provider, with everything that it brings. The program has one list of them.
///
/// Templates, texts and assets come with the target (``PageFiles``), tables with a migration.
package protocol Feature: Sendable {
    /// Its settings, which the program reads for it.
    static var settings: [any ReadableSetting] { get }
    /// What it keeps in the browser's session.
    var slots: [any SessionSlot.Type] { get }
    /// What its flows are for. A client protocol is one of them.
    var purposes: [any FlowPurpose] { get }
    /// The second proofs that an account may ask for.
    var factors: [any SecondFactor] { get }
    /// What its users change with a sign-in of some age and strength. Their forms are declared by ``Changes``.
    var changes: [any WaitingChange] { get }
    /// The ways to prove an identity.
    func methods(_ completion: SignInCompletion) -> [any SignInMethod]
    /// What it shows between a sign-in and what that was for.
    var offers: [any SignInOffer] { get }
    /// The emails that it sends.
    var mail: [any MailTemplate] { get }
    /// What its messages to clients about the end of sessions look like.
    var signOuts: [any SignOutProtocol] { get }
    /// Each deletes some of its rows that nobody needs any more.
    var purges: [PurgeService.Purge] { get }
    /// How an app opens its paths, where that is not its web view.
    var appPaths: [PathConfiguration.Rule] { get }
    /// Declares its routes. Those of its purposes, factors, changes and methods are declared by these.
    ///
    /// - Parameters:
    ///   - completion: where its sign-ins end.
    ///   - methods: those of all features.
    func addRoutes(to router: inout FeatureRouter, _ completion: SignInCompletion, _ methods: [any SignInMethod])
}

extension Feature {
    package static var settings: [any ReadableSetting] { [] }
    package var slots: [any SessionSlot.Type] { [] }
    package var purposes: [any FlowPurpose] { [] }
    package var factors: [any SecondFactor] { [] }
    package var changes: [any WaitingChange] { [] }
    package func methods(_ completion: SignInCompletion) -> [any SignInMethod] { [] }
    package var offers: [any SignInOffer] { [] }
    package var mail: [any MailTemplate] { [] }
    package var signOuts: [any SignOutProtocol] { [] }
    package var purges: [PurgeService.Purge] { [] }
    package var appPaths: [PathConfiguration.Rule] { [] }
    package func addRoutes(
        to router: inout FeatureRouter, _ completion: SignInCompletion, _ methods: [any SignInMethod]
    ) {}
}
