import SSOShared
import Testing

@testable import Counterparts
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// Threat: a scanner that presses the button of an invitation. All browsers of an invitation share one email and one challenge.
@Suite("Answers to the email of an invitation", .program)
struct InvitationReplyTests {
    private static let guest = "guest@elsewhere.org"

    @Test(
        "an answer is for the browser that asked first: it signs in, and a later one, which shows no number, does not",
        arguments: [true, false])
    func shared(laterGoesFirst: Bool) async throws {
        try await TestDeployment.receivingReplies { deployment in
            try await deployment.invite(Self.guest)
            let link = try await deployment.invitationLink(to: Self.guest)
            let earlier = deployment.mailbox.all(to: Self.guest)
            let (first, later) = (deployment.browser(), deployment.browser())
            let waiting = try await first.accept(link)
            let email = try await deployment.mailbox.email(to: Self.guest, besides: earlier)
            let page = try await later.accept(link)
            #expect(page.status == 200 && page.shownNumber == nil)
            let reply = PendingReply(
                browser: first, waiting: waiting, address: Self.guest, email: email,
                recipient: try #require(email.header("reply-to")), number: try #require(waiting.shownNumber))
            #expect(try await deployment.deliver(reply.message()) == "accepted")
            if laterGoesFirst { #expect(try await reply.proceed(in: later).location().path == "/sign-in/code") }
            #expect(try await !later.isSignedInOnHomePage(of: deployment))
            _ = try await first.follow(reply.proceed())
            #expect(try await first.isSignedInOnHomePage(of: deployment))
            if !laterGoesFirst { _ = try await later.follow(reply.proceed(in: later)) }
            #expect(try await !later.isSignedInOnHomePage(of: deployment))
        }
    }

    @Test("a later browser signs in by the code of that one email, also after an answer")
    func code() async throws {
        try await TestDeployment.receivingReplies { deployment in
            try await deployment.invite(Self.guest)
            let link = try await deployment.invitationLink(to: Self.guest)
            let earlier = deployment.mailbox.all(to: Self.guest)
            let later = deployment.browser()
            let waiting = try await deployment.browser().accept(link)
            let email = try await deployment.mailbox.email(to: Self.guest, besides: earlier)
            let page = try await later.accept(link)
            let answer = ReplyMessage(
                recipient: try #require(email.header("reply-to")), sender: Self.guest,
                number: try #require(waiting.shownNumber))
            #expect(try await deployment.deliver(answer) == "accepted")
            _ = try await later.follow(later.enter(try #require(email.code), on: page))
            #expect(try await later.isSignedInOnHomePage(of: deployment))
        }
    }
}
