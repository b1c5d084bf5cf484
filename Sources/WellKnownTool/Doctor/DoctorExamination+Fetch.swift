import Foundation
import SSOShared
import WellKnown

/// Fetches the files that were not given.
extension DoctorExamination {
    private static let aasaPath = "/.well-known/apple-app-site-association"

    /// Requests the selected systems' files as a phone does. One that does not arrive becomes a line of the table.
    mutating func fetch(with client: WebClient) async {
        let platforms = platforms
        if platforms.contains(.ios), aasa == nil { aasa = await file(Self.aasaPath, .ios, client) }
        if platforms.contains(.android), assetlinks == nil {
            assetlinks = await file(AssetLinks.path, .android, client)
        }
    }

    mutating func ask(_ services: ServiceProbe) async {
        let platforms = platforms
        if platforms.contains(.ios) {
            let (url, outcome) = await services.askApple()
            let answer = AppleCDNAnswer(outcome)
            let found = answer.findings(
                origin: aasa?.body, url: url, host: host.name, expiry: now.later(by: answer.secondsLeft))
            answered.append(serviceLine(.ios, DoctorLine.appleCopy, url, found, ServiceNotes.notes(answer)))
        }
        if platforms.contains(.android) {
            let (url, outcome) = await services.askGoogleForStatements()
            let answer = GoogleLinksAnswer(outcome)
            var own: [AssetLink]?
            if let body = assetlinks?.body,
                AssetLinksFile(reading: body)?.statements.allSatisfy(\.include.isAbsent) == true,
                let query = AssetQuery(site: "https://\(host.name)")
            {
                let content = GivenAssetContent(url: "https://\(host.name)\(AssetLinks.path)", body: body)
                own = await DigitalAssetLinksClient(content: content).answer(query).statements
            }
            let found = answer.findings(origin: own, url: url, expiry: now.later(by: answer.secondsLeft))
            answered.append(serviceLine(.android, DoctorLine.googleAnswer, url, found, ServiceNotes.notes(answer)))
        }
    }

    private func serviceLine(
        _ platform: LinkPlatform, _ subject: String, _ url: String, _ findings: [Finding], _ notes: [String]
    ) -> DoctorLine {
        let unreachable = ["cdn.unreachable", "dal.unreachable", "cdn.unknown"]
        let worst = findings.max { $0.severity < $1.severity }
        let verdict: DoctorLine.Verdict =
            switch worst?.severity {
            case nil: .agrees
            case .info?: .notChecked
            case .warning?, .error?:
                unreachable.contains(worst?.code ?? "") ? .notChecked : worst?.severity == .error ? .differs : .caution
            }
        return DoctorLine(
            platform, subject, .init("domain", host.name),
            .init(url, worst?.message ?? notes.first ?? "the same as the site"), verdict, worst?.fix)
    }

    private mutating func file(
        _ path: String, _ platform: LinkPlatform, _ client: WebClient
    ) async -> (place: String, body: [UInt8])? {
        let url = "https://\(host.name)\(path)"
        let found: String
        switch await client.ask(WebRequest(url: url)) {
        case .success(let answer) where answer.status == 200 && !answer.isTruncated: return (url, answer.body)
        case .success(let answer) where answer.isTruncated: found = "more than \(client.settings.largestBody) bytes"
        case .success(let answer) where answer.isRedirect:
            found = "status \(answer.status), to \(answer["location"] ?? "nowhere")"
        case .success(let answer): found = "status \(answer.status)"
        case .failure(let failure):
            unserved.append(line(platform, url, failure.words, .notChecked))
            return nil
        }
        unserved.append(line(platform, url, found, .differs))
        return nil
    }

    /// Reports a failed request. A wrong response is an error, because phones get the same response. A server that this
    /// machine cannot reach is not checked, because phones may still reach it.
    private func line(
        _ platform: LinkPlatform, _ url: String, _ found: String, _ verdict: DoctorLine.Verdict
    ) -> DoctorLine {
        DoctorLine(
            platform, DoctorLine.file, .init("domain", host.name), .init(url, found), verdict,
            verdict == .differs
                ? "Serve it with status 200 at exactly this address: wellknown fetch \(host.name) shows every step."
                : "Give the file with --\(platform == .ios ? "aasa" : "assetlinks") FILE, or see: wellknown fetch \(host.name)"
        )
    }
}
