import Foundation
import ProbeKit
import SSOShared
import Storage
import Testing

@testable import Counterparts
@testable import IdPAccounts
@testable import IdPClients
@testable import IdPOperations
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("A user's picture", .program)
struct PictureTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let file: [UInt8]
        var name = "me.png"
        let sentence: String

        init(_ description: String, _ file: [UInt8], name: String = "me.png", _ sentence: String) {
            (testDescription, self.file, self.name, self.sentence) = (description, file, name, sentence)
        }
    }

    private static func rows(in deployment: TestDeployment) async throws -> Int {
        try await deployment.stored.profiles.withPicture.count()
    }

    @Test(
        "a file of each kind comes back byte for byte, as an image that can do nothing",
        arguments: [
            (SamplePicture.png, "image/png"), (SamplePicture.jpeg, "image/jpeg"), (SamplePicture.webp, "image/webp"),
        ])
    func kinds(file: [UInt8], type: String) async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            #expect(
                try await browser.get(deployment.origin + "/").text.contains(">A</bdi>"), "initials without a picture")
            let saved = try await browser.givePicture(file, at: deployment.origin)
            #expect(try saved.status == 303 && saved.location().target == "/picture?saved")
            let shown = try await browser.get(deployment.origin + "/picture/file")
            #expect(shown.status == 200 && shown.reply.body == file)
            #expect(shown.reply.all("content-type") == [type])
            #expect(shown.reply.all("x-content-type-options") == ["nosniff"])
            #expect(shown.reply.all("cross-origin-resource-policy") == ["same-origin"])
            #expect(shown.reply.all("cache-control") == ["no-store"])
            let policy = shown.reply.header("content-security-policy") ?? ""
            #expect(policy.contains("default-src 'none'") && policy.contains("sandbox;"))
            #expect(try await browser.get(deployment.origin + "/").text.contains("src=\"/picture/file\""))
            let row = try await deployment.auditRows(.userChanged, untilThereAre: 1).first
            #expect(row?.cause == "picture")
        }
    }

    static let refused = [
        Row("empty", [], name: "", "Choose a file first."),
        Row("one byte too many", SamplePicture.png(of: (64 << 10) + 1), "This file is larger than 64 KiB."),
        Row("longer than the form may be", SamplePicture.png(of: 1 << 20), "This file is larger than 64 KiB."),
        Row(
            "SVG with the name of a PNG", Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8),
            "not a PNG, JPEG or WebP"),
        Row("HTML", Array("<!doctype html><script>alert(1)</script>".utf8), "not a PNG, JPEG or WebP"),
        Row("GIF", Array("GIF89a".utf8) + [1, 0, 1, 0, 0, 0, 0, 0x3b], "not a PNG, JPEG or WebP"),
        Row("a PNG without its end", SamplePicture.png.dropLast(1), "damaged or incomplete"),
        Row("a PNG of eight bytes", Array(SamplePicture.png.prefix(8)), "damaged or incomplete"),
        Row("a PNG with a page after it", SamplePicture.png + Array("<script>".utf8), "damaged or incomplete"),
        Row("a JPEG without its end", Array(SamplePicture.jpeg.dropLast(2)), "damaged or incomplete"),
        Row("a WebP that is shorter than it says", Array(SamplePicture.webp.dropLast(2)), "damaged or incomplete"),
        Row("a WebP that is longer than it says", SamplePicture.webp + [0], "damaged or incomplete"),
    ]

    @Test("what is no picture of at most 64 KiB gets a sentence and 422, and nothing is stored", arguments: refused)
    func bad(row: Row) async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            let answer = try await browser.givePicture(row.file, named: row.name, at: deployment.origin)
            #expect(answer.status == 422 && answer.text.contains(row.sentence))
            let field = try #require(try answer.page().tags.first { $0["id"] == "picture" })
            #expect(field["aria-invalid"] == "true" && field["aria-describedby"] == "picture-error picture-hint")
            #expect(try await Self.rows(in: deployment) == 0)
            #expect(try await browser.get(deployment.origin + "/picture/file").status == 404)
        }
    }

    @Test("64 KiB are stored, and a file that is refused leaves the one before")
    func largest() async throws {
        try await TestDeployment.open { deployment in
            let (browser, largest) = (try await deployment.signedIn(), SamplePicture.png(of: 64 << 10))
            #expect(try await browser.givePicture(largest, at: deployment.origin).status == 303)
            #expect(try await browser.givePicture(Array("x".utf8), at: deployment.origin).status == 422)
            #expect(try await browser.get(deployment.origin + "/picture/file").reply.body == largest)
        }
    }

    @Test("nobody else sees it: a visitor and another user get 404, without a word that it is there")
    func others() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            _ = try await browser.givePicture(at: deployment.origin)
            let path = deployment.origin + "/picture/file"
            #expect(try await deployment.browser().get(path).status == 404)
            let other = try await deployment.signedIn(as: "ben@example.com")
            #expect(try await other.get(path).status == 404)
            let home = try await browser.get(deployment.origin + "/")
            _ = try await browser.submit(home.page().form(to: "/sign-out"), on: home)
            #expect(try await browser.get(path).status == 404)
        }
    }

    @Test("a form with a file counts with the token of its session's pages alone, and from no other site")
    func forged() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            let page = try await browser.get(deployment.origin + "/picture")
            let form = try page.page().form(to: "/picture")
            let other = try await deployment.signedIn(as: "ben@example.com").get(deployment.origin + "/picture")
                .formToken()
            for token in ["", "x", other] {
                #expect(try await browser.upload(SamplePicture.png, with: form, on: page, token: token).status == 403)
            }
            for headers in [[("Origin", "https://elsewhere.example")], [("Sec-Fetch-Site", "cross-site")]] {
                let sent = try await browser.upload(SamplePicture.png, with: form, on: page, headers)
                #expect(sent.status == 403)
            }
            let visitor = try await deployment.browser().upload(SamplePicture.png, with: form, on: page)
            #expect(try visitor.status == 303 && visitor.location().path == "/")
            #expect(try await Self.rows(in: deployment) == 0)
            #expect(try await browser.upload(SamplePicture.png, with: form, on: page).status == 303)
        }
    }

    @Test("it is removed with a button, in the file of one's data, and gone with the account")
    func ends() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            _ = try await browser.givePicture(at: deployment.origin)
            let picture = try await deployment.download(in: browser).reply.json()["picture"]
            #expect(picture?["type"]?.text == "image/png")
            #expect(picture?["base64"]?.text == Data(SamplePicture.png).base64EncodedString())
            let page = try await browser.get(deployment.origin + "/picture")
            let removed = try await browser.submit(page.page().form(to: "/picture/remove"), on: page)
            #expect(try removed.status == 303 && removed.location().target == "/picture?removed")
            #expect(try await Self.rows(in: deployment) == 0)
            #expect(try await deployment.download(in: browser).text.contains("\"picture\":null"))
            _ = try await browser.givePicture(at: deployment.origin)
            try await deployment.change(EraseUser("ann@example.com", .now))
            #expect(try await deployment.rows(of: "account_profile") == 0)
        }
    }
}
