import Foundation
import SSOShared
import Testing

@testable import TestKit
@testable import WellKnown
@testable import WellKnownTool

/// Our parser continues after errors to report all of them. The decision about a link follows the systems' parsers.
@Suite("Files that the systems' parsers reject", .rules)
struct FileAcceptanceTests {
    private static let app = "K7Q2M9X4TB.com.acme.shop"
    private static let print = (0..<32).map { _ in "AB" }.joined(separator: ":")
    private static let sound =
        #"{"applinks":{"details":[{"appIDs":["\#(app)"],"components":[{"/":"/a"}]}]}}"#

    private func explain(_ text: String) throws -> LinkExplanation {
        let file = try #require(AASAFile(JSONReader.read(text.utf8)))
        let url = try #require(LinkURL("https://acme.com/a"))
        let matcher = AppleMatcher(file)
        let explanation = matcher.explain(url, app: Self.app)
        #expect(matcher.decide(url, app: Self.app) == explanation.decision)
        return explanation
    }

    @Test(
        "Apple's parser rejects comments, typographic quotes and unusual blanks, and the position is reported",
        arguments: [
            (#""/a"}"#, "\"/a\" // the shop\n}"), (#""/a"}"#, #""/a" /* the shop */}"#),
            (#""/a""#, "\u{201c}/a\u{201d}"), (#""/a""#, "'/a'"), (#":"/a""#, ":\u{a0}\"/a\""),
        ])
    func refused(sound: String, damaged: String) throws {
        let text = Self.sound.replacing(sound, with: damaged)
        #expect(text != Self.sound)
        let explanation = try explain(text)
        #expect(explanation.decision == .noMatch)
        #expect(explanation.summary.contains("refuses the whole file: 1:"), "\(explanation.summary)")
    }

    @Test(
        "an extra comma and a byte-order mark are accepted and reported as disputed",
        arguments: [("}]}]}}", "},]}]}}"), ("{\"applinks", "\u{feff}{\"applinks")])
    func disputed(sound: String, damaged: String) throws {
        let explanation = try explain(Self.sound.replacing(sound, with: damaged))
        #expect(explanation.decision == .opens && explanation.isDisputed)
        #expect(explanation.disputes.first?.otherwise == .noMatch)
        #expect(try !explain(Self.sound).isDisputed)
    }

    @Test(
        "a pattern with an undefined variable matches no URL, even if the rest is only stars",
        arguments: [
            #"{"/":"/$(nope)*"}"#, #"{"/":"*$(nope)"}"#, #"{"/":"/a","?":"$(nope)*"}"#,
            #"{"/":"/a","?":{"a":"$(nope)*"}}"#, ##"{"/":"/a","#":"*$(nope)*"}"##,
        ])
    func undefinedVariable(component: String) throws {
        let text = #"{"applinks":{"details":[{"appIDs":["\#(Self.app)"],"components":[\#(component)]}]}}"#
        #expect(try explain(text).decision == .noMatch)
    }

    @Test("the last of equal keys counts, and a different decision by the first is reported")
    func equalKeys() throws {
        func file(_ paths: String) -> String {
            #"{"applinks":{"details":[{"appIDs":["\#(Self.app)"],"components":[{\#(paths)}]}]}}"#
        }
        let differing = try explain(file(#""/":"/b","/":"/a""#))
        #expect(differing.decision == .opens)
        #expect(differing.disputes.map(\.code) == ["duplicate-key"])
        #expect(differing.disputes.first?.otherwise == .noMatch)
        #expect(try !explain(file(#""/":"/a","/":"/a""#)).isDisputed)
    }

    private static func list(_ prints: String, tail: String = "") -> String {
        """
        [{"relation":["delegate_permission/common.handle_all_urls"],"target":{"namespace":"android_app",
        "package_name":"com.acme.shop","sha256_cert_fingerprints":[\(prints)]}}\(tail)]
        """
    }

    @Test(
        "Android verifies no link with a malformed fingerprint or with invalid JSON",
        arguments: [
            ("\"\(print.lowercased())\"", "", "upper case"), ("", "", "no certificate fingerprint"),
            ("\"AB:CD\"", "", "not a SHA-256"), ("\"\(print)\"", ",", "takes the list for none"),
            ("\"\(print)\" // release", "\n", "takes the list for none"),
        ])
    func android(prints: String, tail: String, words: String) throws {
        let url = try #require(LinkURL("https://acme.com/a"))
        let file = try #require(AssetLinksFile(JSONReader.read(Self.list(prints + "\n", tail: tail).utf8)))
        let matcher = AndroidMatcher(file)
        let explanation = matcher.explain(url, package: "com.acme.shop")
        #expect(explanation.decision == .noMatch)
        #expect(matcher.decide(url, package: "com.acme.shop") == .noMatch)
        #expect(explanation.summary.contains(words), "\(explanation.summary)")
        let good = try #require(AssetLinksFile(JSONReader.read(Self.list("\"AB:CD\",\"\(Self.print)\"").utf8)))
        #expect(AndroidMatcher(good).decide(url, package: "com.acme.shop") == .manifestDecides)
    }

    @Test("diff reports a changed certificate as a difference for every link")
    func certificates() throws {
        func matcher(_ print: String) throws -> AndroidMatcher {
            AndroidMatcher(try #require(AssetLinksFile(JSONReader.read(Self.list("\"\(print)\"").utf8))))
        }
        let other = Self.print.replacing("AB:AB", with: "CD:CD")
        let diff = LinkDiff.between(try matcher(Self.print), try matcher(other))
        #expect(diff.changedCertificates == ["com.acme.shop"] && !diff.isEmpty)
        #expect(LinkDiff.between(try matcher(Self.print), try matcher(Self.print)).isEmpty)
    }

    @Test("between a valid and a rejected file, every link that opened is a difference")
    func refusedDiff() throws {
        let sound = AppleMatcher(try #require(AASAFile(JSONReader.read(Self.sound.utf8))))
        let refused = AppleMatcher(try #require(AASAFile(JSONReader.read((Self.sound + " // done").utf8))))
        let changes = LinkDiff.between(sound, refused).changes
        #expect(changes.map(\.old) == [.opens] && changes.map(\.new) == [.noMatch])
        #expect(changes.allSatisfy { refused.decide($0.witness, app: Self.app) == $0.new })
        #expect(LinkDiff.between(refused, sound).changes.map(\.new) == [.opens])
    }

    @Test("rules with two ways to read a URL are compared by examples, and the rest is reported as not decided")
    func mixedReadings() throws {
        func matcher(_ second: String) throws -> AppleMatcher {
            let rules = #"[{"/":"/a"},{"/":"\#(second)","percentEncoded":false}]"#
            return AppleMatcher(
                try #require(AASAFile(JSONReader.read(Self.sound.replacing(#"[{"/":"/a"}]"#, with: rules).utf8))))
        }
        let diff = LinkDiff.between(try matcher("/b"), try matcher("/c"))
        #expect(Set(diff.changes.map(\.witness.path)).isSuperset(of: ["/b"]))
        #expect(diff.notDecided == [Self.app])
    }

    @Test("a host's file does not apply to other hosts, also with www, but a test server's file does")
    func hosts() throws {
        let link = try #require(LinkURL("https://www.acme.com/a"))
        for (name, isForeign) in [
            ("acme.com", true), ("www.acme.com", false), ("127.0.0.1:8443", false), ("acme.com:8443", false),
            ("https://acme.com/files/aasa.json", false), ("WWW.acme.com", false),
        ] {
            #expect(LinkQuestion.isForeign(link, to: try #require(FetchTarget(name))) == isForeign, "\(name)")
        }
        let subject = try LinkSubject(
            AssociationInput(name: "aasa", body: Array(Self.sound.utf8), kind: .aasa), platform: nil)
        let answers = subject.foreign(link, asked: "acme.com")
        #expect(answers.exitCode == 3)
        #expect(answers.deciding?.summary.contains("asks https://www.acme.com/.well-known/") == true)
    }

    @Test("the pages about open questions contain every open question")
    func page() throws {
        let pages = ["0010-open-questions-of-matching.md", "0060-more-open-questions-of-matching.md"]
        let text = try pages.map {
            try String(contentsOf: TestVectors.repository.appending(path: "docs/decisions/\($0)"), encoding: .utf8)
        }.joined()
        let android = [
            "android-star", "android-star-next", "android-port", "android-valueless", "android-empty-rule",
            "android-declared-twice",
        ]
        for code in OpenQuestion.all.map(\.code) + android + ["trailing-comma", "text-encoding", "duplicate-key"] {
            #expect(text.contains("| `\(code)` |"), "\(code)")
        }
    }
}
