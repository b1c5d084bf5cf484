/// Signs that keys of debug builds and of releases are mixed up.
enum DebugKeyLint {
    static func lint(_ statements: [StatementLint], pen: inout FindingPen) {
        var releases: [[UInt8]: String] = [:]
        for statement in statements {
            guard let package = statement.package, !PackageName.isDebug(package) else { continue }
            for (octets, _) in statement.fingerprints where releases[octets] == nil { releases[octets] = package }
        }
        let hasRelease = statements.contains { $0.package.map { !PackageName.isDebug($0) } ?? false }
        for statement in statements {
            guard let package = statement.package, PackageName.isDebug(package) else { continue }
            for (octets, node) in statement.fingerprints {
                if let release = releases[octets] {
                    pen.note(
                        FingerprintRules.sameForDebugAndRelease,
                        "\(package) has the same fingerprint as \(release).", at: node)
                }
            }
            if !hasRelease, let node = statement.fingerprints.first?.node {
                pen.note(
                    FingerprintRules.studioDebug,
                    "\(package) is a debug build, and the list has no release: debug keys differ from machine to machine.",
                    at: node)
            }
        }
    }
}
