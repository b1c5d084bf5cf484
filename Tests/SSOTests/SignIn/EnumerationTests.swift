import ProbeKit
import SQLiteStorage
import Storage
import Testing

@testable import IdPAccounts
@testable import IdPMail
@testable import IdPSchema
@testable import IdPSignIn
@testable import IdPTestKit
@testable import SSOShared
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

/// ASVS 6.3.8, WSTG-IDNT-04.
@Suite("The sign-in does not reveal who may sign in", .program)
struct EnumerationTests {
    /// All of the same length, so that the lengths of the answers can be compared as well.
    private static let addresses = (
        known: "known@example.com", fresh: "fresh@example.com", disabled: "fired@example.com",
        stray: "stray@nowhere.org"
    )

    @Test(
        "every step answers the same, byte for byte, for an address that may sign in, a disabled one and an unknown one"
    )
    func sameAnswers() async throws {
        try await TestDeployment.open { deployment in
            for address in [Self.addresses.known, Self.addresses.disabled] {
                let asking = try await deployment.asking(address)
                #expect(try await asking.guess(asking.code).status == 303)
            }
            try await deployment.stored.accounts.of(Self.addresses.disabled).disable()
            deployment.clock.advance(by: .days(2))
            let known = try await Self.answers(to: Self.addresses.known, deployment)
            #expect(try await Self.answers(to: Self.addresses.stray, deployment) == known)
            #expect(try await Self.answers(to: Self.addresses.disabled, deployment) == known)
            #expect(try await Self.answers(to: Self.addresses.fresh, deployment) == known)
            #expect(known.contains { $0.hasPrefix("429") }, "the comparison includes the pause")

            #expect(try await deployment.emailsQueued(to: Self.addresses.stray) == 0)
            // The previous one was disabled, unless the purge has run.
            #expect(try await deployment.emailsQueued(to: Self.addresses.disabled) <= 1)
            #expect(try await deployment.emailsQueued(to: Self.addresses.known) >= 1)
        }
    }

    /// The address, the same again, five wrong codes, a new code, and so on until the account is paused.
    private static func answers(to address: String, _ deployment: TestDeployment) async throws -> [String] {
        let browser = deployment.browser()
        var answers: [String] = []
        var waiting = try await browser.get(deployment.origin + "/sign-in")
        func note(_ visit: Visit) throws {
            answers.append(try plain(visit, address))
        }
        for _ in 0..<5 {
            // Each code's email is sent immediately: only guesses at sent codes count.
            try await deployment.forgetEmails(to: address)
            for _ in 0..<2 {
                let form = try waiting.page().form(with: "email")
                let sent = try await browser.submit(form, on: waiting, ["email": address])
                try note(sent)
                waiting = try await browser.follow(sent)
                try note(waiting)
            }
            guard let form = try waiting.page().form(with: "code") else { break }
            for typed in ["12", "000000", "000000", "000000", "000000", "000000", "000000"] {
                try note(try await browser.submit(form, on: waiting, ["code": typed]))
            }
        }
        return answers
    }

    /// Status, headers and body without random and typed values.
    private static func plain(_ visit: Visit, _ address: String) throws -> String {
        let headers = visit.reply.headers.filter { $0.name.lowercased() != "date" }.map { header in
            let value = header.value.split(separator: ";").enumerated().map { index, part in
                index == 0 && header.name.lowercased() == "set-cookie"
                    ? "\(part.prefix { $0 != "=" }) of \(part.utf8.count)" : String(part)
            }
            return "\(header.name): \(value.joined(separator: ";"))"
        }
        let body =
            try visit.status == 303
            ? ""
            : visit.page().forms.reduce(visit.text) { text, form in
                form["form_token"].map { text.replacing($0, with: "TOKEN") } ?? text
            }
        return ([String(visit.status)] + headers + [body.replacing(address, with: "ADDRESS")]).joined(separator: "\n")
    }

    /// An attacker who requests an email and measures how long the next write waits would see the queue's commits.
    @Test("after the answer the queue does the same for an address that gets no email: taken once, marked once")
    func sameQueue() async throws {
        try await TestDeployment.open { deployment in
            for address in [Self.addresses.known, Self.addresses.stray] {
                _ = try await deployment.waiting(for: address, by: deployment.browser())
                try await eventually("the email to \(address) is done") {
                    try await deployment.stored.emails.to(address).sent.tried(1).count() == 1 ? () : nil
                }
            }
            #expect(deployment.mailbox.all(to: Self.addresses.known).count == 1)
            #expect(deployment.mailbox.all(to: Self.addresses.stray).isEmpty)
        }
    }

    @Test("while the mail server refuses emails, a decoy is retried like the others")
    func sameRetries() async throws {
        try await TestDeployment.open { deployment in
            try deployment.mailbox.block()
            for address in [Self.addresses.known, Self.addresses.stray] {
                _ = try await deployment.waiting(for: address, by: deployment.browser())
                try await eventually("the email to \(address) was tried and returned") {
                    let returned = deployment.stored.emails.to(address).unsent.tried(1).putOff(by: .seconds(2))
                    return try await returned.count() == 1 ? () : nil
                }
            }
        }
    }

    @Test("a round of the queue is one transaction, whatever the results of the previous emails")
    func oneTransactionPerRound() async throws {
        let folder = try TemporaryFolder()
        let database = RecordingDatabase(
            try await SQLiteDatabase(path: folder.path(of: "idp.sqlite"), migrations: IdPMigrations.all))
        let clock = TestClock()
        let queue = MailQueue(
            database: database, clock: clock.clock, capacity: MailCapacity(limit: 1000))
        let outcomes: [[DeliveryResult.Outcome]] = [[], [.sent(clock.now)], [.sent(clock.now), .postponed(clock.now)]]
        for outcome in outcomes {
            _ = try await queue.exchange(outcome.map { DeliveryResult(id: "a", outcome: $0) }, forNext: 4, decoys: 4)
        }
        #expect(database.transactions == outcomes.count)
        await database.close()
    }

    @Test("the same statements run in the same order for every address, so that response times reveal nothing")
    func sameStatements() async throws {
        let folder = try TemporaryFolder()
        let real = try await SQLiteDatabase(path: folder.path(of: "idp.sqlite"), migrations: IdPMigrations.all)
        try await real.stored.accounts.add(
            AddedAccount("usr_1", Self.addresses.known, name: "known"),
            AddedAccount("usr_2", Self.addresses.disabled, name: "fired", isDisabled: true))
        let database = RecordingDatabase(real)
        let clock = TestClock()
        let keys = try DerivedKeys.parse(TestSecret.new(), setting: "IDP_SECRET_KEY")
        let codes = EmailCode(keys: keys)
        let mail = MailQueue(database: database, clock: clock.clock, capacity: MailCapacity(limit: 1000))
        let store = ChallengeStore(
            database: database, clock: clock.clock, randomness: SystemRandomness(),
            codeMAC: { codes.mac(of: codes.code(for: $0), challenge: $0) }, mailKind: EmailCodeMail.kind,
            eligibility: SignInEligibility(allowed: try AllowedEmails("*@example.com"), clock: clock.clock),
            mail: mail, besides: { try BrowserLinkMail.enqueue($0, in: mail, $1) })
        let requester = EmailRequester(browserID: nil, network: [1])
        var seen: [[String]] = []
        let all = [Self.addresses.known, Self.addresses.fresh, Self.addresses.disabled, Self.addresses.stray]
        for address in all {
            let request = CodeRequest(
                address: try EmailAddress(address), requester: requester, device: .mac, language: .english)
            let held = try await database.write { try store.begin(request, held: nil, $0) }
            let again = try await database.write { try store.begin(request, held: held.entry, $0) }
            #expect(again.entry.id == held.entry.id && again.entry.emailAt == held.entry.emailAt)
            #expect(held.entry.emailAt == clock.now)
            // From the third email of a day on there is one more, with the link for a browser.
            for _ in 0..<3 {
                clock.advance(by: .seconds(61))
                _ = try await database.write { try store.begin(request, held: nil, $0) }
            }
            seen.append(database.takeStatements())
        }
        #expect(seen[0].count { $0.hasPrefix("INSERT") } == 4 + 3 + 1, "four challenges, three emails, a link")
        for other in seen.dropFirst() { #expect(other == seen[0]) }
        await real.close()
    }
}
