import SSOShared

/// The one entrance to linting: a body in, findings out, for both files.
public enum AssociationLint {
    /// Reads a body and says what is wrong with it. Never fails: a body that is no JSON has that as its finding.
    ///
    /// - Parameter kind: what it is meant to be; `nil` to tell it by the file's name and its content.
    public static func lint(
        body: [UInt8], as kind: AssociationKind? = nil, options: LintOptions = LintOptions()
    ) -> LintReport {
        let form = BodyForm.of(body)
        let text = if case .signed(let signed) = form { SignedMessage.content(of: body, signed) } else { body }
        let isText = if case .signed = form { text != nil } else { form == .text }
        let document = isText ? JSONReader.read(text ?? []) : JSONDocument(text: body, root: nil, errors: [])
        let kind =
            kind ?? (options.servedPath ?? options.file).flatMap(AssociationKind.guess(fileName:))
            ?? AssociationKind.guess(document) ?? .aasa

        var sheet = FindingSheet(document, file: options.file)
        SizeLint.check(body.count, kind: kind, into: &sheet)
        BodyLint.check(form, hasContent: text != nil, kind: kind, into: &sheet)
        if isText { JSONFaultLint.check(document, kind: kind, into: &sheet) }
        if options.mindsFinalNewline, form == .text, body.last != 0x0a {
            sheet.add(JSONRules.noFinalNewline, at: document.text.count, "The last line does not end with a line break")
        }
        return report(kind, document, options, sheet)
    }

    private static func report(
        _ kind: AssociationKind, _ document: JSONDocument, _ options: LintOptions, _ sheet: FindingSheet
    ) -> LintReport {
        var sheet = sheet
        var others: [Finding] = []
        let isSound = RootLint.check(document, kind: kind, into: &sheet)
        let aasa = isSound && kind == .aasa ? AASAFile(document) : nil
        let assetLinks = isSound && kind == .assetlinks ? AssetLinksFile(document) : nil
        if isSound { InvisibleLint.check(document, into: &sheet) }
        if let aasa { AASALint.check(aasa, options: options, into: &sheet) }
        if let assetLinks {
            let notes = AssetLinksLint.lint(assetLinks, host: options.domain)
            others = notes.findings
            sheet.omit(notes.omitted)
            if let path = options.servedPath, let place = AssetLinksLint.placeFinding(path: path) {
                others.append(place)
            }
        }
        let start = SourcePosition(line: 0, column: 0)
        others = sheet.limited(others).map { finding in
            var finding = finding
            finding.file = finding.file ?? options.file
            return finding
        }
        // A stable order: by place, and at one place as they were found.
        let findings = (sheet.findings + others).enumerated().sorted { left, right in
            let places = (left.element.position ?? start, right.element.position ?? start)
            return places.0 == places.1 ? left.offset < right.offset : places.0 < places.1
        }
        return LintReport(
            kind: kind, document: document, findings: findings.map(\.element), omitted: sheet.omitted, aasa: aasa,
            assetLinks: assetLinks)
    }
}
