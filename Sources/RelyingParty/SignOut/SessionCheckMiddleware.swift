import Hummingbird
import Logging
import SSOClient
import SSOShared
import SSOWeb
import Storage

/// Asks the identity provider about the session of a request, every `RP_SESSION_CHECK` of use. What it says holds for this
/// request already.
///
/// Of several requests, in any process, one asks: the moment of the last check is in the session, and is set in one atomic step
/// before the question. The others go on with what is known.
struct SessionCheckMiddleware: RouterMiddleware {
    let check: SessionCheck
    let sessions: Sessions
    let clock: ServiceClock
    /// Where a browser signs out: it needs no answer first.
    let signOutPath: String

    func handle(
        _ request: Request, context: VisitorContext, next: (Request, VisitorContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        if let session = context.session, let user = context.user, request.uri.path != signOutPath {
            context.session = try await checked(session, user, context.logger)
        }
        return try await next(request, context)
    }

    /// The session as it goes on; nil when it has ended.
    private func checked(_ session: Session, _ user: SignedInUser, _ logger: Logger) async throws -> Session? {
        let now = clock.now()
        guard let id = user.sessionID, check.isDue(user.checkedAt?.date, now: now.date),
            let claimed = try await keep(session, logger, { $0.checkedAt = now }, ifCheckedAt: user.checkedAt)
        else { return session }
        switch await check.ask(session: id, user: user.id, now: now.date) {
        case .active(let known):
            let fresh = user.with(known)
            if fresh == user { return claimed }
            logger.record(Event(RelyingPartyEvents.userChanged, account: user.id))
            return try await keep(claimed, logger, { $0 = $0.with(known) }, ifCheckedAt: now) ?? claimed
        case .ended(let reason):
            logger.record(Event(RelyingPartyEvents.signedOut, account: user.id, cause: "\(reason)"))
            try await sessions.store.end(claimed)
            return nil
        case .expired:
            return claimed
        case .failed(let error):
            logger.record(Event(RelyingPartyEvents.sessionCheckFailed, cause: "\(error)"))
            let early = Timestamp(check.checkedAt(afterFailure: now.date))
            return try await keep(claimed, logger, { $0.checkedAt = early }, ifCheckedAt: now) ?? claimed
        }
    }

    /// Changes the user in the session, unless another request has checked it since.
    ///
    /// - Returns: nil if one has, and also where the session has ended or the database takes no change: a full disk must not break
    ///   pages that only read.
    private func keep(
        _ session: Session, _ logger: Logger, _ change: @escaping @Sendable (inout SignedInUser) -> Void,
        ifCheckedAt expected: Timestamp?
    ) async throws -> Session? {
        do {
            return try await sessions.store.update(session) { slots in
                var user = slots[SignedInUser.self]
                guard user.checkedAt == expected else { return false }
                change(&user)
                slots[SignedInUser.self] = user
                return true
            }
        } catch let error as DatabaseError {
            logger.record(Event(RelyingPartyEvents.sessionCheckFailed, cause: "\(error)"))
            return nil
        }
    }
}

extension SignedInUser {
    /// The same with what the identity provider says of the user now.
    fileprivate func with(_ known: VerifiedUser) -> SignedInUser {
        var user = self
        (user.email, user.name, user.groups) = (known.email, known.name, known.groups)
        return user
    }
}
