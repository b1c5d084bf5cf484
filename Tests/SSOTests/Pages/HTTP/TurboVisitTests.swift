import HTTPTypes
import Hummingbird
import NIOCore
import Testing

@testable import IdPTestKit
@testable import SSOWeb
@testable import TestKit

/// What Turbo, which Hotwire Native brings into every page, needs from the server.
@Suite("Visits of a native shell", .program)
struct TurboVisitTests {
    private static let shell = "Mozilla/5.0 (iPhone) Hotwire Native iOS; Turbo Native iOS;"

    @Test("a fetch of the same origin counts as opening a page in a native shell, and in no other browser")
    func navigation() {
        func isPage(_ userAgent: String, _ site: String, _ dest: String, _ mode: String) -> Bool {
            var fields = HTTPFields()
            fields[.userAgent] = userAgent
            fields[.secFetchSite] = site
            fields[.secFetchDest] = dest
            fields[.secFetchMode] = mode
            let head = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/", headerFields: fields)
            return Request(head: head, body: .init(buffer: ByteBuffer())).isTopLevelNavigation
        }
        #expect(isPage(Self.shell, "same-origin", "empty", "cors"))
        #expect(isPage(Self.shell, "none", "document", "navigate"))
        #expect(isPage("Mozilla/5.0", "cross-site", "document", "navigate"))
        #expect(!isPage("Mozilla/5.0", "same-origin", "empty", "cors"))
        #expect(!isPage(Self.shell, "cross-site", "empty", "cors"))
        #expect(!isPage(Self.shell, "same-site", "empty", "cors"))
        #expect(!isPage(Self.shell, "none", "empty", "cors"))
        #expect(!isPage(Self.shell, "same-origin", "iframe", "navigate"))
        #expect(!isPage(Self.shell, "same-origin", "image", "no-cors"))
    }

    @Test("pages allow a native shell to fetch from this origin, and other browsers nothing")
    func policy() async throws {
        try await TestDeployment.open { deployment in
            let probe = HTTPProbe(port: deployment.port, authority: "localhost:4000")
            let shell = try await probe.get("/", [("User-Agent", Self.shell)]).header("content-security-policy")
            let browser = try await probe.get("/").header("content-security-policy")
            #expect(browser?.contains("connect-src") == false)
            #expect(shell == browser.map { $0 + "; connect-src 'self'" })
        }
    }
}
