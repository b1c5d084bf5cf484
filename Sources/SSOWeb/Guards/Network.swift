/// A network in CIDR notation: `10.0.0.0/8`, `fd00::/8`, or one address.
public struct Network: Sendable {
    private let address: IPAddress
    private let prefix: Int

    /// - Throws: ``SettingFault`` for anything that is no network.
    public init(_ text: some StringProtocol) throws {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = parts.first.flatMap({ IPAddress($0) }) else {
            throw SettingFault("\"\(text)\" is no network. Give one such as 10.0.0.0/8 or fd00::/8")
        }
        let bits = address.bytes.count * 8
        // Digits alone: Int also takes a sign.
        let digits = parts.count == 2 && parts[1].utf8.allSatisfy { (0x30...0x39).contains($0) } ? parts[1] : ""
        guard let prefix = parts.count == 2 ? Int(digits) : bits, (0...bits).contains(prefix) else {
            throw SettingFault("\"\(text)\" has a prefix length outside 0 to \(bits).")
        }
        self.address = address
        self.prefix = prefix
    }

    /// Whether it is larger than any private network: 10.0.0.0/8 and fc00::/7 are the largest (RFC 1918, RFC 4193).
    public var holdsStrangers: Bool { prefix < (address.bytes.count == 4 ? 8 : 7) }

    func contains(_ other: IPAddress) -> Bool {
        guard other.bytes.count == address.bytes.count else { return false }
        return zip(address.bytes, other.bytes).enumerated().allSatisfy { index, pair in
            let bits = min(8, max(0, prefix - index * 8))
            let mask = UInt8(truncatingIfNeeded: 0xff00 >> bits)
            return pair.0 & mask == pair.1 & mask
        }
    }
}
