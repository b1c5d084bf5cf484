import Foundation
import SSOShared
import Testing

@testable import IdPDevPages
@testable import IdPMail
@testable import IdPTestKit
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

/// `/dev/WORD/mailbox` and the emails in its frames.
@Suite("The mailbox of a trial", .program)
struct MailboxPageTests {
    private static func mailbox(_ deployment: TestDeployment, in browser: Browser? = nil) async throws -> Visit {
        try await (browser ?? deployment.browser()).get(deployment.origin + deployment.mailboxPage)
    }

    /// The addresses of the frames, newest email first.
    private static func frames(_ page: Visit) throws -> [String] {
        try page.page().tags.filter { $0.name == "iframe" }.compactMap { $0["src"] }
    }

    @Test(
        "shows each email as HTML in a frame and as plain text, how long ago it was sent, and the code digit by digit")
    func page() async throws {
        try await TestDeployment.open { deployment in
            #expect(try await Self.mailbox(deployment).text.contains("No emails yet."))
            let asking = try await deployment.asking()
            deployment.clock.advance(by: .seconds(20))
            let page = try await Self.mailbox(deployment)
            #expect(
                page.text.contains("translate=\"no\">ann@example.com</bdi>,</span> <time class=\"ago\" datetime=\"20"))
            #expect(page.text.contains(">20 seconds ago</time>"))
            let spaced = asking.code.map(String.init).joined(separator: " ")
            #expect(page.text.contains("<span class=\"unseen\">Code: <bdi translate=\"no\">\(spaced)</bdi></span>"))
            #expect(page.text.contains("Your code to sign in to Main App:\n\n\(asking.code)\n"), "the plain text")
            let button = try #require(page.page().tags.first { $0["data-copy"] != nil })
            #expect(button["data-copy"] == asking.code && button["hidden"] != nil, "not shown without a script")
            let frame = try #require(page.page().tags.first { $0.name == "iframe" })
            #expect(frame["title"]?.contains("Your code of ") == true)
            #expect(page.reply.header("content-security-policy") == ContentPolicy.forms + "; frame-src 'self'")
            #expect(page.reply.header("x-frame-options") == "DENY")

            deployment.clock.advance(by: .seconds(61))
            _ = try await deployment.asking("max@example.com")
            let both = try await Self.mailbox(deployment)
            let open = try both.page().tags.filter { $0.name == "details" }.map { $0["open"] != nil }
            #expect(open == [true, false], "the newest is open")
            #expect(try Self.frames(both).count == 2)
        }
    }

    @Test("an email in its frame has a policy that lets nothing run or load, and only this origin may frame it")
    func headers() async throws {
        try await TestDeployment.open { deployment in
            let asking = try await deployment.asking()
            let frame = try #require(try await Self.frames(Self.mailbox(deployment)).first)
            let email = try await deployment.browser().get(deployment.origin + frame)
            #expect(email.status == 200)
            #expect(
                email.reply.all("content-security-policy") == [
                    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'; "
                        + "sandbox allow-popups allow-popups-to-escape-sandbox"
                ])
            #expect(email.reply.all("x-frame-options") == ["SAMEORIGIN"])
            #expect(email.reply.all("referrer-policy") == ["no-referrer"])
            #expect(email.reply.all("content-type") == ["text/html; charset=utf-8"])
            #expect(email.reply.all("cache-control") == ["no-store"])
            #expect(email.reply.all("x-content-type-options") == ["nosniff"])
            #expect(email.reply.all("set-cookie").isEmpty)
            #expect(email.text.contains("\n\(asking.code)\n"))
            #expect(try email.page().tags.first { $0.name == "base" }?["target"] == "_blank")
            // Nobody else gets it: as the page, by word and by peer.
            let probe = HTTPProbe(port: deployment.port, authority: "localhost:4000")
            #expect(try await probe.get(frame, [("X-Forwarded-For", "203.0.113.7")]).status == 404)
            #expect(
                try await HTTPProbe(port: deployment.port, authority: "evil.example:4000").get(frame).status == 404)
            let another = try DevPages(randomness: SystemRandomness()).path(of: .mailbox)
            #expect(try await probe.get(frame.replacing(deployment.mailboxPage, with: another)).status == 404)
        }
    }

    @Test("a name that is no email's is 404, whatever it looks like, and no other file is read")
    func names() async throws {
        try await TestDeployment.open { deployment in
            _ = try await deployment.asking()
            let frame = try #require(try await Self.frames(Self.mailbox(deployment)).first)
            let name = try #require(frame.split(separator: "/").last.map(String.init))
            let folder = deployment.mailbox.folder
            let outside = URL(fileURLWithPath: folder).deletingLastPathComponent()
            let item = try #require(FileManager.default.contents(atPath: "\(folder)/.\(name).json"))
            try item.write(to: outside.appending(path: ".secret.json"))
            try item.write(to: outside.appending(path: "secret.json"))
            try item.write(to: URL(fileURLWithPath: "\(folder)/..json"))
            let hostile = [
                "../secret", "..%2fsecret", "%2e%2e%2fsecret", "../.secret", "..", ".", "", ".\(name)", "\(name).eml",
                "\(name).json",
                "/\(name)", "\(name)/", "\(name)%00", "\(name)\\", "..\\secret", "\(name.dropLast())", "x", "~",
                "secret",
                String(repeating: "a", count: 200),
            ]
            let probe = HTTPProbe(port: deployment.port, authority: "localhost:4000")
            for name in hostile {
                let reply = try await probe.get("\(deployment.mailboxPage)/\(name)")
                #expect(reply.status == 404 || reply.status == 400, "\(name): \(reply.status)")
                #expect(OutboxMailer(folder: folder).item(named: name) == nil, "\(name)")
            }
            #expect(try await probe.get("\(deployment.mailboxPage)/\(name)").status == 200)
        }
    }

    @Test("without an outbox there is no email to show")
    func withoutOutbox() async throws {
        try await TestDeployment.open { deployment in
            _ = try await deployment.asking()
            let frame = try #require(try await Self.frames(Self.mailbox(deployment)).first)
            let status = try await DebugAddressTests.statusWithRealMail(frame, deployment)
            #expect(status == 404)
        }
    }

    @Test("markup in the name of a service is text, in the page and in the frame")
    func hostileNames() async throws {
        let evil = "</title></iframe><script src=\"//evil.example\">alert(1)</script>\"><base href=//e>"
        let settings = ["IDP_NAME": evil]
        try await TestDeployment.open(settings: settings) { deployment in
            _ = try await deployment.asking()
            let page = try await Self.mailbox(deployment)
            let frames = try Self.frames(page)
            #expect(frames.count == 1)
            let email = try await deployment.browser().get(deployment.origin + frames[0])
            for visit in [page, email] {
                #expect(visit.text.contains("&lt;script src="))
                for tag in try visit.page().tags {
                    #expect(tag.name != "script" || tag["src"]?.hasPrefix("/assets/") == true)
                    #expect(tag.name != "base" || (visit.address == email.address && tag["href"] == nil))
                }
            }
        }
    }

    @Test("a logo becomes part of the email, and a name that looks like one does not")
    func logo() throws {
        let item = OutboxMailer.Item(
            subject: "s", to: "t", text: "123456",
            html: "<head></head><img src=\"cid:logo\">src=&quot;cid:logo&quot;<head>",
            sentAt: Timestamp(milliseconds: 0), logo: Data([1, 2, 3]))
        #expect(
            MailboxRoutes.shown(item)
                == "<head>\n<base target=\"_blank\"></head><img src=\"data:image/png;base64,AQID\">src=&quot;cid:logo&quot;<head>"
        )
    }

    @Test("the code is the six digits that are alone on a line")
    func code() {
        #expect(MailboxRoutes.code(in: "Your code:\n\n012345\n\nBye\n654321") == "012345")
        for text in ["", "12345", "1234567", "code 123456", "١٢٣٤٥٦", "123 456", "https://x/123456"] {
            #expect(MailboxRoutes.code(in: text) == nil, "\(text)")
        }
    }

    @Test("files with other names, and damaged ones, are left out")
    func otherFiles() async throws {
        try await TestDeployment.open { deployment in
            _ = try await deployment.asking()
            for (name, content) in [
                (".20990101T000000.000Z-old.json", "{\"subject\":\"s\",\"to\":\"t\",\"date\":\"d\",\"text\":\"x\"}"),
                (".20990101T000000.000Z-cut.json", "{\"subject\":"),
            ] { try Data(content.utf8).write(to: URL(fileURLWithPath: "\(deployment.mailbox.folder)/\(name)")) }
            let page = try await Self.mailbox(deployment)
            #expect(page.status == 200)
            #expect(try Self.frames(page).count == 1)
        }
    }
}
