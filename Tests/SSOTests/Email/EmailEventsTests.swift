import IdPAccounts
import SSOWeb
import Testing

@testable import IdPFlow
@testable import IdPInboundMail
@testable import IdPMail
@testable import IdPSignIn
@testable import TestKit

@Suite("The events of a sign-in by email", .rules)
struct EmailEventsTests {
    @Test("each cause that the code can give has a remedy, and no other has one")
    func causes() {
        let signatures = SignatureCheck.SignatureError.allCases.map(\.rawValue).filter { $0.hasPrefix("signature_") }
        let all: [(EventKind, [String])] = [
            (.codeRejected, CodeStep.CodeError.allCases.map(\.rawValue) + [CodeStep.CodeError.usedUp]),
            (.linkRejected, EmailLinkPage.Ending.allCases.map(\.rawValue)),
            (.invitationRejected, Invitation.Ending.allCases.map(\.rawValue)),
            (.mailNotSent, CodeEmail.Reason.allCases.map(\.rawValue) + ["refused", "no_longer_needed", "expired"]),
            (
                .replyIgnored,
                ReplyMessageError.allCases.map(\.rawValue) + ReplyReceiver.ProofError.allCases.map(\.rawValue)
            ),
            (.inboundMailRefused, signatures + ["content_type", "body_size", "bad_signatures"]),
        ]
        for (kind, causes) in all {
            #expect(kind.causes.map(\.id).sorted() == causes.sorted(), "\(kind.id)")
            #expect(kind.causes.allSatisfy { !$0.remedy.isEmpty }, "\(kind.id)")
        }
    }

    @Test("each event of emails and of the sign-in by email says what it means")
    func help() {
        for kind in MailEvents.all + SignInEvents.all { #expect(!kind.help.isEmpty, "\(kind.id)") }
    }

    @Test("each class of a mail server's answer is a label of the counter")
    func classes() {
        let errors: [MailError] = [.unreachable("down"), .temporary("busy"), .refused("no", code: 550)]
        #expect(errors.map(\.classID).sorted() == MailError.classes)
        #expect(errors.map(\.classAndCode) == ["unreachable", "temporary", "refused 550"])
    }
}
