import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import SSOWeb

@testable import Counterparts
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// A page as a program sent it.
struct CapturedPage: Sendable {
    let state: PageState
    let language: String
    let reply: ProbeReply

    var name: String { "\(state.name)-\(language)" }

    /// What the page is made of, whatever its texts are: each kind of tag with its classes, the names of its attributes, and the
    /// style sheets.
    var kind: Set<String> {
        get throws {
            Set(
                try ScannedPage(reply.text).tags.map { tag in
                    let sheet = tag["rel"] == "stylesheet" ? tag["href"] ?? "" : ""
                    return "\(tag.name) \(tag["class"] ?? "") \(tag.attributes.map(\.name).sorted()) \(sheet)"
                })
        }
    }
}

/// Captured pages with their styles, scripts and images, served to a real browser with the headers they came with.
///
/// The states are reached in memory with the clock of the test, so that ten minutes pass at once. The browser then only
/// looks at the pages.
struct PageGallery: Sendable {
    private(set) var pages: [CapturedPage] = []
    /// By path.
    private var assets: [String: ProbeReply] = [:]

    /// Reaches every state in every language, of those that are built in or in the folder `languages`.
    static func capture(_ groups: [PageStates.Group], in languages: [String]) async throws -> PageGallery {
        var gallery = PageGallery()
        for var group in groups {
            if !Set(languages).isSubset(of: PageStates.languages) {
                group.settings["IDP_LANGUAGES_DIR"] = TestVectors.repository.appending(path: "languages").path
            }
            try await group.open { [states = group.states] deployment in
                for state in states {
                    for language in languages {
                        let studio = PageStudio(deployment: deployment, language: language, state: state.name)
                        let visit: Visit
                        do { visit = try await state.reach(studio) } catch {
                            throw ProbeFailure("\(state.name), \(language): \(error)")
                        }
                        try await gallery.add(visit, state, studio)
                        // So that the guesses and emails of one state do not count for the next one.
                        deployment.clock.advance(by: .seconds(61))
                    }
                }
            }
        }
        return gallery
    }

    private mutating func add(_ visit: Visit, _ state: PageState, _ studio: PageStudio) async throws {
        // The links of pages that go on by themselves lead here, where they end, so that the page stays.
        let onward = studio.deployment.clients.map(\.callback) + studio.deployment.standIns.map(\.issuer)
        let text = onward.reduce(visit.text) { $0.replacing($1, with: Self.hold) }
        let reply = ProbeReply(status: visit.reply.status, headers: visit.reply.headers, body: Array(text.utf8))
        pages.append(CapturedPage(state: state, language: studio.language, reply: reply))
        for tag in try visit.page().tags {
            let path =
                tag.name == "link" ? tag["href"] : ["script", "img", "iframe"].contains(tag.name) ? tag["src"] : nil
            guard let path, path.hasPrefix("/"), assets[path] == nil else { continue }
            assets[path] =
                if path == "/picture/file" {
                    // That of the user, whom no other browser is.
                    ProbeReply(status: 200, headers: [("Content-Type", "image/png")], body: SamplePicture.png)
                } else { try await studio.browser().get(visit.address.origin + path).reply }
        }
    }

    private static let hold = "/hold"

    static func path(of page: CapturedPage) -> String { "/pages/\(page.name)" }

    /// Writes the pages to `pages/NAME.html` in a folder, and what they load to the paths that they name.
    func write(to folder: String) throws {
        let files = pages.map { ("/pages/\($0.name).html", $0.reply.body) } + assets.map { ($0.key, $0.value.body) }
        for (path, content) in files {
            let file = URL(fileURLWithPath: folder + path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(content).write(to: file)
        }
    }

    /// Serves the gallery while `body` looks at it; its argument is the origin.
    func serve(_ body: (String) async throws -> Void) async throws {
        let byPath = Dictionary(uniqueKeysWithValues: pages.map { (Self.path(of: $0), $0.reply) })
            .merging(assets) { $1 }
        let router = Router(context: TinyServer.Context.self)
        router.get("**") { request, _ in
            byPath[request.uri.path].map(Self.response) ?? Response(status: .noContent)
        }
        // For a page that sends its own form.
        router.post("**") { _, _ in Response(status: .noContent) }
        try await serving({ started in
            WebServer.application(
                router: router, listen: try ListenAddress("127.0.0.1:0"), shutdown: ShutdownState(),
                logger: CapturedLog().logger("gallery"), started: started)
        }) { port in
            try await body("http://127.0.0.1:\(port)")
        }
    }

    /// The page as it was sent, but for the delay after which its script leads on: a slow machine looks at it for longer.
    private static func response(_ reply: ProbeReply) -> Response {
        let body =
            reply.header("content-type")?.hasPrefix("text/html") == true
            ? Array(reply.text.replacing(#/data-delay="[0-9]+"/#, with: "data-delay=\"86400\"").utf8) : reply.body
        var headers: HTTPFields = [:]
        let ours: Set = ["content-length", "connection", "date", "set-cookie", "transfer-encoding"]
        for (name, value) in reply.headers where !ours.contains(name.lowercased()) {
            HTTPField.Name(name).map { headers[fields: $0].append(HTTPField(name: $0, value: value)) }
        }
        return Response(
            status: .init(code: reply.status), headers: headers,
            body: .init(byteBuffer: ByteBuffer(bytes: body)))
    }
}
