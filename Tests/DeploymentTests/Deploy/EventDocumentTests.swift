import Foundation
import IdPAccountPages
import IdPAccounts
import IdPApps
import IdPClients
import IdPFlow
import IdPMail
import IdPOperations
import IdPProviderSignIn
import IdPProviders
import IdPSignIn
import Logging
import SSOWeb
import Testing

@testable import IdPAuthorization
@testable import IdPGate
@testable import IdPOIDC
@testable import IdPPasskeys
@testable import IdPSSO
@testable import IdPServer
@testable import IdPSignOut
@testable import IdPSigningKeys
@testable import RelyingParty
@testable import TestKit

/// docs/events.md lists every event from the lists of the programs.
///
/// After a change `SSO_TEST_WRITE=1 script/test --filter EventDocumentTests` writes it.
@Suite("The document that lists the events", .deployment)
struct EventDocumentTests {
    /// What a table has one row of.
    private struct Row {
        var names: [String]
        let words: String

        var line: String { "| \(names.joined(separator: ", ")) | \(words) |" }
    }

    /// The causes of these are explained where their feature is.
    private static let elsewhere = ["provider_answer_refused": "providers.md"]

    /// The causes of these are listed: an operator is asked about them.
    private static let listed = ["verify_refused", "mail_not_sent", "reply_ignored"]

    @Test("docs/events.md has each event with what it means, by level, and each cause with what to do")
    func document() throws {
        let file = TestVectors.repository.appending(path: "docs/events.md")
        var page = try String(contentsOf: file, encoding: .utf8)
        try Self.replace(
            "\n## Alarms\n", "\n## Audit events\n", in: &page, with: Self.alarms + Self.others + Self.causes)
        let head = "| events | beside moment, event, actor, account |\n| --- | --- |\n"
        try Self.replace(head, "\n\n- **Actor**", in: &page, with: Self.table(Self.audited))
        try WrittenDocument.expect(file, page)
    }

    private static func replace(_ start: String, _ end: String, in page: inout String, with text: String) throws {
        let first = try #require(page.range(of: start)?.upperBound, "\(start)")
        let last = try #require(page.range(of: end, range: first..<page.endIndex)?.lowerBound, "\(end)")
        page.replaceSubrange(first..<last, with: text)
    }

    /// The lists by what they are about.
    private static let lists: [(about: String, kinds: [EventKind])] = [
        ("a sign-in", FlowEvents.all + AuthorizationEvents.all + SignInEvents.all + PasskeyEvents.all),
        ("email", MailEvents.all),
        ("a provider", ProviderSignInEvents.all + ProviderEvents.all),
        ("a client", SSOEvents.all + OIDCEvents.all + SigningKeyEvents.all + GateEvents.all + ClientEvents.all),
        ("an account and its sessions", AccountEvents.all + SignOutEvents.all + AccountPageEvents.all),
        ("an app", AppEvents.all),
        ("those who run it", OperationsEvents.all + ProgramEvents.all),
        ("the program", WebEvents.all + StorageEvents.all),
        ("the relying party", RelyingPartyEvents.all),
    ]
    private static var kinds: [EventKind] { lists.flatMap(\.kinds) }

    // MARK: The log

    private static var alarms: String {
        """

        [What to alert on, and when](operations.md#watch-it). "Storage" means: look at `cause` and `/readyz`.
        [providers.md](providers.md#what-goes-wrong) explains each `reason` of a provider.

        | level error | meaning, what to do |
        | --- | --- |
        \(table(alarms { $0 >= .error }))

        | level warning | meaning, what to do |
        | --- | --- |
        \(table(alarms { $0 == .warning }))

        """
    }

    /// The events of a level, and of other levels those causes that have it.
    private static func alarms(_ isMeant: (Logger.Level) -> Bool) -> [Row] {
        kinds.flatMap { kind -> [Row] in
            if let level = kind.level, isMeant(level) { return [Row(names: ["`\(kind.id)`"], words: kind.help)] }
            guard elsewhere[kind.id] == nil else { return [] }
            return kind.causes.filter { $0.level.map(isMeant) ?? false }.map {
                Row(names: ["`\(kind.id)` with `\(kind.causeField)=\($0.id)`"], words: $0.remedy)
            }
        }
    }

    private static var others: String {
        let notices = kinds.filter { $0.level == .notice }.map { Row(names: ["`\($0.id)`"], words: $0.help) }
        let quiet = lists.map { list in
            let ids = list.kinds.filter { $0.level.map { $0 < .notice } ?? false }.map { "`\($0.id)`" }
            return "| \(list.about) | \(ids.joined(separator: ", ")) |"
        }
        return """

            ## Other events

            | level notice | meaning, what to do |
            | --- | --- |
            \(table(notices))

            | of | level info: nothing to do |
            | --- | --- |
            \(quiet.filter { !$0.hasSuffix("|  |") }.joined(separator: "\n"))

            """
    }

    private static var causes: String {
        kinds.filter { listed.contains($0.id) }.map { kind in
            """

            ### \(kind.id)

            | `\(kind.causeField)` | meaning, what to do |
            | --- | --- |
            \(table(kind.causes.map { Row(names: ["`\($0.id)`"], words: $0.remedy) }))

            """
        }.joined()
    }

    // MARK: The audit log

    private static var audited: [Row] {
        kinds.compactMap { kind in
            switch kind.recording {
            case .line: nil
            case .row(let words), .refusal(let words): Row(names: ["`\(kind.id)`"], words: words)
            }
        }
    }

    /// The rows, with those of equal words in one.
    private static func table(_ rows: [Row]) -> String {
        var merged: [Row] = []
        for row in rows {
            if let same = merged.firstIndex(where: { $0.words == row.words }) {
                if !merged[same].names.contains(row.names[0]) { merged[same].names += row.names }
            } else {
                merged.append(row)
            }
        }
        return merged.map(\.line).joined(separator: "\n")
    }

    @Test("every event of the programs is in one of its lists")
    func all() {
        #expect(Set(Self.kinds.map(\.id)) == Set((IdPEvents.all + RelyingPartyEvents.all).map(\.id)))
    }

    @Test("each cause that is explained elsewhere is there")
    func causesElsewhere() throws {
        for kind in Self.kinds {
            guard let page = Self.elsewhere[kind.id] else { continue }
            let text = try String(
                contentsOf: TestVectors.repository.appending(path: "docs/\(page)"), encoding: .utf8)
            for cause in kind.causes {
                #expect(text.contains("`\(cause.id)`"), "\(kind.id) \(cause.id) in docs/\(page)")
            }
        }
    }
}
