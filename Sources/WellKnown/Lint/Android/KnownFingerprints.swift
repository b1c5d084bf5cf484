/// SHA-256 fingerprints that no app of one's own has.
public enum KnownFingerprints {
    /// Whose it is.
    public enum Owner: Sendable, Hashable {
        /// `android/app/debug.keystore` of the bare React Native and Expo templates, password `android`: anybody can
        /// sign with it.
        case publicDebugKey
        /// The sample of Google's documentation.
        case documentationSample
        /// 00:00:…, AB:AB:…, 00:01:02:…: typed, not computed.
        case madeUp
    }

    /// The public debug key of the React Native and Expo templates.
    public static let publicDebugKey =
        "FA:C6:17:45:DC:09:03:78:6F:B9:ED:E6:2A:96:2B:39:9F:73:48:F0:BB:6F:89:9B:83:32:66:75:91:03:3B:9C"
    /// The SHA-1 of the same certificate.
    static let publicDebugKeySHA1 = "5E:8F:16:06:2E:A3:CD:2C:4A:0D:54:78:76:BA:A6:F3:8C:AB:F6:25"
    /// The sample of Google's documentation.
    public static let documentationSample =
        "14:6D:E9:83:C5:73:06:50:D8:EE:B9:95:2F:34:FC:64:16:A0:83:42:E6:1D:BE:A8:8A:04:96:B2:3F:CF:44:E5"

    /// Says whose a fingerprint is.
    ///
    /// - Parameter fingerprint: upper-case pairs joined by colons.
    /// - Returns: `nil` for every one that could be an app's own.
    public static func owner(of fingerprint: String) -> Owner? {
        let octets = FingerprintReading(fingerprint).octets
        return octets.isEmpty ? nil : owner(of: octets)
    }

    static func owner(of octets: [UInt8]) -> Owner? {
        switch FingerprintReading.text(octets) {
        case publicDebugKey, publicDebugKeySHA1: .publicDebugKey
        case documentationSample: .documentationSample
        default: isMadeUp(octets) ? .madeUp : nil
        }
    }

    /// A short piece repeated, or steps of one size: a digest is so once in 2^128 times.
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
