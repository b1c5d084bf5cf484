import SSOShared

/// Reads a text in `sha256_cert_fingerprints`: the fingerprint in it, and every defect that keeps it from working.
struct FingerprintReading {
    enum Defect: Hashable {
        case empty
        case blanks
        case label(String)
        case placeholder
        case base64
        /// The octets of another digest, recognized by its length: SHA-1, MD5, or an unknown one.
        case digest(name: String, octets: Int)
        case octets(Int)
        /// The text is an odd number of hex digits without colons.
        case digits(Int)
        /// The octet with this number has one digit. The count starts at 1.
        case shortOctet(Int)
        case noColons
        case otherSeparator
        /// The text has two colons in a row, or a colon at an end.
        case extraSeparator
        case notHex
        case lowercase
    }

    /// The defects in the order in which they are reported.
    private(set) var faults: [Defect] = []
    /// The octets of the SHA-256 or of the other digest. Empty if they cannot be determined.
    private(set) var octets: [UInt8] = []

    /// The correct notation, if the text contains 32 octets.
    var corrected: String? { octets.count == 32 ? CertificateFingerprint.text(octets) : nil }

    init(_ text: String) {
        let trimmed = PackageName.trimmed(text)
        guard !trimmed.isEmpty else {
            faults = [.empty]
            return
        }
        if trimmed.utf8.count != text.utf8.count { faults.append(.blanks) }
        let (label, rest) = Self.withoutLabel(trimmed)
        // A colon of full width, as some keyboards write it, is another separator.
        if readHex(rest.replacing("：", with: "-")) || readBase64(rest) {
            // Of another digest, and of base64 in WebAuthn's form, the label is no cause of its own.
            if let label, octets.count == 32, !faults.contains(.base64) { faults.insert(.label(label), at: 0) }
        } else {
            let isPlaceholder = Self.templateWords.occur(in: Array(trimmed.utf8.prefix(200)))
            faults.append(isPlaceholder || PlaceholderWords.isOne(trimmed) ? .placeholder : .notHex)
        }
    }

    // MARK: Hex

    private static let colon = UInt8(ascii: ":")
    private static let otherSeparators = [UInt8(ascii: "-"), UInt8(ascii: " ")]

    /// - Returns: false if the text is not hexadecimal, regardless of its length.
    private mutating func readHex(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        func isSeparator(_ byte: UInt8) -> Bool { byte == Self.colon || Self.otherSeparators.contains(byte) }
        guard bytes.allSatisfy({ $0.isASCIIHexDigit || isSeparator($0) }) else { return false }
        let groups = bytes.split(omittingEmptySubsequences: false, whereSeparator: isSeparator)
        let filled = groups.filter { !$0.isEmpty }
        let hasOther = bytes.contains { Self.otherSeparators.contains($0) }
        if groups.count == 1 {
            // A word such as "decade" is also hexadecimal. Only a text that is long enough for a digest counts.
            guard bytes.count >= 16 else { return false }
            faults.append(.noColons)
            if bytes.count % 2 == 0 { octets = Hex.decode(text) ?? [] } else { faults.append(.digits(bytes.count)) }
        } else {
            guard filled.count >= (hasOther ? 16 : 3), groups.allSatisfy({ $0.count <= 2 }) else { return false }
            if hasOther { faults.append(.otherSeparator) }
            if filled.count < groups.count, !hasOther { faults.append(.extraSeparator) }
            if let short = filled.firstIndex(where: { $0.count < 2 }) {
                faults.append(filled.count == 32 ? .shortOctet(short + 1) : .octets(filled.count))
            } else {
                octets = Hex.decode(String(decoding: filled.joined(), as: UTF8.self)) ?? []
            }
        }
        // Octets of another digest are the one cause. Another notation of them would help nothing.
        switch octets.count {
        case 0, 32: break
        case 20: faults = [.digest(name: "SHA-1", octets: 20)]
        case 16: faults = [.digest(name: "MD5", octets: 16)]
        default: faults = [.octets(octets.count)]
        }
        let isOnlyNotation = faults.allSatisfy { $0 == .noColons || $0 == .otherSeparator || $0 == .extraSeparator }
        guard octets.count == 32 || isOnlyNotation else { return true }
        if bytes.contains(where: { (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0) }) { faults.append(.lowercase) }
        return true
    }

    // MARK: Base64

    /// Reads digests of 32 or 20 octets in base64 or base64url.
    private mutating func readBase64(_ text: String) -> Bool {
        // "REPLACE_WITH_YOUR_SHA256_FP" is also valid base64url.
        let isMixed =
            text.utf8.contains(where: \.isASCIIUpper) && text.utf8.contains { $0.isASCIILetter && !$0.isASCIIUpper }
        guard isMixed, !Self.instructions.occur(in: Array(text.utf8)), let bytes = Self.base64(text),
            bytes.count == 32 || bytes.count == 20
        else { return false }
        octets = bytes
        faults.append(bytes.count == 32 ? .base64 : .digest(name: "SHA-1 in base64", octets: 20))
        return true
    }

    /// The bytes of base64 or base64url, with or without padding.
    private static func base64(_ text: String) -> [UInt8]? {
        guard text.utf8.count <= 60 else { return nil }
        return Base64URL.decode(text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: ""))
    }

    // MARK: Words

    private static let labels = [
        "android:apk-key-hash-sha256:", "android:apk-key-hash:", "sha256 fingerprint", "sha-256 fingerprint",
        "sha256 cert fingerprint", "certificate fingerprint", "fingerprint", "sha256", "sha-256", "sha_256", "sha1",
        "sha-1", "sha 256", "md5", "0x",
    ]

    /// Splits "SHA256: AB:…", "SHA-256 Fingerprint=AB:…" or "android:apk-key-hash:…" into a label and a value.
    private static func withoutLabel(_ text: String) -> (label: String?, rest: String) {
        let bytes = Array(text.utf8)
        let lower = String(decoding: bytes.prefix(40).map { $0.isASCIIUpper ? $0 | 0x20 : $0 }, as: UTF8.self)
        guard let label = labels.first(where: { lower.utf8.starts(with: $0.utf8) }) else { return (nil, text) }
        let rest = bytes.dropFirst(label.utf8.count)
            .drop { [UInt8(ascii: ":"), UInt8(ascii: "="), UInt8(ascii: " "), UInt8(ascii: "/"), 9].contains($0) }
        guard !rest.isEmpty else { return (nil, text) }
        return (String(decoding: bytes.prefix(label.utf8.count), as: UTF8.self), String(decoding: rest, as: UTF8.self))
    }

    private static let instructions = ASCIIWords([
        "todo", "your", "replace", "fingerprint", "sha256", "insert", "placeholder",
    ])

    /// Words of a template: instructions, brackets, an ellipsis, a row of X.
    private static let templateWords = ASCIIWords([
        "todo", "your", "replace", "fingerprint", "sha", "change", "insert", "placeholder", "example", "here", "xx",
        "...", "…", "<", "{{", "${", "$(", "%", "__", "fill", "release", "debug", "signing", "cert", "tbd", "fixme",
        "hash", "key", "dummy", "aa:bb", "secret", "env",
    ])
}
