public import Foundation
public import SSOShared

/// What a relying party demands of a sign-in, checked on the verified answer and never on what the browser says.
///
/// ``SignInClient`` checks it at the callback. A page that needs it checks it once more on the session it has kept: a user may
/// also come there by a sign-in without a demand.
public struct SignInDemand: Sendable, Hashable {
    /// How far the clocks of the two servers may differ.
    public static let toleratedSkew: Duration = .seconds(60)

    /// How long ago the user may have signed in. Nil accepts any sign-in.
    public var maximumAge: Duration?
    /// The accepted sign-in methods, such as `passkey`; one of them is enough. Empty accepts any.
    public var methods: [String]
    /// The strength that the sign-in must have at least. Nil accepts any.
    public var strength: Strength?

    public init(maximumAge: Duration? = nil, methods: [String] = [], strength: Strength? = nil) {
        self.maximumAge = maximumAge
        self.methods = methods
        self.strength = strength
    }

    /// Whether a sign-in is recent and strong enough and used an accepted method.
    public func isMet(by session: VerifiedSession, now: Date = Date()) -> Bool {
        violation(by: session, since: nil, now: now) == nil
    }

    enum Violation: Equatable {
        case tooOld, method, strength
    }

    /// The first thing that a sign-in lacks. A sign-in from the future counts as one of now: the two clocks differ. One
    /// whose moment is not proven is older than any demand.
    ///
    /// - Parameter since: the user must have signed in at this moment or later.
    func violation(by session: VerifiedSession, since: Date?, now: Date) -> Violation? {
        // Dates, not sums of integers: the answer may hold any number, and an overflow would end the process.
        let signedIn = session.authenticatedAt.map {
            Date(timeIntervalSince1970: Double($0)) + Self.toleratedSkew / .seconds(1)
        }
        if let maximumAge, signedIn.map({ now.timeIntervalSince($0) > maximumAge / .seconds(1) }) ?? true {
            return .tooOld
        }
        if let since, signedIn.map({ $0 < since }) ?? true { return .tooOld }
        let isAccepted = session.methods.contains { used in methods.contains { $0.utf8.elementsEqual(used.utf8) } }
        guard methods.isEmpty || isAccepted else { return .method }
        // A strength that this version does not know is no strength.
        let reached = session.acr.flatMap(Strength.init) ?? .any
        return reached >= strength ?? .any ? nil : .strength
    }
}

extension PendingSignIn {
    /// Checks the verified answer against what this sign-in was started for.
    func check(_ session: VerifiedSession, now: Date) throws(SignInError) {
        let demand = SignInDemand(
            maximumAge: maximumAge.map { .seconds($0) }, methods: methods ?? [], strength: strength)
        let since = isNew == true ? Date(timeIntervalSince1970: Double(begunAt) / 1000) : nil
        switch demand.violation(by: session, since: since, now: now) {
        case nil: return
        case .tooOld: throw .tooOld(authenticatedAt: session.authenticatedAt, returnTo: returnTo)
        case .strength: throw .tooWeak(session.acr, returnTo: returnTo)
        case .method: throw .methodNotAccepted(session.methods, returnTo: returnTo)
        }
    }
}
