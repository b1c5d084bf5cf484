import Foundation
import SSOShared
import Testing

@testable import TestKit

@Suite("docs/protocol.md")
struct ProtocolPageTests {
    @Test("every code block is a sample or a command that a test runs, or says why it is not run")
    func blocks() throws {
        let code = try ProtocolPage.blocks().filter { !$0.language.isEmpty && !$0.isNotRun }.map(\.heading)
        let samples = SampleLanguage.allCases.map(\.heading)
        #expect(
            code.sorted() == (samples + ["1. Register", "12. Try it on your machine", "5. In your language"]).sorted())
        // The use of a sample, in two lines.
        let use = try ProtocolPage.code(below: "5. In your language")
        let sample = try ProtocolPage.code(below: "Python")
        #expect(use.contains("SSO(") && use.contains(".verify(token, "))
        #expect(sample.contains("def __init__(self, idp: str, client: str, secret: str)"))
    }

    @Test("the sample in Swift is the file that is compiled and tested")
    func swiftSample() throws {
        let file = try ProtocolPage.text(of: "Tests/DeploymentTests/Protocol/SSO.swift")
        #expect(try ProtocolPage.code(below: "Swift") == file)
    }

    @Test("the worked examples are vectors, and the page names their secret")
    func workedExample() throws {
        let page = try ProtocolPage.text()
        for name in ["request-redirect-uri", "response-user", "event-session", "question-session", "answer-signed-out"]
        {
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
        let block = try ProtocolPage.code(below: "12. Try it on your machine")
        #expect(block.hasSuffix("\nidp serve\n"))
        let run = try await WellKnownRun.command(
            ["/bin/sh", "-e", "-c", block.replacing("\nidp serve\n", with: "\nidp check\n")],
            environment: ["PATH": "\(Programs.folder):/usr/bin:/bin"])
        #expect(run.code == 0, "\(run.output)\(run.errors)")
    }

    @Test("the steps of a rotation are the same as in docs/operations.md")
    func rotation() throws {
        func steps(_ page: String) throws -> [Substring] {
            let lines = try ProtocolPage.text(of: page).split(separator: "\n")
            guard let first = lines.firstIndex(where: { $0.hasPrefix("1. Identity provider: `secrets: [old, new]`") })
            else { throw ProbeFailure("\(page) has no steps of a rotation") }
            return Array(lines[first...].prefix { $0.first?.isNumber == true })
        }
        #expect(try steps("docs/protocol.md") == steps("docs/operations.md"))
        #expect(try steps("docs/protocol.md").count == 4)
    }
}
