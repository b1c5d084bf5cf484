/// Names of hosts as bytes (RFC 1123 2.1): labels of letters, digits and inner hyphens.
enum HostName {
    static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }

    static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte + 32 : byte
    }

    /// Labels of at most 63 bytes, 253 in all, no trailing dot.
    static func isName(_ bytes: some Collection<UInt8>) -> Bool {
        bytes.count <= 253
            && bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
                (1...63).contains(label.count) && label.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: "-") }
                    && label.first != UInt8(ascii: "-") && Array(label).last != UInt8(ascii: "-")
            }
    }

    /// A name with a dot in it whose last label is not a number: neither `localhost` nor `192.0.2.1` gets letters.
    static func isDomain(_ bytes: some Collection<UInt8>) -> Bool {
        let labels = bytes.split(separator: UInt8(ascii: "."))
        guard isName(bytes), labels.count >= 2, let last = labels.last else { return false }
        return !last.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
