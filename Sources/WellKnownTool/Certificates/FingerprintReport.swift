import Foundation
import WellKnown

/// The result of `fingerprint` for one file, as text and as JSON.
struct FingerprintReport {
    let file: String
    let reading: CertificateReading

    /// The values for assetlinks.json without duplicates.
    var listed: [String] {
        var values: [String] = []
        for entry in reading.entries where entry.isListed {
            let value = entry.certificate.fingerprint.description
            if !values.contains(value) { values.append(value) }
        }
        return values
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

    var encoded: FingerprintDocument {
        FingerprintDocument(
            file: file, format: reading.format.rawValue,
            certificates: reading.entries.map(FingerprintDocument.Certificate.init), notes: reading.notes,
            findings: findings.map(FindingJSON.Item.init), sha256_cert_fingerprints: listed)
    }
}

extension CertificateEntry {
    fileprivate var apiLevelText: String {
        guard let apiLevels else { return "" }
        let isOpen = apiLevels.upperBound >= UInt32(Int32.max)
        return ", Android API \(apiLevels.lowerBound) " + (isOpen ? "and later" : "to \(apiLevels.upperBound)")
    }
}

extension Date {
    /// The date in UTC, for example `2026-01-31`.
    var day: String { formatted(.iso8601.year().month().day()) }
}

/// The JSON form of ``FingerprintReport``. The names of its members are part of the interface.
struct FingerprintDocument: Encodable {
    struct Certificate: Encodable {
        let role, source, sha256, sha1, apk_key_hash, subject, issuer, not_before, not_after, key: String
        let alias: String?
        let min_api, max_api: UInt32?

        init(_ entry: CertificateEntry) {
            let certificate = entry.certificate
            (role, source, alias) = (entry.role.rawValue, entry.place, entry.alias)
            (sha256, sha1) = (certificate.fingerprint.description, certificate.sha1)
            (apk_key_hash, key) = (certificate.apkKeyHash, certificate.key)
            (subject, issuer) = (certificate.subject, certificate.issuer)
            not_before = certificate.notBefore.formatted(.iso8601)
            not_after = certificate.notAfter.formatted(.iso8601)
            (min_api, max_api) = (entry.apiLevels?.lowerBound, entry.apiLevels?.upperBound)
        }
    }

    let file, format: String
    let certificates: [Certificate]
    let notes: [String]
    let findings: [FindingJSON.Item]
    let sha256_cert_fingerprints: [String]
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
