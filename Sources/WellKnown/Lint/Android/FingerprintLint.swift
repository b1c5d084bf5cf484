import SSOShared

/// Checks the fingerprints of one target: the codes `fp.*`.
struct FingerprintLint {
    /// The octets of SHA-256 fingerprints in any notation. The checks that compare statements use them.
    private(set) var fingerprints: [(octets: [UInt8], node: JSONNode)] = []

    /// - Parameter misspelled: whether a misspelling of `sha256_cert_fingerprints` already has a finding.
    init(_ target: AssetTarget, misspelled: Bool, into findings: inout FindingCollector) {
        switch target.fingerprints {
        case .absent:
            guard !misspelled else { return }
            findings.add(FingerprintRules.missing, at: target.node, "The target has no sha256_cert_fingerprints.")
        case .wrongType(let member):
            let fix = member.value.string.map { text -> FindingFix in
                "Write [\(FingerprintReading(text).corrected?.quoted ?? text.quoted)]."
            }
            findings.add(
                FingerprintRules.type, "sha256_cert_fingerprints", member.value, mustBe: "an array of strings",
                fix: fix)
        case .present(let nodes, let member):
            if nodes.isEmpty {
                findings.add(FingerprintRules.empty, at: member.value, "sha256_cert_fingerprints is empty.")
            }
            for node in nodes { lint(node, into: &findings) }
            noteDuplicates(into: &findings)
        }
    }

    private mutating func lint(_ node: JSONNode, into findings: inout FindingCollector) {
        guard let text = node.string else {
            findings.add(FingerprintRules.type, at: node, "A fingerprint is \(node.typeName); it must be a string.")
            return
        }
        let reading = FingerprintReading(text)
        let fix = reading.corrected.map { FindingFix.write($0, at: node) }
        // Invisible characters have a finding of their own.
        for fault in reading.faults where fault != .blanks || !text.hasInvisible {
            let (rule, message) = Self.telling(fault, text: text)
            findings.add(rule, at: node, message, fix: fix)
        }
        noteOwner(reading, text: text, at: node, into: &findings)
        if reading.octets.count == 32 { fingerprints.append((reading.octets, node)) }
    }

    private static func telling(_ fault: FingerprintReading.Defect, text: String) -> (LintRule, String) {
        let text = text.quoted
        return switch fault {
        case .empty: (FingerprintRules.empty, "A fingerprint is an empty text.")
        case .blanks: (FingerprintRules.syntax, "The fingerprint \(text) has blanks or invisible characters around it.")
        case .label(let label): (FingerprintRules.prefixText, "The fingerprint begins with the label \(label.quoted).")
        case .placeholder: (FingerprintRules.placeholder, "\(text) is a placeholder and not a fingerprint.")
        case .base64: (FingerprintRules.base64, "The fingerprint \(text) is base64; it must be hex.")
        case .digest(let name, let octets):
            (FingerprintRules.sha1, "\(text) has \(octets) octets: that is \(name), not SHA-256.")
        case .octets(let count): (FingerprintRules.length, "The fingerprint \(text) has \(count) octets, not 32.")
        case .digits(let count): (FingerprintRules.length, "The fingerprint \(text) has \(count) hex digits, not 64.")
        case .shortOctet(1):
            (FingerprintRules.firstOctet, "The first octet of \(text) has one digit: a character was lost.")
        case .shortOctet(let number):
            (FingerprintRules.length, "Octet \(number) of \(text) has one digit: a character was lost.")
        case .noColons: (FingerprintRules.noColons, "The fingerprint \(text) has no colons.")
        case .otherSeparator: (FingerprintRules.noColons, "The fingerprint \(text) has other separators than colons.")
        case .extraSeparator: (FingerprintRules.syntax, "The fingerprint \(text) has a colon too many.")
        case .notHex: (FingerprintRules.syntax, "\(text) is not 32 hex pairs joined by colons.")
        case .lowercase: (FingerprintRules.lowercase, "The fingerprint \(text) has lower-case letters.")
        }
    }

    private func noteOwner(
        _ reading: FingerprintReading, text: String, at node: JSONNode, into findings: inout FindingCollector
    ) {
        var owner = reading.octets.isEmpty ? nil : KnownFingerprints.owner(of: reading.octets)
        // A known fingerprint whose first character was lost while copying.
        if reading.faults.contains(.shortOctet(1)) {
            let rest = text.uppercased()
            if KnownFingerprints.publicDebugKey.hasSuffix(rest) { owner = .publicDebugKey }
            if KnownFingerprints.documentationSample.hasSuffix(rest) { owner = .documentationSample }
        }
        switch owner {
        case .publicDebugKey:
            findings.add(
                FingerprintRules.knownPublicDebugKey, at: node,
                "\(text.quoted) is the public debug key of the React Native and Expo templates: anybody can sign with it."
            )
        case .documentationSample:
            findings.add(
                FingerprintRules.googleSample, at: node, "\(text.quoted) is copied from Google's documentation.")
        case .madeUp: findings.add(FingerprintRules.repeating, at: node, "\(text.quoted) is made up.")
        case nil: break
        }
    }

    private func noteDuplicates(into findings: inout FindingCollector) {
        var seen: Set<[UInt8]> = []
        for (octets, node) in fingerprints where !seen.insert(octets).inserted {
            findings.add(
                FingerprintRules.duplicate, at: node,
                "The fingerprint \(CertificateFingerprint.text(octets)) appears twice.",
                fix: .remove(at: node.range.lowerBound))
        }
    }
}

/// Well-known SHA-256 fingerprints that an app must not have.
public enum KnownFingerprints {
    /// The origin of a well-known fingerprint.
    public enum Owner: Sendable, Hashable {
        /// The key in `android/app/debug.keystore` of the bare React Native and Expo templates. Its password `android`
        /// is public, so anyone can sign with it.
        case publicDebugKey
        /// The sample in Google's documentation.
        case documentationSample
        /// A typed sequence instead of a digest, such as 00:00:…, AB:AB:… or 00:01:02:….
        case madeUp
    }

    /// The SHA-256 of the public debug key of the React Native and Expo templates.
    public static let publicDebugKey =
        "FA:C6:17:45:DC:09:03:78:6F:B9:ED:E6:2A:96:2B:39:9F:73:48:F0:BB:6F:89:9B:83:32:66:75:91:03:3B:9C"
    /// The SHA-1 of the same certificate.
    static let publicDebugKeySHA1 = "5E:8F:16:06:2E:A3:CD:2C:4A:0D:54:78:76:BA:A6:F3:8C:AB:F6:25"
    /// The sample fingerprint in Google's documentation.
    public static let documentationSample =
        "14:6D:E9:83:C5:73:06:50:D8:EE:B9:95:2F:34:FC:64:16:A0:83:42:E6:1D:BE:A8:8A:04:96:B2:3F:CF:44:E5"

    /// Returns the origin of a well-known fingerprint.
    ///
    /// - Parameter fingerprint: upper-case pairs of hex digits, joined by colons.
    /// - Returns: `nil` if the fingerprint can belong to a real app.
    public static func owner(of fingerprint: String) -> Owner? {
        let octets = FingerprintReading(fingerprint).octets
        return octets.isEmpty ? nil : owner(of: octets)
    }

    static func owner(of octets: [UInt8]) -> Owner? {
        switch CertificateFingerprint.text(octets) {
        case publicDebugKey, publicDebugKeySHA1: .publicDebugKey
        case documentationSample: .documentationSample
        default: isMadeUp(octets) ? .madeUp : nil
        }
    }

    /// Whether the octets repeat a short sequence, or grow by a constant step. A real digest hardly ever does.
    private static func isMadeUp(_ octets: [UInt8]) -> Bool {
        guard octets.count >= 16 else { return false }
        let repeats = [1, 2, 3, 4, 5, 6, 8, 16].contains { period in
            period < octets.count && (period..<octets.count).allSatisfy { octets[$0] == octets[$0 - period] }
        }
        let step = octets[1] &- octets[0]
        let steps = (1..<octets.count).allSatisfy { octets[$0] &- octets[$0 - 1] == step }
        return repeats || steps
    }
}
