import Foundation
import Testing

@testable import TestKit

/// The exit codes: 0 success, 1 findings or no app opens the link, 2 check impossible, 64 wrong usage.
@Suite("wellknown as a program: exit codes", .deployment)
struct ProgramExitTests {
    struct Call: Sendable, CustomTestStringConvertible {
        let words: [String]
        let code: Int32
        /// A text that must be in the output, on either stream.
        let says: String

        init(_ words: String, _ code: Int32, _ says: String = "") {
            self.words = words.split(separator: " ").map { $0 == "''" ? "" : String($0) }
            (self.code, self.says) = (code, says)
        }

        var testDescription: String { "\(words.joined(separator: " ")) -> \(code)" }
    }

    static let site = "https://links.acme.com"
    static let calls: [Call] = [
        Call("lint apple-app-site-association assetlinks.json", 0, "remark"),
        Call("lint apple-app-site-association --fail-on warning", 0, "no findings"),
        Call("lint assetlinks.json --fail-on info", 1, "fp.play-signing"), Call("lint broken.json", 1, "error"),
        Call("lint missing.json", 2, "there is no such file"),
        Call("lint .", 0, "apple-app-site-association"), Call("lint", 0, "assetlinks.json"),
        Call("lint ./no.such.place", 2, "there is no such file"), Call("lint ''", 2, "there is no such file"),
        Call("lint missing.json broken.json", 2, "error"),
        Call("lint --format json missing.json", 2, "failure"),
        Call("help nosuch", 64, "\"nosuch\" is not a command of wellknown. Its commands are why, lint, match,"),
        Call("frobnicate", 64, "\"frobnicate\" is not a command of wellknown. Its commands are why, lint, match,"),
        Call("mtach apple-app-site-association \(site)/", 64, "Did you mean: wellknown match?"),
        Call("lint --fial-on info", 64, "Unknown option --fial-on. Did you mean --fail-on?"),
        Call("statements", 64, "wellknown statements needs one of its commands: list, check."),
        Call("capability", 64, "wellknown capability needs one of its commands: enable."),
        Call("lint - -", 64, "once"), Call("lint broken.json --format yaml", 64, "invalid"),
        Call("lint broken.json --fail-on fatal", 64, "invalid"),
        Call("lint broken.json --kind apple", 64, "invalid"),
        Call("lint broken.json --minimum-ios twelve", 64, "invalid"),
        Call("lint broken.json --minimum-ios 99999999999999999999", 64, "invalid"),
        Call("lint broken.json --readers --format junit", 64, "--readers"),
        Call("lint broken.json --time-limit 0", 64, "--time-limit"),
        Call("lint links.acme.com --ca-file missing.pem", 2, "missing.pem"),
        Call("match apple-app-site-association \(site)/shop/1", 0, "opens"),
        Call("match apple-app-site-association \(site)/elsewhere", 1, "no match"),
        Call("match apple-app-site-association \(site)/shop/admin/x", 1, "excluded"),
        Call("match apple-app-site-association \(site)/shop/1 --app K7Q2M9X4TB.com.acme.other", 1, "no match"),
        Call("match apple-app-site-association mailto:ann@acme.com", 1, "no match"),
        Call("match apple-app-site-association acme://x", 1, "no match"),
        Call("match apple-app-site-association /shop/1", 0, "opens"),
        Call("match apple-app-site-association //shop/1", 64, "not the address"),
        Call("match apple-app-site-association links.acme.com/item:42", 64, "not the address"),
        Call("match apple-app-site-association not-a-url", 64, "not the address"),
        Call("match https:/links.acme.com \(site)/", 2, "is written https://"),
        Call("fetch links.acme.com --resolve a:b:c", 64, "host:port:address"),
        Call("fetch links.acme.com --resolve a:443:b", 64, "host:port:address"),
        Call("fetch links.acme.com --ca-file broken.json", 2, "no certificate"),
        Call("doctor links.acme.com --offline --app com.acme.shop", 64, "PREFIX.bundle.id"),
        Call("capability enable --bundle-id a.b --key k --key-id a --issuer b --base-url ftp://a", 64, "must be https"),
        Call(
            "capability enable --bundle-id a.b --key broken.json --key-id a --issuer b", 2, "broken.json is not a PEM"),
        Call("statements list assetlinks.json", 2, "must be an object"),
        Call("match apple-app-site-association", 64, "Missing"),
        Call("match apple-app-site-association \(site)/ --platform windows", 64, "invalid"),
        Call("match apple-app-site-association \(site)/ --platform android", 2, "not an assetlinks.json"),
        Call("match apple-app-site-association \(site)/ --format sarif", 64, "invalid"),
        Call("match missing.json \(site)/", 2, "there is no such file"),
        Call("match text.json \(site)/", 2, "1:1"),
        Call("match assetlinks.json \(site)/shop/1", 3, "not decided (manifest decides)"),
        Call("explain apple-app-site-association \(site)/shop/1", 0, "/shop/*"),
        Call("explain missing.json \(site)/", 2, "there is no such file"),
        Call("diff apple-app-site-association apple-app-site-association", 0, "no difference"),
        Call("diff first.json second.json", 0, "The apps stand in another order"),
        Call("diff apple-app-site-association broken.json", 1, "removed"),
        Call("diff apple-app-site-association assetlinks.json", 2, "Google's"),
        Call("diff apple-app-site-association missing.json", 2, "there is no such file"),
        Call("diff apple-app-site-association apple-app-site-association --app no.such", 2, "no.such"),
        Call("diff - -", 64, "standard input"), Call("diff apple-app-site-association", 64, "Missing"),
        Call("generate", 64, "no app"),
        Call("generate --from missing.yaml", 2, "there is no such file"), Call("generate --from .", 2, "folder"),
        Call("fetch", 64, "Missing"), Call("fetch http:///x", 64, "neither a domain"),
        Call("lint --frobnicate x", 64, "Unknown option"), Call("--version", 0, "0."),
    ]

    @Test("Each outcome has its exit code and a reason", arguments: calls)
    func codes(_ call: Call) async throws {
        let folder = try SampleFiles.folder()
        try folder.write("{\"applinks\": {\"details\": [{\"appIDs\": [\"x\"], \"paths\": []}]}}\n", to: "broken.json")
        try folder.write("hello\n", to: "text.json")
        for (name, apps) in [("first.json", "ab"), ("second.json", "ba")] {
            let all = apps.map { #"{"appIDs": ["A1B2C3D4E5.com.acme.\#($0)"], "components": [{"/": "/x"}]}"# }
            try folder.write(#"{"applinks": {"details": [\#(all.joined(separator: ","))]}}"#, to: name)
        }
        let run = try await WellKnownRun.run(call.words, in: folder.path)
        #expect(run.code == call.code, "\(run.output)\(run.errors)")
        #expect((run.output + run.errors).contains(call.says), "\(run.output)\(run.errors)")
        if call.code == 2 || call.code == 64 { #expect(call.words.first == "lint" || run.output.isEmpty) }
    }

    @Test("Standard input is linted, matched and compared like a file")
    func standardInput() async throws {
        let folder = try SampleFiles.folder()
        let lint = try await WellKnownRun.run(["lint", "--all", "-"], in: folder.path, input: SampleFiles.assetLinks)
        #expect(lint.code == 0)
        #expect(lint.output.contains("fp.play-signing"))
        let match = try await WellKnownRun.run(
            ["match", "-", Self.site + "/shop/1"], in: folder.path, input: SampleFiles.aasa)
        #expect(match.code == 0)
        let diff = try await WellKnownRun.run(
            ["diff", "apple-app-site-association", "-"], in: folder.path,
            input: SampleFiles.aasa.replacing("\"/shop/*\"", with: "\"/sale/*\""))
        #expect(diff.code == 1)
        #expect(diff.output.contains("https://example.com/sale"))
        let empty = try await WellKnownRun.run(["match", "-", Self.site], in: folder.path)
        #expect(empty.code == 2)
    }
}

/// Pipes and full disks.
@Suite("wellknown as a program: pipes", .deployment)
struct ProgramPipeTests {
    @Test("A shell's <(command) works like a file, also if it arrives in parts")
    func substitution() async throws {
        let folder = try SampleFiles.folder()
        let shell =
            "\(WellKnownRun.program) diff <(head -c 30 apple-app-site-association; tail -c +31 "
            + "apple-app-site-association) apple-app-site-association"
        let run = try await WellKnownRun.command(["/bin/bash", "-c", shell], in: folder.path)
        #expect(run.code == 0, "\(run.output)\(run.errors)")
    }

    @Test("An endless input is rejected at the size limit", arguments: ["/dev/zero"])
    func endless(name: String) async throws {
        let run = try await WellKnownRun.run(["lint", name])
        #expect(run.code == 2)
        #expect(run.output.contains("larger than 8 MiB"), "\(run.output)")
    }

    @Test("A result that cannot be written is a failure, except for a closed pipe")
    func output() async throws {
        let folder = try SampleFiles.folder()
        let full = try await WellKnownRun.command(
            ["/bin/sh", "-c", "\(WellKnownRun.program) lint assetlinks.json > /dev/full"], in: folder.path)
        #expect(full.code == 2)
        #expect(full.errors.contains("cannot write"))
        let gone = try await WellKnownRun.command(
            [
                "/bin/bash", "-c",
                "trap '' PIPE; { \(WellKnownRun.program) lint assetlinks.json; echo $? >&2; } | true",
            ],
            in: folder.path)
        #expect(["0\n"].contains(gone.errors), "\(gone.errors)")
    }
}
