import IdPClients
import IdPFlow
import IdPMail
import SSOShared
import SSOWeb
import Storage

/// Tells users what they have done with their account by their own hands, and makes the changes that operators make, too.
struct OwnAccountNews: Sendable {
    let parts: SharedParts

    /// - Parameter actor: who makes the changes, for the audit log.
    func changes(by actor: AuditActor) -> OperatorChanges {
        OperatorChanges(
            parts.database, of: parts.clients.registry.protocols, by: actor, clock: parts.clock,
            randomness: parts.randomness, logger: parts.logger)
    }

    /// Queues emails in the caller's transaction. No budget holds them back: each change is limited itself.
    func tell(_ subjects: [OwnAccountMail.Subject], about id: String, _ connection: any SQLConnection) throws {
        for subject in subjects {
            let email = "own_" + Base64URL.encode(try parts.randomness.bytes(16))
            try parts.mail.enqueueNotice(
                email, kind: OwnAccountMail.kind, subjectID: subject.id(of: id), now: parts.clock.now(), connection)
        }
    }
}

/// What a page without values is made of.
struct NoModel: Encodable, Sendable {}
