/// The hosts that are this machine: the only ones to which plain HTTP is permitted.
public enum LoopbackHost {
    /// True for `localhost`, an address in 127.0.0.0/8 written as four decimal numbers, and `::1` with or without
    /// brackets.
    ///
    /// Only the text decides. `127.0.0.1.example.com` and `localhost.example.com` are other servers.
    public static func contains(_ host: String) -> Bool {
        let name = host.lowercased()
        if name == "localhost" || name == "::1" || name == "[::1]" { return true }
        return name.utf8.starts(with: "127.".utf8) && HostPort.isIPv4(name.utf8)
    }
}
