import WellKnown

/// A fetch as one JSON object: as `lint --format json` prints its findings, and the answers beside them.
enum FetchJSON {
    struct Output: Encodable {
        let domain: String
        let files: [File]
        let summary: FindingJSON.Summary
    }

    struct File: Encodable {
        let file, kind: String
        /// False when this machine never reached the site.
        let checked: Bool
        let findings: [FindingJSON.Item]
        let omitted: [String: Int]?
        let notes: [String]
        let answers: [Answer]
    }

    struct Answer: Encodable {
        let asked, url: String
        let status, bytes, milliseconds: Int?
        let contentType, address, failure: String?
        let truncated: Bool?
        /// Of the services: every header that says something about the copy.
        let headers: [String: String]?

        init(_ fact: FetchReport.Fact) {
            (asked, url) = (fact.what, fact.url)
            switch fact.outcome {
            case .success(let answer):
                (status, bytes, milliseconds) = (answer.status, answer.body.count, answer.milliseconds)
                (contentType, address, failure) = (answer["content-type"], answer.address, nil)
                truncated = answer.isTruncated ? true : nil
                let telling = answer.headers.filter {
                    $0.name.hasPrefix("apple-") || ["age", "cache-control", "x-cache", "location"].contains($0.name)
                }
                headers = telling.isEmpty ? nil : Dictionary(telling.map { ($0.name, $0.value) }) { $1 }
            case .failure(let reason):
                (status, bytes, milliseconds, contentType, address) = (nil, nil, nil, nil, nil)
                (truncated, headers) = (nil, nil)
                failure = reason.words
            }
        }
    }

    static func render(_ report: FetchReport) -> String {
        let all = report.files.flatMap(\.findings)
        func count(_ severity: Severity) -> Int { all.count { $0.severity == severity } }
        let files = report.files.map { file in
            File(
                file: file.url, kind: file.kind.rawValue, checked: file.isChecked,
                findings: file.findings.map(FindingJSON.Item.init),
                omitted: file.omitted.isEmpty ? nil : file.omitted, notes: file.notes,
                answers: file.facts.map(Answer.init))
        }
        return JSONOutput.text(
            Output(
                domain: report.target.host, files: files,
                summary: FindingJSON.Summary(
                    errors: count(.error), warnings: count(.warning), infos: count(.info),
                    failures: report.files.count { !$0.isChecked })))
    }
}
