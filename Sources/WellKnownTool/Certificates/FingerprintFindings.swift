import WellKnown

/// What is wrong with using a certificate's fingerprint at all.
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
