import ArgumentParser
import WellKnown

/// Decides every link of an expectations file, and compares the result with what is expected.
struct ExpectationCheck {
    /// The result for one link on one system.
    struct Result: Sendable, Hashable, Encodable {
        enum Verdict: String, Sendable, Encodable {
            case asExpected = "as expected"
            case differs
            case notDecided = "not decided"
            case unreadable
        }

        let url, platform, expected, found, summary: String
        let verdict: Verdict
        let line: Int
    }

    let file: ExpectationsFile
    let network: NetworkOptions
    /// Each file of each host is read once.
    private var subjects: [String: Swift.Result<LinkSubject, InputError>] = [:]
    private var manifests = ManifestCache()

    init(_ file: ExpectationsFile, network: NetworkOptions) { (self.file, self.network) = (file, network) }

    /// Decides one link on all systems for which something is expected.
    mutating func results(_ expectation: ExpectationsFile.Expectation) async throws -> [Result] {
        var results: [Result] = []
        for (platform, outcome) in expectation.outcomes {
            let (found, verdict, summary) = try await self.found(expectation.link, platform, outcome)
            results.append(
                Result(
                    url: expectation.link.description, platform: platform.rawValue, expected: outcome.words,
                    found: found, summary: summary, verdict: verdict, line: expectation.line))
        }
        return results
    }

    private mutating func found(
        _ link: LinkURL, _ platform: LinkPlatform, _ outcome: ExpectationsFile.Outcome
    ) async throws -> (String, Result.Verdict, String) {
        let local = file.files[ExpectationsFile.host(of: link)]
        let subject: LinkSubject
        do {
            subject = try await self.subject(link, platform, platform == .ios ? local?.aasa : local?.assetlinks)
        } catch let error as InputError {
            return ("unknown", .unreadable, error.description)
        }
        let answer: LinkAnswer?
        if platform == .android, let manifest = local?.manifest, case .android(let links, _) = subject {
            switch manifests.read(manifest) {
            case .failure(let error): return ("unknown", .unreadable, error.description)
            case .success(let read):
                var package = read.package ?? (links.apps.count == 1 ? links.apps[0] : nil)
                if package == nil, case .app(let name) = outcome { package = name }
                guard let package else { return ("unknown", .unreadable, "the manifest has no package") }
                let matcher = AndroidAppMatcher(
                    read.filters, links: links, package: package,
                    minimumSDK: read.minimumSDK ?? AndroidVersion.verification, targetSDK: read.targetSDK)
                answer = LinkAnswer(app: package, manifest: manifest, decisions: matcher.decisions(link))
            }
        } else {
            let first = subject.answers(link, typed: link.description, app: nil, onlyDeciding: true).deciding
            answer = first.flatMap { expected(outcome, beside: $0, link, subject) } ?? first
        }
        guard let answer else { return ("unknown", .notDecided, "the file names no app") }
        switch answer.verdict {
        case .notDecided: return ("not decided", .notDecided, answer.summary)
        case .doesNotOpen: return ("browser", outcome == .browser ? .asExpected : .differs, answer.summary)
        case .opens:
            let app = answer.app ?? "an app"
            return (app, outcome == .app(app) ? .asExpected : .differs, answer.summary)
        }
    }

    /// The answer of the expected app, if it opens the link like the first app that does: any verified app on Android, and on iOS
    /// one that the same entry names.
    private func expected(
        _ outcome: ExpectationsFile.Outcome, beside first: LinkAnswer, _ link: LinkURL, _ subject: LinkSubject
    ) -> LinkAnswer? {
        guard first.verdict == .opens, case .app(let app) = outcome, subject.apps.contains(app),
            let answer = subject.answers(link, typed: link.description, app: app, onlyDeciding: true).deciding,
            answer.verdict != .doesNotOpen
        else { return nil }
        let isAlike = answer.explanation?.deciding?.entry == first.explanation?.deciding?.entry
        return subject.platform == .android || isAlike ? answer : nil
    }

    private mutating func subject(
        _ link: LinkURL, _ platform: LinkPlatform, _ local: String?
    ) async throws -> LinkSubject {
        let port = link.port.map { ":\($0)" } ?? ""
        let source = local ?? "https://\(link.host)\(port)\(platform.file.path)"
        let key = "\(platform.rawValue) \(source)"
        if let known = subjects[key] { return try known.get() }
        do {
            let subject = try await LinkSubject.reading(source, platform: platform, network: network)
            subjects[key] = .success(subject)
            return subject
        } catch let error as InputError {
            let error = InputError(description: "\(source.printable): \(error)")
            subjects[key] = .failure(error)
            throw error
        }
    }
}
