import ArgumentParser
import Foundation
import WellKnown

/// Measures the library in comparison with the alternatives.
struct Speed: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "speed",
        abstract: "Lints a file of 128 KB and matches links against 40 rules, with yardsticks in the same run.")

    @Option(help: "Rounds; the median of them is printed.") var rounds = 9

    /// Forty rules of the kinds that real files have.
    static let fortyRules: AASAFile? = {
        let rules = (0..<38).map { index in
            switch index % 5 {
            case 0: "{\"/\":\"/section\(index)/*\"}"
            case 1: "{\"/\":\"/item/\(index)/????\",\"?\":{\"ref\":\"?*\"}}"
            case 2: "{\"/\":\"/private\(index)/*\",\"exclude\":true}"
            case 3: "{\"/\":\"/*/shop\(index)\",\"caseSensitive\":false}"
            default: "{\"/\":\"/$(lang)/page\(index)/*\"}"
            }
        }
        let all = rules + ["{\"#\":\"no_links\",\"exclude\":true}", "{\"/\":\"/last/*\"}"]
        let text =
            "{\"applinks\":{\"details\":[{\"appIDs\":[\"A1B2C3D4E5.com.example.app\"],\"components\":["
            + all.joined(separator: ",") + "]}]}}"
        return AASAFile(reading: text.utf8)
    }()

    func run() throws {
        guard let rules = Self.fortyRules else { throw ExitCode(1) }
        let body = Self.largeBody()
        let lint = median { _ = AssociationLint.lint(body: body, as: .aasa) }
        let foundation = try medianThrowing { _ = try JSONSerialization.jsonObject(with: Data(body)) }
        print("lint of \(body.count) bytes: \(text(lint)) (Foundation's reader alone: \(text(foundation)))")

        let matcher = AppleMatcher(rules)
        let links = Self.links.compactMap(LinkURL.init)
        guard let app = matcher.apps.first, links.count == Self.links.count else { throw ExitCode(1) }
        let repeats = 20_000
        let ours = median {
            for _ in 0..<repeats { for link in links { blackHole(matcher.decide(link, app: app)) } }
        }
        let expressions = try Self.expressions()
        let paths = links.map { "\($0.path)" }
        let theirs = median {
            for _ in 0..<repeats / 100 {
                for path in paths {
                    let all = NSRange(location: 0, length: path.utf16.count)
                    blackHole(expressions.firstIndex { $0.firstMatch(in: path, range: all) != nil })
                }
            }
        }
        let rate = Double(repeats * links.count) / ours
        let other = Double(repeats / 100 * links.count) / theirs
        print(
            "matches over 40 rules on one core: \(Int(rate))/s (as regular expressions of Foundation: "
                + "\(Int(other))/s, ratio \(String(format: "%.0f", rate / other)))")
    }

    private static let links = [
        "https://example.com/section0/a/b", "https://example.com/item/1/abcd?ref=x", "https://example.com/a/shop3",
        "https://example.com/en/page4/x", "https://example.com/last/one?q=1#top", "https://example.com/nothing/here",
        "https://example.com/private12/x", "https://example.com/section35/",
    ]

    /// The paths of the same rules, for a comparison without the matcher.
    private static func expressions() throws -> [NSRegularExpression] {
        try (fortyRules?.applinks.value?.entries.first?.components.value ?? []).map { component in
            let pattern = NSRegularExpression.escapedPattern(for: component.fields?.path.value ?? "*")
                .replacing("\\*", with: ".*").replacing("\\?", with: ".").replacing("\\$\\(lang\\)", with: "[a-z]{2,3}")
            return try NSRegularExpression(pattern: "^\(pattern)$")
        }
    }

    /// A file of the largest size that Apple accepts, with entries of eight apps with different rules.
    private static func largeBody() -> [UInt8] {
        var entries: [String] = []
        var length = 0
        while length < 130_000 {
            let number = entries.count
            let rules = (0..<20).map {
                "{\"/\":\"/area\(number)/part\($0)/*\",\"comment\":\"part \($0) of \(number)\"}"
            }
            let entry =
                "{\"appIDs\":[\"A1B2C3D4E5.com.example.app\(number % 8)\"],\"components\":["
                + rules.joined(separator: ",") + "]}"
            length += entry.utf8.count + 1
            entries.append(entry)
        }
        return Array("{\"applinks\":{\"details\":[\(entries.joined(separator: ","))]}}".utf8)
    }

    /// The median time in seconds.
    private func median(_ work: () -> Void) -> Double {
        work()
        let times = (0..<max(1, rounds)).map { _ in
            let time = ContinuousClock().measure(work)
            return Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
        }
        return times.sorted()[times.count / 2]
    }

    private func medianThrowing(_ work: () throws -> Void) throws -> Double {
        try work()
        return median { try? work() }
    }

    private func text(_ seconds: Double) -> String { String(format: "%.2f ms", seconds * 1_000) }
}

/// Prevents the optimiser from removing the computation.
@inline(never) private func blackHole<Value>(_ value: Value) {}
