import Testing

@testable import Counterparts
@testable import IdPInboundMail
@testable import SSOShared
@testable import TestKit

@Suite("Replies by email: the corpus", .rules)
struct ReplyCorpusTests {
    private static let corpus = ReplyCorpus()

    private static func outcome(
        _ message: [UInt8], _ corpus: ReplyCorpus, envelope: String? = nil
    ) -> ReplySample.Expectation {
        let reader = InboundMailReader(domain: corpus.replyDomain, authservID: corpus.authservID)
        do {
            let reply = try reader.read(message, recipient: envelope)
            guard ReplyAddress.text(key: reply.key, domain: corpus.replyDomain) == corpus.recipient else {
                return .rejected(.noRecipient)
            }
            guard reply.sender.text == corpus.address else { return .otherSender(reply.sender.text) }
            return reply.number == corpus.number ? .accepted : .otherNumber(reply.number)
        } catch {
            return .rejected(error)
        }
    }

    @Test("no hostile message proves the mailbox, and each has the expected reason", arguments: corpus.hostile)
    func hostile(sample: ReplySample) {
        #expect(sample.expectation != .accepted)
        #expect(Self.outcome(sample.message, Self.corpus, envelope: sample.envelope) == sample.expectation)
    }

    @Test("every honest message is read: recipient, sender and number", arguments: corpus.honest)
    func honest(sample: ReplySample) {
        #expect(sample.expectation == .accepted)
        #expect(Self.outcome(sample.message, Self.corpus, envelope: sample.envelope) == .accepted)
    }

    @Test("the corpus has 300 hostile and 40 honest messages with names of their own, and every reason occurs")
    func size() {
        let samples = Self.corpus.hostile + Self.corpus.honest
        #expect(Self.corpus.hostile.count >= 300)
        #expect(Self.corpus.honest.count >= 40)
        #expect(Set(samples.map(\.name)).count == samples.count)
        for reason in ReplyMessageError.allCases {
            #expect(samples.contains { $0.expectation == .rejected(reason) }, "\(reason)")
        }
    }

    @Test("another key, address, number and authserv-id make no difference")
    func otherChallenge() {
        let corpus = ReplyCorpus(
            recipient: ReplyAddress.text(key: Array(repeating: 0xff, count: 32), domain: "r.idp.test"),
            address: "x.y+z@sub.corp.example", number: "0042", authservID: "Inbound.idp.test")
        for sample in corpus.hostile + corpus.honest {
            let outcome = Self.outcome(sample.message, corpus, envelope: sample.envelope)
            #expect(outcome == sample.expectation, "\(sample)")
        }
    }

    @Test("lines that end in LF, as a pipe transport passes them on, make no difference")
    func lineFeeds() {
        for sample in Self.corpus.hostile + Self.corpus.honest
        where sample.expectation != .rejected(.lineEnds) && sample.expectation != .rejected(.tooLarge) {
            let message = sample.message.filter { $0 != 0x0d }
            let outcome = Self.outcome(message, Self.corpus, envelope: sample.envelope)
            #expect(outcome == sample.expectation, "\(sample)")
        }
    }

    @Test("without its Authentication-Results no honest message is accepted")
    func authenticationDecides() {
        for sample in Self.corpus.honest {
            let needle = Array("\nAuthentication-Results: ".utf8)
            var message = [0x0a] + sample.message
            while let place = message.indices.first(where: { message[$0...].starts(with: needle) }) {
                message[place + 1] = UInt8(ascii: "X")
            }
            let outcome = Self.outcome(Array(message.dropFirst()), Self.corpus, envelope: sample.envelope)
            #expect(outcome == .rejected(.noAuthentication), "\(sample)")
        }
    }

    @Test("a message to one challenge is none to another")
    func oneRecipient() throws {
        let reader = InboundMailReader(domain: Self.corpus.replyDomain, authservID: Self.corpus.authservID)
        var other = Self.corpus
        other.recipient = other.otherRecipient
        let first = try reader.read(ReplyDraft(Self.corpus).bytes, recipient: nil)
        let second = try reader.read(ReplyDraft(other).bytes, recipient: nil)
        #expect(first.key != second.key)
        #expect(first.key.count == 32)
    }

    @Test("the reasons have stable texts")
    func stableTexts() {
        #expect(
            ReplyMessageError.allCases.map(\.rawValue) == [
                "too_large", "nul_byte", "line_ends", "header_malformed", "header_field_too_long", "header_too_long",
                "too_many_header_fields", "header_not_utf8", "header_repeated", "no_recipient", "several_recipients",
                "no_from", "several_from", "from_list", "from_group", "from_comment", "from_malformed",
                "no_authentication", "other_authserv_id", "authentication_malformed", "not_authenticated",
                "not_aligned", "signature_incomplete", "auto_submitted", "precedence", "auto_reply", "mailing_list",
                "null_return_path", "report", "no_message_id", "mime_malformed", "too_deep", "too_many_parts",
                "no_text", "transfer_encoding", "charset", "no_number", "several_numbers",
            ])
    }
}
