import Foundation
import SSOShared
import WellKnown

/// Requests a site's data from Apple's CDN and Google's service.
struct ServiceProbe: Sendable {
    static let apple = "https://app-site-association.cdn-apple.com"
    static let google = "https://digitalassetlinks.googleapis.com"
    /// The maximum number of checks: enough for a site's apps, and a limit for a file with a thousand fingerprints.
    static let mostChecks = 10

    let client: WebClient
    let target: FetchTarget
    /// The base URL without a trailing slash.
    let appleBase: String
    let googleBase: String

    func askApple() async -> (url: String, outcome: HTTPOutcome) {
        let url = "\(appleBase)/a/v1/\(target.host)"
        return (url, await ask(url, standard: appleBase == Self.apple))
    }

    func askGoogleForStatements() async -> (url: String, outcome: HTTPOutcome) {
        let url = "\(googleBase)/v1/statements:list?source.web.site=\(PercentCoding.encode(site))"
        return (url, await ask(url, standard: googleBase == Self.google))
    }

    /// Asks Google whether it links the site to the apps in its file. Only the first ten are checked.
    func askGoogleForLinks(_ links: [AssetLink]) async -> [(link: AssetLink, url: String, outcome: HTTPOutcome)] {
        var answers: [(link: AssetLink, url: String, outcome: HTTPOutcome)] = []
        for link in links {
            guard answers.count < Self.mostChecks else { break }
            guard case .androidApp(let package, let fingerprint) = link.target else { continue }
            let url =
                "\(googleBase)/v1/assetlinks:check?source.web.site=\(PercentCoding.encode(site))"
                + "&relation=\(PercentCoding.encode(link.relation))&target.androidApp.packageName=\(PercentCoding.encode(package))"
                + "&target.androidApp.certificate.sha256Fingerprint=\(PercentCoding.encode(fingerprint))"
            answers.append((link, url, await ask(url, standard: googleBase == Self.google)))
        }
        return answers
    }

    private var site: String { "https://" + target.authority }

    private func ask(_ url: String, standard: Bool) async -> HTTPOutcome {
        var request = WebRequest(url: url)
        request.userAgent = "wellknown/\(ProductVersion.text)"
        // The address that a user names may be private. Addresses from the site's own responses may not.
        request.allowsPrivate = !standard
        request.allowsHTTP = !standard
        return await client.ask(request)
    }
}

/// Describes the answers of the services, one line each, including positive answers.
enum ServiceNotes {
    static func notes(_ answer: AppleCDNAnswer) -> [String] {
        switch answer {
        case .copy(let body, let from, let age, let maxAge):
            var text = "Apple's CDN has a copy of \(body.count) bytes"
            if let from { text += " from \(from)" }
            if let age { text += ", fetched \(age) s ago" }
            if let maxAge { text += ", kept for \(maxAge) s" }
            return [text + "."]
        case .failure(let failure, _):
            return ["Apple's CDN has a failure instead of a copy: \(failure.code) \(failure.reason)."]
        case .unknown, .unreachable: return []
        }
    }

    static func notes(_ answer: GoogleLinksAnswer) -> [String] {
        guard case .answer(let statements, _, _, let maxAge) = answer else { return [] }
        let kept = maxAge.map { ", kept for \($0)" } ?? ""
        return ["Google's service has \(statements.count) statement\(statements.count == 1 ? "" : "s")\(kept)."]
    }
}
