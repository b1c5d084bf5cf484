import WellKnown

struct FetchReport: Sendable {
    /// One request and its result.
    struct Fact: Sendable {
        /// The kind of request, for example "as AASA-Bot/1.0.0" or "over IPv6".
        let what: String
        let url: String
        let outcome: HTTPOutcome
    }

    struct File: Sendable {
        let kind: AssociationKind
        let url: String
        let isChecked: Bool
        var facts: [Fact]
        var findings: [Finding]
        var omitted: [String: Int] = [:]
        /// The body, if the systems would accept it.
        var body: [UInt8]?
        /// The answers of Apple's and Google's services, one line each.
        var notes: [String] = []
    }

    let target: FetchTarget
    var files: [File]
    var neighbours: [Neighbouring] = []

    var allFindings: [Finding] { files.flatMap(\.findings) + neighbours.flatMap(\.findings) }

    var checkedFiles: [CheckedFile] {
        files.map { CheckedFile($0) } + neighbours.map { CheckedFile(name: $0.fact.url, findings: $0.findings) }
    }
}

extension FetchReport.Fact {
    /// The facts of an observation, the most important first.
    static func list(_ seen: OriginObservation) -> [FetchReport.Fact] {
        let agent = seen.file.userAgent
        var facts = seen.first.map { [FetchReport.Fact(what: "as \(agent), first", url: seen.url, outcome: $0)] } ?? []
        facts.append(FetchReport.Fact(what: "as \(agent)", url: seen.url, outcome: seen.main))
        func add(_ what: String, _ outcome: HTTPOutcome?, _ url: String? = nil) {
            guard let outcome else { return }
            facts.append(FetchReport.Fact(what: what, url: url ?? seen.url, outcome: outcome))
        }
        add("as a browser", seen.browser)
        add("with HEAD", seen.head)
        add("over IPv4", seen.overIPv4)
        add("over IPv6", seen.overIPv6)
        add("over http", seen.plain)
        add("at the root", seen.atRoot)
        for other in seen.misnamed { add("as \(other.name)", other.outcome) }
        if let other = seen.sibling { add("at \(other.name)", other.outcome) }
        if let other = seen.parent { add("at \(other.name)", other.outcome) }
        return facts
    }
}

/// Writes the result of a fetch as text: the requests, the responses and the findings.
enum FetchText {
    static func render(_ report: FetchReport, style: TextStyle, showsAll: Bool) -> String {
        let files = report.files.map { file in
            let facts = file.facts.map { line($0, style) + "\n" }.joined()
            let notes = file.notes.map { TextStyle.wrapped($0.printable, first: "  ", rest: "    ") + "\n" }.joined()
            let checked = CheckedFile(file)
            return style.paint(file.url.printable, .bold) + "\n" + facts + notes + "\n"
                + FindingText.render([checked], style: style, showsAll: showsAll)
        }
        let neighbours = report.neighbours.map { neighbour in
            style.paint(neighbour.fact.url.printable, .bold) + "\n" + line(neighbour.fact, style) + "\n\n"
                + FindingText.render(
                    [CheckedFile(name: neighbour.fact.url, findings: neighbour.findings)], style: style,
                    showsAll: showsAll)
        }
        // A neighbour with remarks alone is a line of the result.
        let shown = zip(report.neighbours, neighbours).filter { neighbour, _ in
            showsAll || neighbour.findings.contains { $0.severity != .info }
        }.map { $0.1 }
        let result = FindingText.counts(report.allFindings, showsAll, style)
        return (files + shown).joined(separator: "\n") + "\n\(report.target.host.printable): \(result)\n"
    }

    private static func line(_ fact: FetchReport.Fact, _ style: TextStyle) -> String {
        let what = fact.what.printable
        let padded = "  " + what + String(repeating: " ", count: max(1, 30 - what.count))
        switch fact.outcome {
        case .success(let answer):
            let type = (answer["content-type"] ?? "no content type").printable
            let size = (answer.isTruncated ? "over " : "") + "\(answer.body.count) bytes"
            let status = style.paint("\(answer.status)", answer.status == 200 ? .green : .yellow)
            return padded + "\(status) \(type), \(size), \(answer.milliseconds) ms"
        case .failure(let failure):
            return TextStyle.wrapped(failure.words.printable, first: padded, rest: String(repeating: " ", count: 32))
        }
    }
}

extension CheckedFile {
    init(_ file: FetchReport.File) {
        self.init(name: file.url, kind: file.kind, findings: file.findings)
        omitted = file.omitted
    }
}

/// Writes the result of a fetch as one JSON object: the findings as `lint --format json` does, and the responses.
enum FetchJSON {
    /// One site is one object. Several are in the list `sites`.
    static func render(_ reports: [FetchReport]) -> String {
        let sites = reports.map(site)
        return JSONOutput.text(sites.count == 1 ? sites[0] : ["sites": sites])
    }

    private static func site(_ report: FetchReport) -> JSONObject {
        [
            "domain": report.target.host, "files": report.files.map(file),
            "neighbours": report.neighbours.map(neighbour),
            "summary": FindingJSON.summary(report.allFindings, failures: report.files.count { !$0.isChecked }),
        ]
    }

    private static func file(_ file: FetchReport.File) -> JSONObject {
        [
            // False if this machine could not connect to the site.
            "checked": file.isChecked, "file": file.url, "kind": file.kind.rawValue,
            "findings": file.findings.map(FindingJSON.item), "omitted": file.omitted.isEmpty ? nil : file.omitted,
            "notes": file.notes, "answers": file.facts.map(answer),
        ]
    }

    private static func neighbour(_ neighbour: FetchReport.Neighbouring) -> JSONObject {
        [
            "file": neighbour.fact.url, "kind": neighbour.kind.rawValue,
            "findings": neighbour.findings.map(FindingJSON.item), "answer": answer(neighbour.fact),
        ]
    }

    private static func answer(_ fact: FetchReport.Fact) -> JSONObject {
        switch fact.outcome {
        case .failure(let reason): return ["asked": fact.what, "url": fact.url, "failure": reason.words]
        case .success(let answer):
            // The headers of the service's response that describe its copy of the file.
            let telling = answer.headers.filter {
                $0.name.hasPrefix("apple-") || ["age", "cache-control", "x-cache", "location"].contains($0.name)
            }
            let headers = Dictionary(telling.map { ($0.name, $0.value) }) { $1 }
            return [
                "asked": fact.what, "url": fact.url, "status": answer.status, "bytes": answer.body.count,
                "milliseconds": answer.milliseconds, "contentType": answer["content-type"], "address": answer.address,
                "truncated": answer.isTruncated ? true : nil, "headers": headers.isEmpty ? nil : headers,
            ]
        }
    }
}
