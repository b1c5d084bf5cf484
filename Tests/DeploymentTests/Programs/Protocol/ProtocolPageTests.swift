import Foundation
import SSOShared
import Testing

@testable import TestKit

@Suite("docs/protocol.md", .deployment, .dependsOnMachine)
struct ProtocolPageTests {
    private static let trialPage = "docs/protocol-trial.md"

    @Test("every code block is a command or a use of a sample that a test checks, or says why it is not run")
    func blocks() throws {
        // The quick start is run by a journey of its own.
        let code = try ProtocolPage.blocks().filter { !$0.language.isEmpty && !$0.isNotRun }.map(\.heading)
        #expect(code == ["Quick start", "1. Register", "5. In your language"])
        let trial = try ProtocolPage.blocks(of: Self.trialPage).filter { !$0.language.isEmpty && !$0.isNotRun }
        #expect(trial.count == 1)
        let use = try ProtocolPage.code(below: "5. In your language")
        let sample = try ProtocolPage.text(of: "examples/partners/sso.py")
        #expect(use.contains("SSO(") && use.contains(".verify(token, "))
        #expect(sample.contains("def __init__(self, idp: str, client: str, secret: str)"))
    }

    @Test("the page and its list name the sample of every language")
    func samples() throws {
        let (page, list) = (try ProtocolPage.text(), try ProtocolPage.text(of: "examples/partners/README.md"))
        for language in SampleLanguage.allCases {
            #expect(page.contains(language.file), "\(language)")
            #expect(list.contains("[\(language.file)]"), "\(language)")
        }
    }

    @Test("the worked examples are vectors, and the page names their secret")
    func workedExample() throws {
        let page = try ProtocolPage.text()
        for name in [
            "request-redirect-uri", "response-strength", "event-session", "question-session", "answer-signed-out",
        ] {
            let vector = try BackChannelVector.named(name)
            let example =
                "X-SSO-Signature: \(try vector.required("signature"))\n\n\(String(decoding: vector.body, as: UTF8.self))\n"
            #expect(page.contains(example), "\(name)")
            #expect(page.contains("secret is\n`\(try vector.required("secret"))`"), "\(name)")
        }
    }

    @Test("the command prints the fingerprint that both programs print", arguments: BackChannelVector.of(.fingerprint))
    func fingerprint(_ vector: BackChannelVector) async throws {
        let secret = try vector.required("secret").trimmingCharacters(in: .whitespaces)
        let run = try await WellKnownRun.command(
            ["/bin/sh", "-c", try ProtocolPage.code(below: "1. Register")], environment: ["SECRET": secret])
        #expect((run.output == "\(try vector.required("fingerprint"))\n") == vector.isGood, "\(run)")
    }

    @Test("the settings of the trial are accepted by the identity provider")
    func trial() async throws {
        let block = try ProtocolPage.code(below: "Try the protocol on your machine", of: Self.trialPage)
        #expect(block.hasSuffix("\nidp serve\n"))
        let run = try await WellKnownRun.command(
            ["/bin/sh", "-e", "-c", block.replacing("\nidp serve\n", with: "\nidp check\n")],
            environment: ["PATH": "\(Programs.folder):/usr/bin:/bin"])
        #expect(run.code == 0, "\(run.output)\(run.errors)")
    }
}
