import Foundation
import Testing

@testable import IdPTestKit
@testable import TestKit

@Suite("The commands about sessions and sign-out beside a running IdP", .deployment)
struct SignOutCommandTests {
    @Test("sessions are listed and ended, everybody is signed out, and the messages are listed and tried again")
    func changes() async throws {
        try await ProcessDeployment.running(try ProcessDeployment()) { pair in
            let browser = Browser()
            _ = try await browser.signIn(at: pair.client, of: pair, as: "ann@example.com")
            let token = try await browser.token(for: pair.client, of: pair)
            #expect(try await pair.verify(token, as: pair.client).status == 200)

            let list = try await pair.idp(["user", "sessions", "Ann@example.com", "--json"]).printed
            let all = try JSONSerialization.jsonObject(with: Data(list.utf8)) as? [[String: Any]]
            let session = try #require(all?.first)
            #expect(all?.count == 1)
            #expect(
                session.keys.sorted() == ["clients", "created_at", "device", "id", "kind", "last_used_at", "network"])
            #expect(session["kind"] as? String == "browser" && session["network"] as? String == "127.0.0.0/24")
            let clients = session["clients"] as? [[String: String]]
            #expect(clients?.map { $0["id"] } == [pair.client.id])
            let id = try #require(session["id"] as? String)
            let text = try await pair.idp(["user", "sessions", "ann@example.com"]).printed
            #expect(text.hasPrefix("SESSION ") && text.contains("\(id)  browser  "))

            let ended = try await pair.idp(["user", "end-session", "ann@example.com", id, "--json"]).printed
            #expect(ended.hasPrefix(#"{"changed":true,"address":"ann@example.com","#))
            #expect(try await !browser.isSignedIn(at: pair))
            let again = try await pair.idp(["user", "end-session", "ann@example.com", id], endsWith: 1)
            #expect(
                again.log.contains("ann@example.com has no session \(id). idp user sessions ann@example.com has all."))
            let none = try await pair.idp(["user", "sessions", "ann@example.com"])
            #expect(none.printed.hasPrefix("SESSION ") && none.log == "idp: no sessions.\n")
            let shown = try await pair.idp(["user", "show", "ann@example.com"]).printed
            #expect(
                shown.contains("CLIENT ") && shown.contains("SIGNED OUT") && shown.contains("signed_out"), "\(shown)")

            _ = try await browser.signIn(at: pair.client, of: pair, as: "ann@example.com")
            for (isChanged, count) in [(true, 1), (false, 0)] {
                let everybody = try await pair.idp(["user", "sign-out", "--all", "--json"]).printed
                #expect(
                    everybody == #"{"changed":\#(isChanged),"accounts":\#(count),"messages":0,"messages_left_out":0}"#
                        + "\n")
            }
            let nobody = try await pair.idp(["user", "sign-out", "ann@example.com"]).printed
            #expect(nobody.hasSuffix(" was signed in nowhere.\n"), "\(nobody)")
            // The client has no logout_uri, so its message leaves the queue.
            try await eventually("the queue is empty") {
                try await pair.idp(["sign-outs", "list", "--json"]).printed == "[]\n" ? () : nil
            }
            #expect(
                try await pair.idp(["sign-outs", "list"]).printed
                    == "MESSAGE  CLIENT  ACCOUNT  SESSION  STATE  TRIES  NEXT TRY  DELIVERED  CAUSE\n")
            #expect(
                try await pair.idp(["sign-outs", "retry", "--all", "--json"]).printed
                    == #"{"changed":false,"messages":0}"# + "\n")
            #expect(try await pair.idp(["sign-outs", "retry", "--all"]).printed == "Nothing to try again.\n")
        }
    }

    @Test("wrong input changes nothing and names the argument, the rule and an example")
    func wrong() async throws {
        try await ProcessDeployment.running(try ProcessDeployment()) { pair in
            let cases: [(arguments: [String], code: Int32, words: String)] = [
                (
                    ["user", "sessions", "nobody@example.com"], 1,
                    "there is no account with the address nobody@example.com"
                ),
                (["user", "sessions", "nobody"], 64, "\"nobody\" is not an email address"),
                (["user", "end-session", "nobody@example.com", "ses_x"], 1, "there is no account with the address"),
                (["user", "end-session", "ann@example.com", "x"], 64, "It begins with ses_ or dev_"),
                (["user", "sign-out"], 64, "Give an address, for example ann@example.com, or --all"),
                (["user", "sign-out", "ann@example.com", "--all"], 64, "not both"),
                (["sign-outs", "list", "--limit", "0"], 64, "from 1 to 10000, for example 100"),
                (["sign-outs", "retry"], 64, "Give one of a message, for example evt_"),
                (["sign-outs", "retry", "evt_x", "--all"], 64, "Give one of a message"),
                (["sign-outs", "retry", "x"], 64, "It begins with evt_"),
                (["sign-outs", "retry", "evt_x"], 1, "there is no message evt_x"),
                (["sign-outs", "retry", "--client", "No Client"], 64, "for example wiki"),
            ]
            for (arguments, code, words) in cases {
                let program = try await pair.idp(arguments, endsWith: code)
                #expect(program.log.contains(words), "\(arguments) \(program.log)")
            }
        }
    }
}
