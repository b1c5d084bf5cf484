import Dispatch
import Glibc
import Testing

@testable import Counterparts
@testable import IdPTestKit
@testable import TestKit

extension Journeys.Operators {
    @Suite("An email in delivery when the IdP stops", .journey)
    struct MailAtShutdown {
        @Test("is delivered, and not sent again after the next start", .timeLimit(.minutes(2)))
        func finished() async throws {
            let (gate, server, pair) = try await Self.stopping()
            let probe = HTTPProbe(port: pair.idp.port)
            try await eventually("the IdP is stopping") { (try? probe.connect()) == nil ? () : nil }
            gate.signal()
            #expect(try await pair.idp.waitForExit() == .code(0))
            #expect(pair.idp.log.contains("mail_sent"), "\(pair.idp.log)")
            try await pair.idp.start()
            // A later email has arrived, so the queue has been processed.
            gate.signal()
            let browser = Browser()
            _ = try await browser.ask(for: "ben@example.com", on: browser.beginSignIn(at: pair.client))
            try await server.received("RCPT TO:<ben@example.com>")
            #expect(server.lines.filter { $0 == "RCPT TO:<ann@example.com>" }.count == 1)
            try await pair.stop()
        }

        /// libcurl does not call back while it waits for the answer to the whole email, up to two minutes.
        @Test("delays the stop by at most the drain time when its server no longer answers")
        func silent() async throws {
            let (gate, _, pair) = try await Self.stopping()
            #expect(try await pair.idp.waitForExit() == .code(0))
            gate.signal()
            try await pair.client.process.terminate()
        }

        /// A deployment whose IdP was told to stop during a delivery: the server has the whole email, and confirms it
        /// at the gate.
        private static func stopping() async throws -> (DispatchSemaphore, ScriptedSMTPServer, ProcessDeployment) {
            let gate = DispatchSemaphore(value: 0)
            let server = try ScriptedSMTPServer(gate: gate)
            let pair = try ProcessDeployment(settings: ["IDP_MAIL_URL": server.url])
            try await pair.start()
            let browser = Browser()
            _ = try await browser.ask(for: "ann@example.com", on: browser.beginSignIn(at: pair.client))
            try await server.received(".")
            pair.idp.send(SIGTERM)
            return (gate, server, pair)
        }
    }
}
