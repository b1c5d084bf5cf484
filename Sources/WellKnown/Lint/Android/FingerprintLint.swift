import SSOShared

/// What is wrong with the fingerprints of one target. Its codes are `fp.*`.
struct FingerprintLint {
    /// The octets of those that are SHA-256 fingerprints, however they are written; for checks across statements.
    private(set) var fingerprints: [(octets: [UInt8], node: JSONNode)] = []

    /// - Parameter misspelled: a key that was meant to be `sha256_cert_fingerprints` and has been told already.
    init(_ target: AssetTarget, misspelled: Bool, pen: inout FindingPen) {
        switch target.fingerprints {
        case .absent:
            guard !misspelled else { return }
            pen.note(FingerprintRules.missing, "The target has no sha256_cert_fingerprints.", at: target.node)
        case .wrongType(let member):
            let fix = member.value.string.map { "Write [\(FingerprintReading($0).corrected?.quoted ?? $0.quoted)]." }
            pen.note(
                FingerprintRules.type,
                "sha256_cert_fingerprints is \(member.value.typeName); it must be an array of strings.",
                at: member.value, fix: fix)
        case .present(let nodes, let member):
            if nodes.isEmpty {
                pen.note(FingerprintRules.empty, "sha256_cert_fingerprints is empty.", at: member.value)
            }
            for node in nodes { lint(node, pen: &pen) }
            noteDuplicates(pen: &pen)
        }
    }

    private mutating func lint(_ node: JSONNode, pen: inout FindingPen) {
        guard let text = node.string else {
            pen.note(FingerprintRules.type, "A fingerprint is \(node.typeName); it must be a string.", at: node)
            return
        }
        let reading = FingerprintReading(text)
        let fix = reading.corrected.map { "Write \"\($0)\"." }
        for fault in reading.faults {
            let (rule, message) = Self.telling(fault, text: text)
            pen.note(rule, message, at: node, fix: fix)
        }
        noteOwner(reading, text: text, at: node, pen: &pen)
        if reading.octets.count == 32 { fingerprints.append((reading.octets, node)) }
    }

    private static func telling(_ fault: FingerprintReading.Fault, text: String) -> (LintRule, String) {
        let text = text.quoted
        return switch fault {
        case .empty: (FingerprintRules.empty, "A fingerprint is an empty text.")
        case .blanks: (FingerprintRules.syntax, "The fingerprint \(text) has blanks or invisible characters around it.")
        case .label(let label): (FingerprintRules.prefixText, "The fingerprint begins with the label \(label.quoted).")
        case .placeholder: (FingerprintRules.placeholder, "\(text) is a placeholder, no fingerprint.")
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
        case .otherSeparator:
            (FingerprintRules.noColons, "The fingerprint \(text) has other separators than colons.")
        case .extraSeparator: (FingerprintRules.syntax, "The fingerprint \(text) has a colon too many.")
        case .notHex: (FingerprintRules.syntax, "\(text) is not 32 hex pairs joined by colons.")
        case .lowercase: (FingerprintRules.lowercase, "The fingerprint \(text) has lower-case letters.")
        }
    }

    private func noteOwner(_ reading: FingerprintReading, text: String, at node: JSONNode, pen: inout FindingPen) {
        var owner = reading.octets.isEmpty ? nil : KnownFingerprints.owner(of: reading.octets)
        // What is left of a known one when a character was lost in copying.
        if reading.faults.contains(.shortOctet(1)) {
            let rest = text.uppercased()
            if KnownFingerprints.publicDebugKey.hasSuffix(rest) { owner = .publicDebugKey }
            if KnownFingerprints.documentationSample.hasSuffix(rest) { owner = .documentationSample }
        }
        switch owner {
        case .publicDebugKey:
            pen.note(
                FingerprintRules.knownPublicDebugKey,
                "\(text.quoted) is the public debug key of the React Native and Expo templates: anybody can sign with it.",
                at: node)
        case .documentationSample:
            pen.note(
                FingerprintRules.googleSample, "\(text.quoted) is copied from Google's documentation.", at: node)
        case .madeUp: pen.note(FingerprintRules.repeating, "\(text.quoted) is made up.", at: node)
        case nil: break
        }
    }

    private func noteDuplicates(pen: inout FindingPen) {
        var seen: Set<[UInt8]> = []
        for (octets, node) in fingerprints where !seen.insert(octets).inserted {
            pen.note(
                FingerprintRules.duplicate, "The fingerprint \(FingerprintReading.text(octets)) stands there twice.",
                at: node)
        }
    }
}
