/// The rule for the ids of relying parties: `[a-z0-9][a-z0-9-]{0,62}` (contract 2).
public enum ClientID {
    /// Whether the id has that shape: what a registry takes, and what cannot end a header line.
    public static func isWellFormed(_ text: String) -> Bool {
        let bytes = text.utf8
        return (1...63).contains(bytes.count) && bytes.first != UInt8(ascii: "-")
            && bytes.allSatisfy { (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") }
    }
}
