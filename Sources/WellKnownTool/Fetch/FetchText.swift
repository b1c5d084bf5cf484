import WellKnown

/// A fetch for people: what was asked, what came back, what is wrong.
enum FetchText {
    static func render(_ report: FetchReport, style: TextStyle) -> String {
        report.files.map { file in
            let facts = file.facts.map { line($0, style) + "\n" }.joined()
            let notes = file.notes.map { TextStyle.wrapped($0.printable, first: "  ", rest: "    ") + "\n" }.joined()
            let checked = CheckedFile(file)
            return style.paint(file.url.printable, .bold) + "\n" + facts + notes + "\n"
                + FindingText.render([checked], style: style)
        }.joined(separator: "\n")
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
