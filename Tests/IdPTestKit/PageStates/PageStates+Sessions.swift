import SSOShared
import SSOWeb
import Storage

@testable import Counterparts
@testable import TestKit
@testable import WebTestKit

extension PageStates {
    // MARK: Sessions and sign-out at clients

    static let sessions: [PageState] = [
        PageState("sessions", mark: "form[action='/sessions/end'] button") { studio in
            let browser = try await studio.signedIn()
            return try await browser.get(studio.origin + "/sessions")
        },
        PageState("sessions-others", mark: "form[action='/sessions/end-others'] button") { studio in
            let browser = try await studio.signedIn()
            _ = try await studio.deployment.furtherBrowser(of: studio.address)
            return try await browser.get(studio.origin + "/sessions?ended")
        },
        PageState("sessions-remembered", mark: "main .about + .about time") { studio in
            let asking = try await studio.asking()
            try await asking.guess(asking.code, remembering: true)
            return try await asking.browser.get(studio.origin + "/sessions")
        },
        PageState("sessions-receipts", mark: "main h2") { studio in
            let browser = try await studio.signedIn()
            let other = try await studio.deployment.furtherBrowser(of: studio.address)
            try await studio.addReceipts()
            _ = try await other.get(studio.origin + "/")
            return try await browser.get(studio.origin + "/sessions")
        },
        PageState("activity", mark: "main ul li") { studio in
            try await studio.signedIn().get(studio.origin + "/activity")
        },
        PageState("client-sign-out", mark: "input[name=stay]") { studio in
            try await studio.signedIn().get(studio.deployment.signOutPage(of: studio.client))
        },
    ]
}

extension PageStudio {
    /// Ends of sign-ins at clients in every state of a message.
    fileprivate func addReceipts() async throws {
        let now = Timestamp(milliseconds: deployment.clock.now.milliseconds)
        let states: [(client: String, settled: Bool, delivered: Bool, error: String?)] = [
            ("delivered", true, true, nil), ("waiting", false, false, "timed_out"), ("trying", false, false, nil),
            ("given-up", true, false, "timed_out"), ("not-told", true, true, nil),
        ]
        try await deployment.database.write { [address] connection in
            for state in states {
                let session = "ses_\(state.client)-\(address)"
                let values: SQLArguments = [
                    "session": .text(session), "client": .text(state.client), "now": .timestamp(now),
                    "address": .text(address),
                ]
                try connection.execute(
                    """
                    INSERT INTO client_sign_in (session_handle, client_id, kind, told_session, account_id, first_used_at,
                                                last_used_at, ended_at, reason)
                    SELECT :session, :client, 'sso', :session, id, :now, :now, :now, 'signed_out' FROM account
                     WHERE email = :address
                    """, values)
                guard state.client != "not-told" else { continue }
                // Far ahead, so that the sender leaves it alone.
                try connection.execute(
                    """
                    INSERT INTO sign_out_message (id, kind, client_id, account_id, told_session, created_at, tries, next_try_at,
                                                  last_error, settled_at, is_delivered)
                    SELECT :id, 'sso', :client, id, :session, :now, 1, :next, CAST(:error AS TEXT), CAST(:settled AS BIGINT),
                           :delivered
                      FROM account WHERE email = :address
                    """,
                    values.merging([
                        "id": .text("evt_\(session)"), "next": .timestamp(now + .hours(20)),
                        "error": .optional(state.error), "delivered": .integer(state.delivered ? 1 : 0),
                        "settled": .optional(state.settled ? now.milliseconds : nil),
                    ]))
            }
        }
    }
}
