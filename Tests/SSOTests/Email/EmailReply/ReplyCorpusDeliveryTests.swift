import ProbeKit
import SSOShared
import Testing

@testable import Counterparts
@testable import IdPInboundMail
@testable import IdPMail
@testable import IdPSignIn
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("The corpus of replies at a running IdP", .program, .alsoOnPostgres)
struct ReplyCorpusDeliveryTests {
    private static func corpus(_ pending: PendingReply) -> ReplyCorpus {
        ReplyCorpus(
            recipient: pending.recipient, address: pending.address, number: pending.number,
            authservID: ReplySettings.authservID)
    }

    @Test("of the hostile messages to a pending sign-in none is accepted, and the log has the reason of each")
    func hostile() async throws {
        try await TestDeployment.receivingReplies { deployment in
            let pending = try await deployment.awaitingReply(by: deployment.browser())
            var expected: [String] = []
            // HTTP has no envelope, and refuses a body that is too large before it is a message.
            for sample in Self.corpus(pending).hostile where sample.envelope == nil {
                let reply = try await deployment.post(sample.message)
                guard sample.message.count <= InboundMailLimits.messageBytes else {
                    #expect(reply.status == 413, "\(sample)")
                    continue
                }
                let reason =
                    switch sample.expectation {
                    case .rejected(let rejection): rejection.rawValue
                    case .otherSender: ReplyReceiver.ProofError.otherSender.rawValue
                    case .otherNumber: ReplyReceiver.ProofError.wrongNumber.rawValue
                    case .accepted: "none of the hostile ones is accepted"
                    }
                expected.append(reason)
                let given = try JSONDecoding.value(reply.body)["reason"]?.text
                #expect(given == reason, "\(sample)")
            }
            #expect(expected.count >= 60)
            let logged = deployment.log.text.matches(of: #/reply_ignored .*?"reason": ([a-z0-9_]+)/#).map {
                String($0.1)
            }
            #expect(logged == expected)
            #expect(try await deployment.stored.challenges.answered.count() == 0)
            #expect(try await pending.proceed().location().path == "/sign-in/code")
            // The sign-in is not harmed by any of them.
            #expect(try await deployment.deliver(pending.message()) == "accepted")
        }
    }

    @Test("honest messages of every mail program in the corpus are accepted")
    func honest() async throws {
        try await TestDeployment.receivingReplies(settings: ["IDP_LIMIT_EMAIL_POSTS": "1000"]) { deployment in
            let all = Self.corpus(try await deployment.awaitingReply(by: deployment.browser())).honest
            let indices = all.indices.filter { all[$0].envelope == nil }
            #expect(indices.count >= 20)
            // Each sign-in waits for its email: eight at once.
            try await withThrowingTaskGroup(of: Void.self) { lanes in
                for lane in 0..<8 {
                    lanes.addTask {
                        for index in indices where index % 8 == lane { try await Self.deliver(index, deployment) }
                    }
                }
                try await lanes.waitForAll()
            }
        }
    }

    private static func deliver(_ index: Int, _ deployment: TestDeployment) async throws {
        let pending = try await deployment.awaitingReply("user\(index)@example.com", by: deployment.browser())
        let sample = corpus(pending).honest[index]
        let reply = try await deployment.post(sample.message)
        #expect(try JSONDecoding.value(reply.body)["result"]?.text == "accepted", "\(sample) \(reply.text)")
    }
}
