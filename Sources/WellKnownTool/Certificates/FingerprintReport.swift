import Foundation
import WellKnown

/// The result of `fingerprint` for one file, as text and as JSON.
struct FingerprintReport {
    let file: String
    let reading: CertificateReading

    /// The values for assetlinks.json without duplicates.
    var listed: [String] {
        reading.entries.filter(\.isListed).map(\.certificate.fingerprint.description).uniqued { $0 }
    }

    /// Findings about the certificates themselves, the most important first.
    var findings: [Finding] {
        reading.entries.filter { $0.role != .chain }.compactMap { FingerprintFindings.finding(for: $0, in: file) }
    }

    /// A line to paste into the target of a statement. `nil` if the file has no fingerprint for it.
    var pasteLine: String? {
        guard !listed.isEmpty else { return nil }
        return "\"sha256_cert_fingerprints\": [" + listed.map { "\"\($0)\"" }.joined(separator: ", ") + "]"
    }

    var text: String {
        var lines = ["\(file.printable): \(reading.format.rawValue)"]
        for entry in reading.entries {
            let certificate = entry.certificate
            var title = "  \(entry.role.rawValue)"
            if let alias = entry.alias { title += " \"\(alias.printable)\"" }
            lines.append("\(title) (\(entry.place.printable)\(entry.apiLevelText))")
            lines.append("    SHA-256       \(certificate.fingerprint)")
            lines.append("    SHA-1         \(certificate.sha1)   (not for assetlinks.json)")
            lines.append("    apk-key-hash  \(certificate.apkKeyHash)   (WebAuthn origin)")
            lines.append("    subject       \(certificate.subject.printable)")
            lines.append("    valid         \(certificate.notBefore.day) to \(certificate.notAfter.day)")
            if !certificate.key.isEmpty { lines.append("    key           \(certificate.key)") }
        }
        for note in reading.notes { lines.append("  note: \(note)") }
        for finding in findings {
            lines.append("  \(finding.severity.rawValue): \(finding.message) [\(finding.code)]")
            if let fix = finding.fix { lines.append("    \(fix)") }
        }
        if let pasteLine { lines += ["", pasteLine] }
        return lines.joined(separator: "\n") + "\n"
    }

    var encoded: JSONObject {
        [
            "file": file, "format": reading.format.rawValue, "certificates": reading.entries.map(\.encoded),
            "notes": reading.notes, "findings": findings.map(FindingJSON.item), "sha256_cert_fingerprints": listed,
        ]
    }
}

extension CertificateEntry {
    fileprivate var apiLevelText: String {
        guard let apiLevels else { return "" }
        let isOpen = apiLevels.upperBound >= UInt32(Int32.max)
        return ", Android API \(apiLevels.lowerBound) " + (isOpen ? "and later" : "to \(apiLevels.upperBound)")
    }

    fileprivate var encoded: JSONObject {
        [
            "role": role.rawValue, "source": place, "alias": alias, "sha256": certificate.fingerprint.description,
            "sha1": certificate.sha1, "apk_key_hash": certificate.apkKeyHash, "key": certificate.key,
            "subject": certificate.subject, "issuer": certificate.issuer,
            "not_before": certificate.notBefore.formatted(.iso8601),
            "not_after": certificate.notAfter.formatted(.iso8601), "min_api": apiLevels?.lowerBound,
            "max_api": apiLevels?.upperBound,
        ]
    }
}

extension Date {
    /// The date in UTC, for example `2026-01-31`.
    var day: String { formatted(.iso8601.year().month().day()) }

    func later(by seconds: Int?) -> String? { seconds.map { addingTimeInterval(TimeInterval($0)).formatted(.iso8601) } }
}

/// Findings about certificates whose fingerprints should not be used.
enum FingerprintFindings {
    static func finding(for entry: CertificateEntry, in file: String) -> Finding? {
        let fingerprint = entry.certificate.fingerprint.description
        if KnownFingerprints.owner(of: fingerprint) == .publicDebugKey {
            return Finding(
                FingerprintRules.knownPublicDebugKey,
                "This is the public debug key of React Native and Expo: everybody has its private key.", file: file)
        }
        if entry.certificate.isAndroidDebug {
            return Finding(
                FingerprintRules.studioDebug, "This is a debug certificate: each developer's machine has its own.",
                file: file)
        }
        return nil
    }
}
