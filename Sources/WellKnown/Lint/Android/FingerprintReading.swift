import SSOShared

/// What a text in `sha256_cert_fingerprints` is: the fingerprint it holds, and everything that keeps it from working.
struct FingerprintReading {
    /// One thing that is wrong with it.
    enum Defect: Hashable {
        case empty
        case blanks
        case label(String)
        case placeholder
        case base64
        /// Octets of the digest that has this length instead: SHA-1, MD5, or none that is known.
        case digest(name: String, octets: Int)
        case octets(Int)
        /// An odd number of hex digits without colons.
        case digits(Int)
        /// The octet of that number, from 1, has one digit.
        case shortOctet(Int)
        case noColons
        case otherSeparator
        /// Two colons in a row, or one at an end.
        case extraSeparator
        case notHex
        case lowercase
    }

    /// In the order in which they are reported.
    private(set) var faults: [Defect] = []
    /// The octets, if it can be said which they are: of a SHA-256, or of what else it is.
    private(set) var octets: [UInt8] = []

    /// Of 32 octets: how it should be written.
    var corrected: String? { octets.count == 32 ? Self.text(octets) : nil }

    init(_ text: String) {
        let trimmed = Self.trimmed(text)
        guard !trimmed.isEmpty else {
            faults = [.empty]
            return
        }
        if trimmed.utf8.count != text.utf8.count { faults.append(.blanks) }
        let (label, rest) = Self.withoutLabel(trimmed)
        if readHex(rest) || readBase64(rest) {
            if let label { faults.insert(.label(label), at: 0) }
        } else {
            faults.append(Self.isPlaceholder(trimmed) ? .placeholder : .notHex)
        }
    }

    /// Upper-case pairs joined by colons.
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

    /// - Returns: false if it is not hexadecimal, regardless of its length.
    private mutating func readHex(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        func isSeparator(_ byte: UInt8) -> Bool { byte == Self.colon || Self.otherSeparators.contains(byte) }
        guard bytes.allSatisfy({ $0.hexValue != nil || isSeparator($0) }) else { return false }
        let groups = bytes.split(omittingEmptySubsequences: false, whereSeparator: isSeparator)
        let filled = groups.filter { !$0.isEmpty }
        let hasOther = bytes.contains { Self.otherSeparators.contains($0) }
        if groups.count == 1 {
            // A word such as "decade" is hex, too: only what is long enough for a digest counts.
            guard bytes.count >= 16 else { return false }
            faults.append(.noColons)
            if bytes.count % 2 == 0 { octets = Self.pairs(bytes) } else { faults.append(.digits(bytes.count)) }
        } else {
            guard filled.count >= (hasOther ? 16 : 3), groups.allSatisfy({ $0.count <= 2 }) else { return false }
            if hasOther { faults.append(.otherSeparator) }
            if filled.count < groups.count { faults.append(.extraSeparator) }
            if let short = filled.firstIndex(where: { $0.count < 2 }) {
                faults.append(filled.count == 32 ? .shortOctet(short + 1) : .octets(filled.count))
            } else {
                octets = filled.flatMap { Self.pairs(Array($0)) }
            }
        }
        switch octets.count {
        case 0, 32: break
        case 20: faults.append(.digest(name: "SHA-1", octets: 20))
        case 16: faults.append(.digest(name: "MD5", octets: 16))
        default: faults.append(.octets(octets.count))
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

    /// Digests in base64 or base64url, of 32 or 20 octets.
    private mutating func readBase64(_ text: String) -> Bool {
        // "REPLACE_WITH_YOUR_SHA256_FP" decodes, too.
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
        "sha-1", "sha 256", "md5",
    ]

    /// Splits "SHA256: AB:…", "SHA-256 Fingerprint=AB:…", "android:apk-key-hash:…" into label and value.
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

    /// Instructions, brackets, ellipses, rows of X: as in templates.
    private static func isPlaceholder(_ text: String) -> Bool { contains(text, templateWords) }

    private static let templateWords = [
        "todo", "your", "replace", "fingerprint", "sha", "change", "insert", "placeholder", "example", "here", "xx",
        "...", "…", "<", "{{", "${", "$(", "%", "__", "fill", "release", "debug", "signing", "cert", "tbd", "fixme",
        "hash", "key", "dummy", "aa:bb", "secret", "env",
    ].map { Array($0.utf8) }

    /// Whether one of some words in lower case stands in the beginning of a text, in any case. By bytes: a hostile file
    /// has a hundred thousand texts that are none.
    private static func contains(_ text: String, _ words: [[UInt8]]) -> Bool {
        let bytes = text.utf8.prefix(200).map { $0.isASCIIUpper ? $0 | 0x20 : $0 }
        return bytes.indices.contains { start in
            words.contains { word in word.first == bytes[start] && bytes[start...].starts(with: word) }
        }
    }

    /// Without blanks, line ends and invisible characters at both ends.
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
    /// What it is worth as a hex digit, in either case.
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
