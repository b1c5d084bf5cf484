package import SSOWeb
package import WellKnown

/// Where one of the two association files comes from.
package enum AssociationSource: Sendable {
    /// Not configured: 404.
    case none
    /// Generated from the list of apps.
    case apps([UInt8])
    /// The operator's file, read and linted at start and on SIGHUP.
    case file(path: String)

    /// Reads the two settings for it: the list of apps, or a file.
    package static func read(
        _ reader: SettingsReader, kind: AssociationKind, apps: (name: String, content: [UInt8]?), file name: String
    ) -> AssociationSource {
        guard let path = reader.text(name) else { return apps.content.map(AssociationSource.apps) ?? .none }
        reader.record(name, path)
        if apps.content != nil {
            reader.problem(
                "\(name): \(apps.name) is set as well, and both define the content of the file. Keep one of them.")
        }
        let reading = AssociationReading(path: path, kind: kind)
        reading.warnings.forEach { reader.warn("\(name): \($0)") }
        reading.errors.forEach { reader.problem("\(name): \($0)") }
        return .file(path: path)
    }
}

/// An association file as read from disk, with its findings. A file with an error is never served, because phones ignore
/// it without a message.
struct AssociationReading: Sendable {
    /// `nil` when there are errors.
    let content: [UInt8]?
    /// One line each: place, code, what is wrong, what to do.
    let errors: [String]
    let warnings: [String]

    init(path: String, kind: AssociationKind) {
        guard let bytes = BoundedFile.read(path, upTo: kind.maximumBytes) else {
            content = nil
            errors = [
                "the file \(path) cannot be read, or has more than \(kind.maximumBytes) bytes. Check the path and the "
                    + "permissions."
            ]
            warnings = []
            return
        }
        let findings = AssociationLint.lint(body: bytes, as: kind, options: LintOptions()).findings
        func lines(_ severity: Severity) -> [String] {
            findings.filter { $0.severity == severity }.map { finding in
                let place = finding.position.map { "\(path):\($0)" } ?? path
                return "\(place): \(finding.message) \(finding.fix ?? finding.reason) [\(finding.code)]"
            }
        }
        errors = lines(.error)
        warnings = lines(.warning)
        content = errors.isEmpty ? bytes : nil
    }
}
