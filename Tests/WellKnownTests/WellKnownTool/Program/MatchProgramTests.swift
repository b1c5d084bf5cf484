import Foundation
import Testing
import WellKnown

@testable import TestKit

/// Some rows of the table of URLs, run as a build server does. The library's own tests run all rows.
@Suite("wellknown match as a program", .deployment)
struct MatchProgramTests {
    @Test(
        "The JSON object and the exit code agree with the table",
        arguments: Array(MatchCase.all.enumerated().filter { $0.offset % 11 == 0 }.map(\.element)))
    func table(_ element: MatchCase) async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(String(decoding: element.file, as: UTF8.self), to: "file.json")
        let isApple = element.id.hasPrefix("A")
        let run = try await WellKnownRun.run([
            "match", file, element.url, "--app", element.app, "--platform", isApple ? "ios" : "android", "--format",
            "json",
        ])
        let answer = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
        let decision = try #require(answer["decision"] as? String)
        let isShut = element.expected == "does not open" && decision != "opens"
        #expect(isShut || decision == element.expected)
        #expect(run.code == (decision == "opens" ? 0 : decision == "manifest decides" ? 3 : 1))
        #expect((answer["disputed"] as? Bool) == element.isDisputed || element.id == "A098")
        let rule = answer["rule"] as? [String: Any]
        if decision != "no match" {
            #expect((rule?["pointer"] as? String)?.hasPrefix("/") == true)
            #expect((rule?["line"] as? Int ?? 0) >= 1 && (rule?["column"] as? Int ?? 0) >= 1)
        }
    }

    @Test("A body that is not an association file is reported by its kind")
    func bodies() async throws {
        let page = try await WellKnownRun.run(
            ["match", "-", "https://acme.com/"], input: "<html><title>Not found</title></html>")
        #expect(page.code == 2 && page.errors.contains("a page with the title \"Not found\""))
        let rules = try await WellKnownRun.run(
            ["match", "-", "https://acme.com/"], input: #"{"dynamic_app_link_components": "/a"}"#)
        #expect(rules.code == 3 && rules.output.contains("the list of rules is a string"))
    }

    @Test("For an app that the file does not name, the answer lists the named apps")
    func strangers() async throws {
        let text = #"{"applinks":{"details":[{"appIDs":["K7Q2M9X4TB.com.acme.a"],"components":[{"/":"/a/*"}]}]}}"#
        let run = try await WellKnownRun.run(
            ["match", "-", "https://acme.com/a/1", "--app", "com.acme.a"], input: text)
        #expect(run.code == 1 && run.output.contains("K7Q2M9X4TB.com.acme.a: on iOS an app is named with its"))
        let other = try await WellKnownRun.run(
            ["match", "-", "https://acme.com/a/1", "--app", "K7Q2M9X4TB.com.acme.b"], input: text)
        #expect(other.output.contains("The file names") && other.output.contains("K7Q2M9X4TB.com.acme.a."))
    }

    @Test("explain shows ignored parts of a rule, values from defaults, and the number of rules")
    func notes() async throws {
        let text = """
            {"applinks":{"defaults":{"caseSensitive":false},"details":[{"appIDs":["K7Q2M9X4TB.com.acme.a"],
            "components":[{"/":"/buy/??????","exclude":"true","Path":1}]}]}}
            """
        let run = try await WellKnownRun.run(["explain", "-", "https://acme.com/buy/1"], input: text)
        let words = run.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        for part in [
            "needs at least 11 characters, has 6", "note: \"exclude\" is a string, and counts as if it were not there",
            "note: \"Path\" is not a key that systems know",
            "note: letters in both cases are one: caseSensitive is false in the defaults of applinks",
        ] {
            #expect(words.contains(part), "\(run.output)")
        }
    }

    @Test("Of several apps, the first one that opens the link is named")
    func severalApps() async throws {
        let text = """
            {"applinks":{"details":[
            {"appIDs":["K7Q2M9X4TB.com.acme.a"],"components":[{"/":"/a/*"}]},
            {"appIDs":["K7Q2M9X4TB.com.acme.b"],"components":[{"/":"/b/*"}]}]}}
            """
        let run = try await WellKnownRun.run(
            ["match", "-", "https://acme.com/b/1", "--format", "json"], input: text)
        let answer = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
        #expect(answer?["app"] as? String == "K7Q2M9X4TB.com.acme.b")
        #expect(answer?["decision"] as? String == "opens")
    }
}

/// `wellknown diff` prints a URL for each change. Changes without an effect on links are not printed.
@Suite("wellknown diff as a program", .deployment)
struct DiffProgramTests {
    private func apple(_ components: String) -> String {
        "{\"applinks\":{\"details\":[{\"appIDs\":[\"\(SampleFiles.app)\"],\"components\":[\(components)]}]}}"
    }

    @Test("diff names a URL for files that decode URLs differently")
    func otherReading() async throws {
        let folder = try TemporaryFolder()
        for (old, new, address) in [
            (#"{"/":"/caf%C3%A9"}"#, #"{"/":"/café","percentEncoded":false}"#, "/caf%c3%a9"),
            (#"{"/":"/a"}"#, #"{"/":"/a","percentEncoded":false}"#, "/%61"),
        ] {
            try folder.write(apple(old), to: "old.json")
            try folder.write(apple(new), to: "new.json")
            let run = try await WellKnownRun.run(["diff", "old.json", "new.json"], in: folder.path)
            #expect(run.code == 1 && run.output.contains(address), "\(run.output)")
        }
    }

    @Test("match confirms each URL of diff with the old file and with the new file")
    func witnesses() async throws {
        let folder = try TemporaryFolder()
        try folder.write(apple(#"{"/":"/shop/*"},{"/":"/old"}"#), to: "old.json")
        try folder.write(
            apple(#"{"/":"/shop/x","exclude":true},{"/":"/shop/*"},{"/":"/new","?":{"a":"?*"}}"#), to: "new.json")
        let run = try await WellKnownRun.run(["diff", "old.json", "new.json", "--format", "json"], in: folder.path)
        #expect(run.code == 1)
        let answer = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
        #expect(answer["same"] as? Bool == false)
        let changes = try #require(answer["changes"] as? [[String: String]])
        #expect(Set(changes.map { "\($0["old"] ?? "") \($0["new"] ?? "")" }).count == 3)
        for change in changes {
            for side in ["old", "new"] {
                let match = try await WellKnownRun.run(
                    ["match", "\(side).json", try #require(change["url"]), "--app", SampleFiles.app], in: folder.path)
                #expect(match.output.contains(": \(try #require(change[side]))\n"), "\(change) \(match.output)")
            }
        }
    }

    @Test("Order, comments and notation without an effect are not differences")
    func same() async throws {
        let folder = try TemporaryFolder()
        try folder.write(apple(#"{"/":"/a"},{"/":"/b"}"#), to: "old.json")
        try folder.write(apple(#"{"comment":"x","/":"/b"}, {"/":"/a","exclude":false}"#), to: "new.json")
        let run = try await WellKnownRun.run(["diff", "old.json", "new.json", "--format", "json"], in: folder.path)
        #expect(run.code == 0, "\(run.output)")
    }

    @Test("Added and removed apps are named, also on Android, and --app selects one app")
    func apps() async throws {
        let folder = try SampleFiles.folder()
        try folder.write(SampleFiles.assetLinks.replacing("com.acme.shop", with: "com.acme.new"), to: "new.json")
        let all = try await WellKnownRun.run(["diff", "assetlinks.json", "new.json"], in: folder.path)
        #expect(all.code == 1)
        #expect(all.output.contains("com.acme.new: added\n") && all.output.contains("com.acme.shop: removed\n"))
        let one = try await WellKnownRun.run(
            ["diff", "assetlinks.json", "new.json", "--app", "com.acme.new"], in: folder.path)
        #expect(!one.output.contains("com.acme.shop"))
    }
}
