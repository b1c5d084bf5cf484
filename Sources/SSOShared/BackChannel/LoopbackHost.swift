/// Hosts that are this very machine: the only ones that plain HTTP is let through to.
public enum LoopbackHost {
    /// True for `localhost`, an address in 127.0.0.0/8 written as four decimal numbers, and `::1` with or without
    /// brackets.
    ///
    /// Judged by the text alone. `127.0.0.1.example.com` and `localhost.example.com` are somebody's servers.
    public static func contains(_ host: String) -> Bool {
        let name = host.lowercased()
        if name == "localhost" || name == "::1" || name == "[::1]" { return true }
        let parts = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4, parts.allSatisfy(isDecimalByte) else { return false }
        return parts[0].elementsEqual("127".utf8)
    }

    private static func isDecimalByte(_ part: Substring.UTF8View) -> Bool {
        guard (1...3).contains(part.count), part.allSatisfy({ (0x30...0x39).contains($0) }) else { return false }
        return part.reduce(0) { $0 * 10 + Int($1 - 0x30) } <= 255
    }
}
