import Testing

@testable import Counterparts
@testable import IdPInboundMail
@testable import TestKit

@Suite("Replies by email: limits and order of checks", .rules)
struct InboundMailLimitsTests {
    private let corpus = ReplyCorpus()

    /// nil if the message is accepted.
    private func rejection(_ change: (inout ReplyDraft) -> Void) -> ReplyMessageError? {
        var draft = ReplyDraft(corpus)
        change(&draft)
        return rejection(draft.bytes)
    }

    private func rejection(_ bytes: [UInt8]) -> ReplyMessageError? {
        let reader = InboundMailReader(domain: corpus.replyDomain, authservID: corpus.authservID)
        do {
            _ = try reader.read(bytes, recipient: nil)
            return nil
        } catch {
            return error
        }
    }

    @Test("256 KiB is the exact limit of a message")
    func size() {
        let bytes = ReplyDraft(corpus).bytes
        let space = InboundMailLimits.messageBytes - bytes.count
        #expect(InboundMailLimits.messageBytes == 262_144)
        #expect(rejection(bytes + Array(repeating: UInt8(ascii: "x"), count: space)) == nil)
        #expect(rejection(bytes + Array(repeating: UInt8(ascii: "x"), count: space + 1)) == .tooLarge)
    }

    @Test("300 header fields, 16 KiB in one and 64 KiB in all are the exact limits")
    func header() {
        let fields = InboundMailLimits.fields - 11
        #expect(rejection { $0.lines += (0..<fields).map { "X-\($0): a" } } == nil)
        #expect(rejection { $0.lines += (0..<(fields + 1)).map { "X-\($0): a" } } == .tooManyHeaderFields)
        let longest = String(repeating: "x", count: InboundMailLimits.fieldBytes)
        #expect(rejection { $0.lines.append("X-Long:\(longest)") } == nil)
        #expect(rejection { $0.lines.append("X-Long:x\(longest)") } == .headerFieldTooLong)
        #expect(rejection { $0.lines += Array(repeating: "X-Long:\(longest)", count: 4) } == .headerTooLong)
    }

    @Test("five multiparts within each other and 100 parts are the exact limits")
    func parts() {
        func nested(_ depth: Int) -> [String] {
            var lines = ["", corpus.number]
            for level in (1...depth).reversed() {
                let parts = ReplyCorpus.multipart([lines], boundary: "b\(level)")
                lines = ["Content-Type: multipart/mixed; boundary=b\(level)", ""] + parts
            }
            return lines
        }
        func message(_ depth: Int) -> ReplyMessageError? {
            rejection { $0.multipart("mixed", [nested(depth - 1)]) }
        }
        #expect(message(5) == nil)
        #expect(message(6) == .tooDeep)
        let part = ["", corpus.number]
        #expect(rejection { $0.multipart("mixed", Array(repeating: part, count: 100)) } == nil)
        #expect(rejection { $0.multipart("mixed", Array(repeating: part, count: 101)) } == .tooManyParts)
    }

    @Test("the first of several faults is the reason: structure, recipient, From, proof, automatic, text")
    func order() {
        let faults: [(reason: ReplyMessageError, change: (inout ReplyDraft) -> Void)] = [
            (.headerRepeated, { $0.lines.append("Subject: two") }),
            (.noRecipient, { $0.to = ["ann@example.com"] }),
            (.severalFrom, { $0.from += ["eve@evil.example"] }),
            (.noAuthentication, { $0.results = [] }),
            (.autoSubmitted, { $0.lines.append("Auto-Submitted: auto-replied") }),
            (.noNumber, { $0.text = ["Hello"] }),
        ]
        for first in faults.indices {
            let reason = rejection { draft in
                for fault in faults[first...] { fault.change(&draft) }
            }
            #expect(reason == faults[first].reason)
        }
    }

    @Test("one complete and one incomplete signature of the domain do not count, SPF still does")
    func signatures() {
        let incomplete = "v=1; d=\(corpus.domain); l=4; h=from:subject:date"
        let dkim = "\(corpus.authservID); dkim=pass header.d=\(corpus.domain)"
        #expect(
            rejection {
                $0.results = [dkim]
                $0.signatures = ["v=1; d=list.example; l=4; h=from", corpus.signature]
            } == nil)
        #expect(
            rejection {
                $0.results = [dkim]
                $0.signatures = [corpus.signature, incomplete]
            } == .signatureIncomplete)
        #expect(
            rejection {
                $0.results = [dkim + "; spf=pass smtp.mailfrom=\(corpus.address)"]
                $0.signatures = [incomplete]
            } == nil)
    }
}
