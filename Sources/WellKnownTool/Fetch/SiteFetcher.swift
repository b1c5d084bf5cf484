import Foundation
import SSOShared
import WellKnown

/// Fetches the files of a site, queries both services, and collects the findings.
struct SiteFetcher: Sendable {
    let client: WebClient
    let target: FetchTarget
    let kinds: [AssociationKind]
    /// The services to query, or `nil` to query none.
    let services: ServiceProbe?
    /// The time of the requests, from which the copies of both services have so many seconds left.
    let now: Date

    func run() async -> FetchReport {
        // An address names one file. A domain is asked for the neighbours, too.
        async let neighbours =
            target.path == nil && kinds.count > 1 ? NeighbourProbe(client: client, target: target).all() : []
        var report = await files()
        report.neighbours = await neighbours
        return report
    }

    private func files() async -> FetchReport {
        await withTaskGroup(of: FetchReport.File.self) { group in
            for kind in kinds { group.addTask { await file(kind) } }
            var files: [FetchReport.File] = []
            for await file in group { files.append(file) }
            files.sort { $0.kind.rawValue < $1.kind.rawValue }
            Self.compareServices(&files)
            return FetchReport(target: target, files: files)
        }
    }

    /// Compares which apps share passwords on the two systems, if both files can be read.
    private static func compareServices(_ files: inout [FetchReport.File]) {
        guard let aasa = files.firstIndex(where: { $0.kind == .aasa }), let body = files[aasa].body,
            let links = files.firstIndex(where: { $0.kind == .assetlinks }), let other = files[links].body,
            let file = AASAFile(reading: body), let list = AssetLinksFile(JSONReader.read(other))
        else { return }
        let names = (files[aasa].url, files[links].url)
        for finding in ParityLint(file, list).serviceFindings(names.0, names.1) {
            files[finding.file == names.1 ? links : aasa].findings.append(finding)
        }
    }

    private func file(_ kind: AssociationKind) async -> FetchReport.File {
        let path = target.path ?? kind.path
        let seen = await OriginProbe(client: client, target: target).observe(kind, at: path)
        var file = FetchReport.File(
            kind: kind, url: seen.url, isChecked: seen.isChecked, facts: FetchReport.Fact.list(seen),
            findings: TransportLint.findings(seen))
        file.body = seen.body
        if var place = TransportLint.placeFinding(path: path, file: kind) {
            place.file = seen.url
            file.findings.append(place)
        }
        lint(seen, path, into: &file)
        switch kind {
        case .aasa: await apple(seen, into: &file)
        case .assetlinks: await google(seen, into: &file)
        }
        return file
    }

    /// Adds the linter's findings about the body. The transport findings replace those about how the file was served.
    private func lint(_ seen: OriginObservation, _ path: String, into file: inout FetchReport.File) {
        guard let body = seen.body else { return }
        let options = LintOptions(file: seen.url, domain: target.host, servedPath: path)
        let report = AssociationLint.lint(body: body, as: file.kind, options: options)
        file.findings += report.findings.filter { !$0.code.hasPrefix("http.") }
        file.omitted = report.omitted
    }

    private func apple(_ seen: OriginObservation, into file: inout FetchReport.File) async {
        guard let services else { return }
        let (url, outcome) = await services.askApple()
        let answer = AppleCDNAnswer(outcome)
        file.facts.append(FetchReport.Fact(what: "Apple's CDN", url: url, outcome: outcome))
        file.notes += ServiceNotes.notes(answer)
        file.findings += answer.findings(
            origin: seen.body, url: url, host: target.authority, expiry: now.later(by: answer.secondsLeft))
    }

    private func google(_ seen: OriginObservation, into file: inout FetchReport.File) async {
        let own = await ownLinks(seen, into: &file)
        guard let services else { return }
        let (url, outcome) = await services.askGoogleForStatements()
        let answer = GoogleLinksAnswer(outcome)
        file.facts.append(FetchReport.Fact(what: "Google's list", url: url, outcome: outcome))
        file.notes += ServiceNotes.notes(answer)
        file.findings += answer.findings(origin: own, url: url, expiry: now.later(by: answer.secondsLeft))
        guard case .answer(let statements, _, let codes, _) = answer, let own else { return }
        var lost: [Finding] = []
        for check in await services.askGoogleForLinks(own) {
            file.facts.append(FetchReport.Fact(what: "Google's check", url: check.url, outcome: check.outcome))
            // What an older copy lacks is not linked yet. That is one warning, with the time of the copy's end.
            if codes.isEmpty, answer.lacks(check.link) { continue }
            if let finding = GoogleLinksAnswer(check.outcome).notLinkedFinding(check.link, url: check.url) {
                lost.append(finding)
            }
        }
        // If Google could not read the list, every statement is missing for the same reason, so one finding is enough.
        file.findings += statements.isEmpty && !codes.isEmpty ? Array(lost.prefix(1)) : lost
    }

    /// The site's statements, including those in included files. `nil` if the list cannot be read.
    private func ownLinks(_ seen: OriginObservation, into file: inout FetchReport.File) async -> [AssetLink]? {
        guard seen.body != nil, let query = AssetQuery(site: "https://" + target.authority) else { return nil }
        let content = ObservedAssetContent(
            url: seen.url, outcome: seen.main, network: NetworkAssetContent(client: client))
        let answer = await DigitalAssetLinksClient(content: content).answer(query)
        file.findings += IncludeFindings.findings(answer, url: seen.url)
        return answer.places.contains(seen.url) ? answer.statements : nil
    }
}
