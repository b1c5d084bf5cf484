import SSOShared
import SSOWeb
import Testing

@testable import IdP

/// ASVS 8.3.2: what is taken from an account is gone with its next request.
@Suite("Who may sign in, asked at every use")
struct EligibilityTests {
    /// The IdP of `house`, started anew on the same database with another `IDP_ALLOWED_EMAILS`.
    private static func restarted(
        _ house: House, allowing allowed: String, _ body: (_ port: UInt16) async throws -> Void
    ) async throws {
        let file = house.folder.path(of: "clients.yaml")
        let settings = try House.readIdPSettings([
            "IDP_PUBLIC_URL": house.origin, "IDP_LISTEN": "127.0.0.1:0", "IDP_SECRET_KEY": key,
            "IDP_MAIL_URL": "outbox:\(house.letters.folder)", "IDP_MAIL_FROM": "Main App <sign-in@main.example>",
            "IDP_ALLOWED_EMAILS": allowed, "IDP_CLIENTS_FILE": file,
        ])
        let services = IdPServices(
            database: house.database, mailer: OutboxMailer(folder: house.letters.folder), clock: house.clock.clock,
            randomness: SystemRandomness(), logger: house.log.logger("idp"),
            devPages: try DevPages(randomness: SystemRandomness()))
        try await serving({ try buildIdP(settings: settings, services: services, started: $0) }, body)
    }

    private static let key = ProgramPair.secret()

    private static func verify(_ token: String, at port: UInt16, _ house: House) async throws -> ProbeReply {
        let body = VerifyRequest(token: token, redirectURI: nil, codeVerifier: nil).body()
        return try await HTTPProbe(port: port, authority: "localhost:4000").post(
            SSOPath.verify, try house.signed(body, by: house.partner), body: body)
    }

    @Test("an address taken out of the setting is signed out everywhere at once; the others are not")
    func takenOut() async throws {
        try await House.open(settings: ["IDP_SECRET_KEY": Self.key]) { house in
            let (ann, bob) = (try await house.signedIn(), try await house.signedIn(as: "bob@example.com"))
            try await Self.restarted(house, allowing: "bob@example.com") { port in
                let routes = [house.origin: port]
                let (after, other) = (ann.twin(routes: routes), bob.twin(routes: routes))
                #expect(try await !after.isKnownAtHome(of: house))
                #expect(try await after.get(house.authorize(house.partner, state: "s")).status == 303)
                #expect(try await after.get(house.origin + "/sign-in").status == 200)
                let form = try await after.get(house.origin + "/")
                #expect(!form.text.contains("ann@example.com"))
                #expect(try await other.isKnownAtHome(of: house))
                #expect(try await other.get(house.authorize(house.partner, state: "s")).status == 200)
            }
            // The session itself is whole: put back into the setting, the address is known again.
            #expect(try await ann.isKnownAtHome(of: house))
        }
    }

    @Test("its token is refused like an unknown one, and stays void when the address is allowed again")
    func token() async throws {
        try await House.open(settings: ["IDP_SECRET_KEY": Self.key]) { house in
            let token = try await house.signedIn().token(for: house.partner, of: house)
            let bobs = try await house.signedIn(as: "bob@example.com").token(for: house.partner, of: house)
            try await Self.restarted(house, allowing: "bob@example.com") { port in
                let unknown = try await Self.verify("sst_" + String(repeating: "A", count: 43), at: port, house)
                #expect(unknown.status == 401)
                #expect(try await Self.verify(token, at: port, house).shape == unknown.shape)
                #expect(try await Self.verify(bobs, at: port, house).status == 200)
            }
            #expect(house.log.contains("account may not sign in"))
            #expect(try await house.rows(of: "sso_token", where: "voided_at IS NOT NULL") == 1)
            #expect(try await house.verify(token, as: house.partner).error == "invalid_token")
        }
    }

    @Test("a code that was sent before opens nothing after, and makes no account")
    func code() async throws {
        try await House.open(settings: ["IDP_SECRET_KEY": Self.key]) { house in
            let asking = try await house.asking()
            try await Self.restarted(house, allowing: "bob@example.com") { port in
                let visitor = asking.visitor.twin(routes: [house.origin: port])
                let late = Asking(visitor: visitor, waiting: asking.waiting, code: asking.code)
                let answer = try await late.guess(late.code)
                #expect(answer.status == 403)
                #expect(try await !visitor.isKnownAtHome(of: house))
            }
            #expect(try await house.rows(of: "account") == 0)
            // Nothing was used up either.
            #expect(try await asking.guess(asking.code).status == 303)
        }
    }

    @Test("an account alone opens nothing: an address outside the setting gets no email, account or not")
    func noEmail() async throws {
        try await House.open(settings: ["IDP_SECRET_KEY": Self.key]) { house in
            _ = try await house.signedIn()
            house.clock.advance(by: .days(2))
            let before = try await house.lettersQueued()
            try await Self.restarted(house, allowing: "bob@example.com") { port in
                let visitor = Visitor(routes: [house.origin: port])
                let waiting = try await house.waiting(for: "ann@example.com", by: visitor)
                #expect(waiting.status == 200)
            }
            #expect(try await house.lettersQueued() <= before)
        }
    }

    @Test("disabling and signing out hold from the next request, and enabling revives nothing")
    func administration() async throws {
        try await House.open { house in
            let administration = AccountAdministration(database: house.database)
            for change in [AccountAdministration.Change.disable, .signOut] {
                let address = change == .disable ? "ann@example.com" : "bob@example.com"
                let visitor = try await house.signedIn(as: address)
                let token = try await visitor.token(for: house.partner, of: house, state: "token")
                let bystander = try await house.signedIn(as: "eve@example.com")
                #expect(try await administration.apply(change, to: address.uppercased())?.email == address)
                #expect(try await !visitor.isKnownAtHome(of: house))
                #expect(try await house.verify(token, as: house.partner).error == "invalid_token")
                #expect(try await bystander.isKnownAtHome(of: house))
                _ = try await administration.apply(.enable, to: address)
                #expect(try await !visitor.isKnownAtHome(of: house))
                #expect(try await house.verify(token, as: house.partner).error == "invalid_token")
                house.clock.advance(by: .hours(1))
                let again = try await house.signedIn(as: address)
                #expect(try await again.isKnownAtHome(of: house))
                let fresh = try await again.token(for: house.partner, of: house, state: "fresh")
                #expect(try await house.verify(fresh, as: house.partner).status == 200)
                house.clock.advance(by: .hours(1))
            }
        }
    }

    @Test("a session from before there was such a number goes on, until its account is signed out")
    func oldSession() async throws {
        try await House.open { house in
            let visitor = try await house.signedIn()
            try await house.execute("UPDATE session SET slots = REPLACE(slots, ',\"signOuts\":0', '')")
            try await house.execute("UPDATE session SET slots = REPLACE(slots, '\"signOuts\":0,', '')")
            #expect(try await house.count("SELECT COUNT(*) FROM session WHERE slots LIKE '%signOuts%'") == 0)
            #expect(try await visitor.isKnownAtHome(of: house))
            _ = try await AccountAdministration(database: house.database).apply(.signOut, to: "ann@example.com")
            #expect(try await !visitor.isKnownAtHome(of: house))
        }
    }

    @Test("where no account has the address nothing is done, and that is said")
    func unknown() async throws {
        try await House.open { house in
            let administration = AccountAdministration(database: house.database)
            let account = try await administration.apply(.disable, to: "nobody@example.com")
            #expect(account == nil)
            #expect(try await administration.all().isEmpty)
        }
    }
}
