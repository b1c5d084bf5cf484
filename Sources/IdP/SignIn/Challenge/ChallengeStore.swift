package import IdPAccounts
package import IdPMail
package import SSOShared
package import SSOWeb
package import Storage

/// Owns the rows of `challenge`: begins one together with its email, and ends it exactly once.
///
/// ``GuessStore`` counts `tries` in the same rows, because counting and looking must be one statement. ``succeed`` deletes
/// the counted guess, because that has to stand or fall with the sign-in.
package struct ChallengeStore: Sendable {
    let database: any Database
    let clock: ServiceClock
    let randomness: any Randomness
    /// Makes the keyed hash of a new challenge's code from the challenge's id.
    let codeMAC: @Sendable (String) -> [UInt8]
    /// The ``MailTemplate/kind`` of the email that carries the code.
    let mailKind: String
    let eligibility: SignInEligibility
    let mail: MailQueue
    /// Queues what else an address gets that is asked for.
    let besides: @Sendable (AskedAddress, any SQLConnection) throws -> Void

    package init(
        database: any Database, clock: ServiceClock, randomness: any Randomness,
        codeMAC: @escaping @Sendable (String) -> [UInt8], mailKind: String, eligibility: SignInEligibility,
        mail: MailQueue, besides: @escaping @Sendable (AskedAddress, any SQLConnection) throws -> Void = { _, _ in }
    ) {
        (self.database, self.clock, self.randomness, self.codeMAC, self.mailKind) = (
            database, clock, randomness, codeMAC, mailKind
        )
        (self.eligibility, self.mail, self.besides) = (eligibility, mail, besides)
    }

    /// Begins a challenge for an address, or continues the one this browser holds for it, and queues an email, as
    /// ``CodeEmailPlan`` says.
    ///
    /// The same statements run for every address, whether it may sign in or not (docs/architecture.md, "no account
    /// enumeration"). The email of one that may not is a decoy.
    ///
    /// - Parameter held: what this browser holds for the address.
    /// - Returns: what the browser's session keeps, what became of the email, the account of the address if there is one, and
    ///   when the challenge expires.
    func begin(
        _ request: CodeRequest, held: BrowserChallenges.Entry?, _ connection: any SQLConnection
    ) throws -> (entry: BrowserChallenges.Entry, email: CodeEmail, account: String?, expiresAt: Timestamp) {
        let new = Challenge.id(try randomness.bytes(Challenge.randomBytes))
        let emailID = Base64URL.encode(try randomness.bytes(16))
        let besideID = Base64URL.encode(try randomness.bytes(16))
        let mac = codeMAC(new)
        let (address, requester, now) = (request.address, request.requester, clock.now())
        let standing = try eligibility.standing(of: address.text, connection)
        let plan = CodeEmailPlan.next(
            CodeEmailFacts(
                reason: standing.reason,
                waiting: try waiting(held?.id, address, isEligible: standing.isEligible, now, connection),
                heldEmailAt: held?.emailAt,
                nextAllowed: try mail.nextAllowed(for: address.budgetKey, requester, now: now, connection), now: now))
        let id = plan.continued ?? new
        if plan.continued == nil { try insert(id, mac, request, plan, now, connection) }
        if let browserID = requester.browserID { try adopt(id, device: browserID, connection) }
        let subject = plan.isDecoy ? nil : id
        if let leavesAt = plan.leavesAt {
            try mail.enqueue(
                QueuedMail(
                    id: emailID, address: address.budgetKey, kind: mailKind, subjectID: subject,
                    expiresAt: plan.expiresAt),
                by: requester, hasAccount: standing.account != nil, leavesAt: leavesAt, connection)
        }
        try besides(
            AskedAddress(
                address: address, challenge: subject, requester: requester, hasAccount: standing.account != nil,
                emailID: besideID, now: now), connection)
        try note(request, email: plan.leavesAt == nil ? "" : emailID, on: id, connection)
        let entry = BrowserChallenges.Entry(
            address: address.text, id: id, emailAt: plan.emailAt, sentAgainAt: plan.sentAgainAt, flow: request.flow)
        return (entry, plan.report(id: emailID, now: now), standing.account, plan.expiresAt)
    }

    /// The challenge that a browser holds, while it accepts codes. The same statement runs for a browser that holds none.
    private func waiting(
        _ id: String?, _ address: EmailAddress, isEligible: Bool, _ now: Timestamp, _ connection: any SQLConnection
    ) throws -> CodeEmailFacts.Waiting? {
        try connection.query(
            """
            SELECT id, expires_at FROM challenge WHERE id = :id AND address = :address AND eligible = :eligible
               AND used_at IS NULL AND expires_at > :now AND tries < :tries
            """,
            [
                "id": .text(id ?? ""), "address": .text(address.text), "now": .timestamp(now),
                "eligible": .integer(isEligible ? 1 : 0), "tries": .integer(Int64(Challenge.maximumTries)),
            ]
        ).first.map { .init(id: try $0.text("id"), expiresAt: try $0.timestamp("expires_at")) }
    }

    private func insert(
        _ id: String, _ mac: [UInt8], _ request: CodeRequest, _ plan: CodeEmailPlan, _ now: Timestamp,
        _ connection: any SQLConnection
    ) throws {
        try connection.execute(
            """
            INSERT INTO challenge (id, address, eligible, code_mac, device, place, device_id, email_id, created_at,
                                   expires_at)
            VALUES (:id, :address, :eligible, :mac, :device, :place, :known, '', :now, :expires)
            """,
            [
                "id": .text(id), "address": .text(request.address.text),
                "eligible": .integer(plan.isDecoy ? 0 : 1), "mac": .blob(mac),
                "device": .text(request.device.rawValue), "place": .optional(request.place),
                "known": .optional(request.requester.browserID), "now": .timestamp(now),
                "expires": .timestamp(plan.expiresAt),
            ])
    }

    /// Notes the newest request for a challenge. The first email that carries the code decides from when on guesses at it
    /// count.
    private func note(
        _ request: CodeRequest, email: String, on id: String, _ connection: any SQLConnection
    ) throws {
        try connection.execute(
            """
            UPDATE challenge SET language = :language, flow = :flow, log_flow = :log, service = :service,
                   email_id = CASE WHEN email_id = '' THEN :email ELSE email_id END
             WHERE id = :id
            """,
            [
                "language": .text(request.language.rawValue), "flow": .optional(request.flow),
                "log": .optional(request.logFlow), "service": .optional(request.service), "email": .text(email),
                "id": .text(id),
            ])
    }

    /// What a browser would keep of a challenge, for an app that names the challenge by a key and keeps nothing.
    func entry(of id: String, _ connection: any SQLConnection) throws -> BrowserChallenges.Entry? {
        try connection.query(
            """
            SELECT c.address, c.flow, l.created_at
              FROM challenge c LEFT JOIN mail_queue l ON l.id = c.email_id WHERE c.id = :id
            """, ["id": .text(id)]
        ).first.map { row in
            BrowserChallenges.Entry(
                address: try row.text("address"), id: id,
                emailAt: try row.optionalInteger("created_at").map(Timestamp.init(milliseconds:)), sentAgainAt: nil,
                flow: try row.optionalText("flow"))
        }
    }

    /// The challenge that a browser of an invitation waits for, for another one that the invitation has made the known one: its
    /// email is in the mailbox already. Nil where none can be used.
    func shared(by browserID: String, _ address: EmailAddress, _ connection: any SQLConnection) throws
        -> BrowserChallenges.Entry?
    {
        let alive = try connection.query(
            """
            SELECT id FROM challenge
             WHERE device_id = :device AND address = :address AND used_at IS NULL AND expires_at > :now AND tries < :tries
             ORDER BY created_at DESC, id LIMIT 1
            """,
            [
                "device": .text(browserID), "address": .text(address.text), "now": .timestamp(clock.now()),
                "tries": .integer(Int64(Challenge.maximumTries)),
            ]
        ).first
        guard let alive, var entry = try entry(of: try alive.text("id"), connection) else { return nil }
        entry.isShared = true
        return entry
    }

    /// Counts guesses at this challenge for a known browser from now on, in the caller's transaction.
    func adopt(_ id: String, device: String, _ connection: any SQLConnection) throws {
        try connection.execute(
            "UPDATE challenge SET device_id = :device WHERE id = :id", ["device": .text(device), "id": .text(id)])
    }

    func find(_ id: String) async throws -> Challenge? {
        try await database.read { connection in
            try connection.query("SELECT * FROM challenge WHERE id = :id", ["id": .text(id)]).first.map(Challenge.init)
        }
    }

    /// The challenge, and the id of the account of its address if there is one, for the log.
    func findForLog(_ id: String) async throws -> (challenge: Challenge, account: String?)? {
        try await database.read { connection in
            guard
                let challenge = try connection.query("SELECT * FROM challenge WHERE id = :id", ["id": .text(id)]).first
                    .map(Challenge.init)
            else { return nil }
            return (challenge, try AccountStore.find(email: challenge.address, connection)?.id)
        }
    }

    /// The id of the account of a challenge's address, if there is one.
    func account(of challenge: Challenge) async throws -> String? {
        try await database.read { try AccountStore.find(email: challenge.address, $0)?.id }
    }

    /// The challenge while it can be used.
    package func findPending(_ id: String) async throws -> Challenge? {
        let now = clock.now()
        return try await database.read { connection in
            try connection.query(
                "SELECT * FROM challenge WHERE id = :id AND used_at IS NULL AND expires_at > :now",
                ["id": .text(id), "now": .timestamp(now)]
            ).first.map(Challenge.init)
        }
    }

    /// Ends the challenge, in the transaction that signs in. Of any number of concurrent calls exactly one returns true, and
    /// an error on the way leaves the code valid.
    ///
    /// - Parameter guessID: the guess that was counted before it proved right. It no longer counts. Nil where nothing was
    ///   guessed.
    func succeed(_ challenge: Challenge, guessID: String? = nil, _ connection: any SQLConnection) throws -> Bool {
        let now = clock.now()
        let won = try connection.execute(
            """
            UPDATE challenge SET used_at = :now
             WHERE id = :id AND eligible = 1 AND used_at IS NULL AND expires_at > :now AND created_at <= :skewed
            """,
            ["now": .timestamp(now), "id": .text(challenge.id), "skewed": .timestamp(now + ClockSkew.tolerated)])
        guard won == 1 else { return false }
        if let guessID { try connection.execute("DELETE FROM code_guess WHERE id = :id", ["id": .text(guessID)]) }
        return true
    }

    /// Notes that the owner of the mailbox has answered the email correctly. The browser that asked can sign in from now on.
    ///
    /// - Parameter guessID: the guess that was counted before it proved right. It no longer counts.
    /// - Returns: false when the challenge has ended or was answered before.
    func answer(_ challenge: Challenge, guessID: String) async throws -> Bool {
        let now = clock.now()
        return try await database.write { connection in
            // A fifth guess that was right leaves the challenge open: the browser has to sign in with it.
            let won = try connection.execute(
                """
                UPDATE challenge SET answered_at = :now, tries = tries - 1
                 WHERE id = :id AND eligible = 1 AND used_at IS NULL AND answered_at IS NULL AND expires_at > :now
                """, ["now": .timestamp(now), "id": .text(challenge.id)])
            try connection.execute("DELETE FROM code_guess WHERE id = :id", ["id": .text(guessID)])
            return won == 1
        }
    }

    /// Lets a challenge that has expired stay so when the clock is set back. Before the moment that is written here, it is one of
    /// the future (``succeed(_:guessID:_:)``).
    static func endExpired(_ id: String, at now: Timestamp, _ connection: any SQLConnection) throws {
        try connection.execute(
            "UPDATE challenge SET expires_at = created_at - :skew WHERE id = :id AND expires_at <= :now",
            [
                "skew": .integer(Int64(ClockSkew.tolerated / .milliseconds(1))), "id": .text(id),
                "now": .timestamp(now),
            ])
    }

    package func purge(limit: Int) async throws -> Int {
        let now = clock.now()
        return try await database.purge(
            """
            DELETE FROM challenge WHERE id IN (
                SELECT id FROM challenge WHERE expires_at <= :dead LIMIT :limit)
            """, ["dead": .timestamp(now - .hours(1))], limit: limit)
    }
}

/// A request for a code.
struct CodeRequest: Sendable {
    let address: EmailAddress
    /// Who asks, for the budgets of emails and guesses.
    let requester: EmailRequester
    /// The flow that the sign-in is for, if any.
    var flow: String?
    /// What the log calls the flow.
    var logFlow: String?
    /// The name of the client that asks.
    var service: String?
    let device: DeviceKind
    /// ``Places/name(of:)`` of who asks.
    var place: String?
    /// The language of the email.
    let language: Language
}

/// An address for which an email with a code has just been queued, or left out.
package struct AskedAddress: Sendable {
    let address: EmailAddress
    /// The challenge of the code; nil for an address that may not sign in: whatever is queued for it is a decoy.
    let challenge: String?
    let requester: EmailRequester
    let hasAccount: Bool
    /// For one more email.
    let emailID: String
    let now: Timestamp
}
