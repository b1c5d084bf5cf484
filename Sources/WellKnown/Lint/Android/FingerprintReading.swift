import SSOShared

/// Reads a text in `sha256_cert_fingerprints`: the fingerprint in it, and every defect that keeps it from working.
struct FingerprintReading {
    /// One defect of the text.
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
    var corrected: String? { octets.count == 32 ? Self.text(octets) : nil }

    init(_ text: String) {
        let trimmed = Self.trimmed(text)
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
            faults.append(
                Self.isPlaceholder(trimmed) || PlaceholderWords.isOne(trimmed) ? .placeholder : .notHex)
        }
    }

    /// Upper-case pairs of hex digits, joined by colons.
    static func text(_ octets: [UInt8]) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for octet in octets {
            if !bytes.isEmpty { bytes.append(UInt8(ascii: ":")) }
            bytes.append(digits[Int(octet >> 4)])
            bytes.append(digits[Int(octet & 15)])
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    // MARK: Hex

    private static let colon = UInt8(ascii: ":")
    private static let otherSeparators = [UInt8(ascii: "-"), UInt8(ascii: " ")]

    /// - Returns: false if the text is not hexadecimal, regardless of its length.
    private mutating func readHex(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        func isSeparator(_ byte: UInt8) -> Bool { byte == Self.colon || Self.otherSeparators.contains(byte) }
        guard bytes.allSatisfy({ $0.hexValue != nil || isSeparator($0) }) else { return false }
        let groups = bytes.split(omittingEmptySubsequences: false, whereSeparator: isSeparator)
        let filled = groups.filter { !$0.isEmpty }
        let hasOther = bytes.contains { Self.otherSeparators.contains($0) }
        if groups.count == 1 {
            // A word such as "decade" is also hexadecimal. Only a text that is long enough for a digest counts.
            guard bytes.count >= 16 else { return false }
            faults.append(.noColons)
            if bytes.count % 2 == 0 { octets = Self.pairs(bytes) } else { faults.append(.digits(bytes.count)) }
        } else {
            guard filled.count >= (hasOther ? 16 : 3), groups.allSatisfy({ $0.count <= 2 }) else { return false }
            if hasOther { faults.append(.otherSeparator) }
            if filled.count < groups.count, !hasOther { faults.append(.extraSeparator) }
            if let short = filled.firstIndex(where: { $0.count < 2 }) {
                faults.append(filled.count == 32 ? .shortOctet(short + 1) : .octets(filled.count))
            } else {
                octets = filled.flatMap { Self.pairs(Array($0)) }
            }
        }
        // Octets of another digest are the one cause. Another notation of them would help nothing.
        switch octets.count {
        case 0, 32: break
        case 20: faults = [.digest(name: "SHA-1", octets: 20)]
        case 16: faults = [.digest(name: "MD5", octets: 16)]
        default: faults = [.octets(octets.count)]
        }
        guard
            octets.count == 32
                || faults.allSatisfy({ $0 == .noColons || $0 == .otherSeparator || $0 == .extraSeparator })
        else {
            return true
        }
        if bytes.contains(where: { (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0) }) { faults.append(.lowercase) }
        return true
    }

    private static func pairs(_ digits: [UInt8]) -> [UInt8] {
        stride(from: 0, to: digits.count - 1, by: 2).compactMap { index in
            guard let high = digits[index].hexValue, let low = digits[index + 1].hexValue else { return nil }
            return high << 4 | low
        }
    }

    // MARK: Base64

    /// Reads digests of 32 or 20 octets in base64 or base64url.
    private mutating func readBase64(_ text: String) -> Bool {
        // "REPLACE_WITH_YOUR_SHA256_FP" is also valid base64url.
        let isMixed =
            text.utf8.contains(where: \.isASCIIUpper) && text.utf8.contains { $0.isASCIILetter && !$0.isASCIIUpper }
        guard isMixed, !Self.hasInstruction(text), let bytes = Base64Octets.read(text),
            bytes.count == 32 || bytes.count == 20
        else { return false }
        octets = bytes
        faults.append(bytes.count == 32 ? .base64 : .digest(name: "SHA-1 in base64", octets: 20))
        return true
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

    private static func hasInstruction(_ text: String) -> Bool { contains(text, instructions) }

    private static let instructions = ["todo", "your", "replace", "fingerprint", "sha256", "insert", "placeholder"]
        .map { Array($0.utf8) }

    /// Whether the text is a placeholder from a template: instructions, brackets, an ellipsis, a row of X.
    private static func isPlaceholder(_ text: String) -> Bool { contains(text, templateWords) }

    private static let templateWords = [
        "todo", "your", "replace", "fingerprint", "sha", "change", "insert", "placeholder", "example", "here", "xx",
        "...", "…", "<", "{{", "${", "$(", "%", "__", "fill", "release", "debug", "signing", "cert", "tbd", "fixme",
        "hash", "key", "dummy", "aa:bb", "secret", "env",
    ].map { Array($0.utf8) }

    /// Whether the beginning of a text contains one of the lower-case words, in any case. The function compares bytes
    /// for speed: a hostile file can have a hundred thousand texts.
    private static func contains(_ text: String, _ words: [[UInt8]]) -> Bool {
        let bytes = text.utf8.prefix(200).map { $0.isASCIIUpper ? $0 | 0x20 : $0 }
        return bytes.indices.contains { start in
            words.contains { word in word.first == bytes[start] && bytes[start...].starts(with: word) }
        }
    }

    /// The text without white space and invisible characters at both ends.
    private static func trimmed(_ text: String) -> String {
        func isBlank(_ scalar: Unicode.Scalar) -> Bool {
            scalar.properties.isWhitespace || scalar.properties.isDefaultIgnorableCodePoint || scalar.value < 0x20
        }
        let scalars = text.unicodeScalars.drop(while: isBlank)
        guard let last = scalars.lastIndex(where: { !isBlank($0) }) else { return "" }
        return String(String.UnicodeScalarView(scalars[...last]))
    }
}

extension UInt8 {
    /// The value of the byte as a hex digit in upper or lower case.
    fileprivate var hexValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}

/// Reads base64 and base64url with or without padding. Foundation accepts only base64 with padding.
enum Base64Octets {
    static func read(_ text: String) -> [UInt8]? {
        var bytes = Array(text.utf8)
        while bytes.last == UInt8(ascii: "=") { bytes.removeLast() }
        guard bytes.count % 4 != 1, bytes.count <= 4096 else { return nil }
        var octets: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        for byte in bytes {
            guard let value = value(of: byte) else { return nil }
            bits = bits << 6 & 0xffff | value
            count += 6
            if count >= 8 {
                count -= 8
                octets.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return octets
    }

    private static func value(of byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
        case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
