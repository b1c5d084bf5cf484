import Glibc

/// The addresses that a name has.
enum HostAddresses {
    /// More than a cluster has servers. Each is one more connection.
    static let limit = 8

    /// Looks a name up. Blocks the thread. Empty for a name that is not known.
    static func of(_ name: String) -> [String] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var first: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(name, nil, &hints, &first) == 0, let first else { return [] }
        defer { freeaddrinfo(first) }
        var found: [String] = []
        for entry in sequence(first: first, next: { $0.pointee.ai_next }) {
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let status = getnameinfo(
                entry.pointee.ai_addr, entry.pointee.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
            guard status == 0 else { continue }
            let address = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if !found.contains(address) { found.append(address) }
        }
        return Array(found.prefix(limit))
    }

    /// Whether a host of a connection has to be looked up: neither the folder of a socket nor an address.
    static func isName(_ host: String) -> Bool {
        guard let start = host.first, start != "/", start != "@", !host.contains(":") else { return false }
        return !host.allSatisfy { $0 == "." || ("0"..."9").contains($0) }
    }
}
