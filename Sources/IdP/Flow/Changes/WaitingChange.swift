package import Hummingbird
package import IdPAccounts
package import IdPClients
package import SSOWeb
package import Storage

/// A change that a user makes with a sign-in of some age and strength. With an older or weaker one it waits: what was typed is
/// kept in the session, as a flow, until the user has signed in again and has then pressed the button of a page. It happens once.
///
/// A feature names its changes (``Feature/changes``), and ``Changes`` does the rest.
package protocol WaitingChange: Sendable {
    /// What the form says that asks for the change. It waits in the session, so it is short.
    associatedtype Asked: Codable & Sendable

    /// Stored in sessions. Never changes.
    static var id: String { get }
    /// Where the form is sent that asks for the change.
    static var path: String { get }
    /// Where a user goes on for whom nothing is left to do: one who gives up, is not signed in, or presses the button twice.
    static var home: String { get }
    /// How recent the sign-in of the user must be.
    static var needs: Proof.Need { get }
    /// The same for one user. Where it must be recent it is also as strong as the account has it: no weaker way changes what a stronger one
    /// protects, nor makes a way in that stays.
    func needs(of user: SignedInUser, _ connection: any SQLConnection) throws -> Proof.Need

    /// The page of the form again, with what is wrong with what was typed. Nil where nothing is.
    func formAgain(_ form: SubmittedForm, for user: SignedInUser) async throws -> Response?

    /// Reads the form.
    func asked(in fields: URLEncodedFields) throws -> Asked

    /// What the sign-in page says to a user who has to sign in again.
    func signInAgain(as email: String) -> Text?

    /// What the page says that asks, after the new sign-in, whether to go on. Nil when nothing is left to do.
    func page(of asked: Asked, for user: SignedInUser, _ connection: any SQLConnection) throws -> ChangePage?

    /// How the change is made. Makes nothing yet.
    func carryOut(_ asked: Asked, for user: SignedInUser, _ context: VisitorContext) throws -> ChangeStep
}

extension WaitingChange {
    static var declared: DeclaredChange { DeclaredChange(id: id, path: path, needs: needs) }

    package static var home: String { "/" }
    package func needs(of user: SignedInUser, _ connection: any SQLConnection) throws -> Proof.Need {
        guard Self.needs.age != nil else { return Self.needs }
        let account = try Proof.Need.ofAccount(user.account, connection)
        return Proof.Need(age: Self.needs.age, strength: max(Self.needs.strength, account.strength))
    }
    package func formAgain(_ form: SubmittedForm, for user: SignedInUser) async throws -> Response? { nil }
    package func signInAgain(as email: String) -> Text? { nil }
    package func page(of asked: Asked, for user: SignedInUser, _ connection: any SQLConnection) throws -> ChangePage? {
        nil
    }
}

/// What the page says that asks whether to make a change.
package struct ChangePage: Sendable {
    /// What the change does, as the heading and on the button.
    let title: Text
    let explanation: Text
    /// Whether it takes something away. Its button looks like that.
    let isRemoval: Bool

    package init(title: Text, explanation: Text, isRemoval: Bool = false) {
        (self.title, self.explanation, self.isRemoval) = (title, explanation, isRemoval)
    }
}

/// How a change is made.
package enum ChangeStep: Sendable {
    /// Here, in the transaction that ends the waiting change. The user and the slots are read in it. The body may run again.
    case here(@Sendable (SignedInUser, inout SessionSlots, any SQLConnection) throws -> ChangeOutcome)
    /// By an answer that the browser goes for, such as one of a provider. What it takes there knows the account.
    case elsewhere(@Sendable (SignInCompletion) async throws -> Response)
}

/// What a transaction has decided about a change.
package struct ChangeOutcome: Sendable {
    let answer: Result<String, PublicError>
    var news: AccountChange?
    var event: Event?
    var endsSession = false
    var afterwards: (@Sendable () async -> Void)?
    /// In place of a redirect.
    var page: (@Sendable (Request) -> Response)?

    /// - Parameters:
    ///   - path: where the user goes on.
    ///   - news: what the owner of the account is told, in the same transaction.
    ///   - event: what is recorded, in the same transaction.
    ///   - endsSession: whether the session of the request has ended.
    ///   - afterwards: what follows the transaction. The user waits for it.
    package static func done(
        goingTo path: String, telling news: AccountChange? = nil, recording event: Event? = nil,
        endingSession endsSession: Bool = false, afterwards: (@Sendable () async -> Void)? = nil
    ) -> ChangeOutcome {
        ChangeOutcome(
            answer: .success(path), news: news, event: event, endsSession: endsSession, afterwards: afterwards)
    }

    /// - Parameter page: the answer to the form itself, where it shows what is never shown again.
    package static func shown(
        recording event: Event, _ page: @escaping @Sendable (Request) -> Response
    ) -> ChangeOutcome {
        var outcome = ChangeOutcome(answer: .success(""), event: event)
        outcome.page = page
        return outcome
    }

    /// Nothing was changed. A change that waited has ended.
    package static func refused(_ error: PublicError) -> ChangeOutcome { ChangeOutcome(answer: .failure(error)) }
}
