import SSOShared

@testable import Counterparts
@testable import TestKit

/// The settings of a deployment that receives answers to the email.
enum ReplySettings {
    static let domain = "reply.example"
    static let authservID = "mx.example"
    static let secret = "inbound-mail-secret-" + TestSecret.new()

    static let all = [
        "IDP_INBOUND_MAIL_DOMAIN": domain, "IDP_INBOUND_AUTHSERV_ID": authservID, "IDP_INBOUND_MAIL_SECRET": secret,
    ]
}

/// A raw answer to the email, as a mail server hands it over after it has checked the sender.
struct ReplyMessage: Sendable {
    var recipient: String
    /// The address in From, which the mail server has authenticated.
    var sender: String
    var number: String
    /// Further lines of the header.
    var lines: [String] = []

    var bytes: [UInt8] {
        let domain = sender.split(separator: "@").last ?? ""
        let header = [
            "Authentication-Results: \(ReplySettings.authservID); dkim=pass header.d=\(domain); "
                + "spf=pass smtp.mailfrom=\(sender)",
            "Received: from mail.\(domain) by \(ReplySettings.authservID) with ESMTPS id 4Dx1", "From: \(sender)",
            "To: \(recipient)", "Subject: Re: Your code to sign in", "Date: Sat, 21 Nov 2026 12:00:30 +0000",
            "Message-ID: <answer-\(number)@mail.\(domain)>", "MIME-Version: 1.0",
            "Content-Type: text/plain; charset=utf-8",
        ]
        let body = [number, "", "On Sat, 21 Nov 2026, Main App wrote:", "> Your code to sign in:", ">", "> 123456"]
        return Array((header + lines + [""] + body).joined(separator: "\r\n").utf8) + [13, 10]
    }
}

/// A browser that waits for an answer to the email, and what the answer needs.
struct PendingReply: Sendable {
    let browser: Browser
    /// The page with the number.
    let waiting: Visit
    /// Where the email went.
    let address: String
    let email: Mailbox.Email
    /// The one-time address in Reply-To.
    let recipient: String
    let number: String

    /// Four digits that are not the number.
    var wrong: String { number == "0000" ? "0001" : "0000" }

    /// The correct answer, or one with another number or from another address.
    func message(_ number: String? = nil, from sender: String? = nil, to recipient: String? = nil) -> ReplyMessage {
        ReplyMessage(
            recipient: recipient ?? self.recipient, sender: sender ?? address, number: number ?? self.number)
    }

    /// Opens the address at which the waiting page goes on, without following redirects.
    func proceed(in browser: Browser? = nil) async throws -> Visit {
        try await (browser ?? self.browser).get(waiting.address.resolving(waiting.replyPaths().next))
    }
}

extension Visit {
    /// The paths on the waiting page: of its events, and where it goes on.
    func replyPaths() throws -> (events: String, next: String) {
        for tag in try page().tags {
            if let events = tag["data-events"], let next = tag["data-next"] { return (events, next) }
        }
        throw ProbeFailure("the page waits for no answer:\n\(text)")
    }

    /// The number for an answer; nil on a page that waits for none.
    var shownNumber: String? {
        text.firstMatch(of: #/id="reply-number"[^>]*>\s*([0-9]{4})\s*</#).map { String($0.1) }
    }
}

extension Browser {
    /// Presses the button "I've replied" of a waiting page, which sends the form of the code to another address. Redirects are
    /// not followed.
    func goOn(after waiting: Visit, remembering: Bool = false) async throws -> Visit {
        guard var form = try waiting.page().form(with: "code"),
            let path = try waiting.page().tags.compactMap({ $0["formaction"] }).first
        else { throw ProbeFailure("no button to go on after a reply:\n\(waiting.text)") }
        form.action = path
        return try await submit(form, on: waiting, remembering ? ["remember": "1"] : [:])
    }
}

extension Deployment {
    /// Asks for an email, on the IdP's own sign-in page or on another one, and reads what an answer to it needs.
    func awaitingReply(
        _ address: String = "ann@example.com", by browser: Browser, on form: Visit? = nil
    ) async throws -> PendingReply {
        let earlier = mailbox.all(to: address)
        let start: Visit
        if let form { start = form } else { start = try await browser.get(origin + "/sign-in") }
        var waiting = try await browser.ask(for: address, on: start)
        let email = try await mailbox.email(to: address, besides: earlier)
        // A page from before the email has left has no number, and loads itself again.
        if waiting.shownNumber == nil { waiting = try await browser.get(waiting.address) }
        guard let recipient = email.header("reply-to"), let number = waiting.shownNumber else {
            throw ProbeFailure("no Reply-To in the email, or no number on the page:\n\(email.text)\n\(waiting.text)")
        }
        return PendingReply(
            browser: browser, waiting: waiting, address: address, email: email, recipient: recipient, number: number)
    }
}

extension TestDeployment {
    /// Opens a deployment that receives answers to the email.
    static func receivingReplies(
        clients count: Int = 1, settings: [String: String] = [:], _ body: (TestDeployment) async throws -> Void
    ) async throws {
        try await open(clients: count, settings: ReplySettings.all.merging(settings) { $1 }, body)
    }

    /// Posts a message as the mail provider does. `headers` replace those of a correct request.
    func post(
        _ message: [UInt8], _ headers: HTTPProbe.Headers? = nil, from source: String? = nil
    ) async throws -> ProbeReply {
        let probe = HTTPProbe(port: port, authority: "localhost:4000", source: source)
        return try await probe.post(
            "/auth/mail/inbound", headers ?? Self.inboundHeaders(message), body: message)
    }

    static func inboundHeaders(_ message: [UInt8], secret: String = ReplySettings.secret) throws -> HTTPProbe.Headers {
        let secret = try SharedSecret.parse(secret, setting: "secret")
        return [
            ("Content-Type", "message/rfc822"),
            (RequestSignature.headerName, RequestSignature.request(body: message, secret: secret).headerValue),
        ]
    }

    /// Posts an answer and returns what became of it: `accepted`, or the reason why it was ignored.
    func deliver(_ reply: ReplyMessage) async throws -> String {
        let answer = try await post(reply.bytes)
        let body = try JSONDecoding.value(answer.body)
        guard answer.status == 200, let result = body["reason"]?.text ?? body["result"]?.text else {
            throw ProbeFailure("inbound mail: \(answer.status) \(answer.text)")
        }
        return result
    }
}
