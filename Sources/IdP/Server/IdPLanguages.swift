package import SSOWeb

/// The languages beside English and German.
package enum IdPLanguages {
    /// More lines than a translator corrects at once.
    private static let mostWarnings = 50
    private static let name = "IDP_LANGUAGES_DIR"

    package static let setting = Setting<AddedLanguages?>(
        name, example: "/usr/share/swift-sso-idp/languages",
        "Languages beside English and German: a folder with one folder of catalogues per language, such as fr."
    ) { folder, reader in
        let added = AddedLanguages(folder: folder, beside: try Catalogue(IdPPages.files.map(\.texts)))
        report(added, reader)
        return added
    }

    /// What is left out is a warning: words are never a reason not to start.
    private static func report(_ added: AddedLanguages, _ reader: SettingsReader) {
        for finding in added.findings.prefix(mostWarnings) { reader.warn("IDP_LANGUAGES_DIR: \(finding)") }
        if added.findings.count > mostWarnings {
            reader.warn(
                "IDP_LANGUAGES_DIR: there are \(added.findings.count - mostWarnings) more. Correct the first ones.")
        }
        for report in added.reports {
            reader.record("language \(report.tag)", report.words, from: reader.source.place(of: name))
            guard !report.missing.isEmpty else { continue }
            reader.addCheck {
                $0.record("language \(report.tag) lacks", report.missing.joined(separator: ", "))
            }
        }
    }
}
