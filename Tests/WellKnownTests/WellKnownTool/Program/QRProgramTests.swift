import Testing
import WellKnown

@testable import TestKit

@Suite("wellknown qr", .deployment)
struct QRProgramTests {
    static let link = "https://links.acme.com/shop/42?ref=box"

    @Test("prints the code of the link, without colours in a pipe")
    func pipe() async throws {
        let run = try await WellKnownRun.run(["qr", Self.link])
        #expect(run.code == 0 && run.errors.isEmpty)
        #expect(run.output == QRCode(Self.link)?.terminalText(hasColour: false))
    }

    @Test("on a terminal the code is black on white, also with NO_COLOR", arguments: ["", "1"])
    func terminal(noColour: String) async throws {
        let run = try await WellKnownRun.run(["qr", Self.link], environment: ["NO_COLOR": noColour], terminal: true)
        #expect(run.code == 0)
        #expect(run.output.replacing("\r\n", with: "\n") == QRCode(Self.link)?.terminalText(hasColour: true))
    }

    @Test(
        "rejects a text that is not a link",
        arguments: ["", "shop/42", "ftp://acme.com/", "javascript:alert(1)", "https://", "https://a b/"])
    func noLink(text: String) async throws {
        let run = try await WellKnownRun.run(["qr", "--", text])
        #expect(run.code == 64 && run.output.isEmpty)
        #expect(run.errors.contains("is not a link"), "\(run.errors)")
    }

    @Test("rejects a link that is too long for a code, and prints the longest possible one")
    func long() async throws {
        let longest = "https://acme.com/" + String(repeating: "a", count: QRCode.maximumBytes - 17)
        #expect(try await WellKnownRun.run(["qr", longest]).code == 0)
        let run = try await WellKnownRun.run(["qr", longest + "a"])
        #expect(run.code == 64 && run.output.isEmpty)
        #expect(run.errors.contains("at most 2331 bytes"), "\(run.errors)")
    }
}
