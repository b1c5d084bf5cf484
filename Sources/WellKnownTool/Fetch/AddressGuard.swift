import CCurl
import Glibc
import WellKnown

/// Decides about every address that curl is about to connect to, and remembers what it refused.
enum AddressGuard {
    /// The octets of an IPv4 or IPv6 address, in network order; empty for another family.
    static func octets(of address: UnsafePointer<sockaddr>) -> [UInt8] {
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { pointer in
                withUnsafeBytes(of: pointer.pointee.sin_addr.s_addr) { Array($0) }
            }
        case AF_INET6:
            return address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { pointer in
                withUnsafeBytes(of: pointer.pointee.sin6_addr) { Array($0) }
            }
        default: return []
        }
    }

    /// The address as people write it.
    static func text(of octets: [UInt8]) -> String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN) + 1)
        let family = octets.count == 4 ? AF_INET : AF_INET6
        guard octets.count == 4 || octets.count == 16,
            inet_ntop(family, octets, &text, socklen_t(INET6_ADDRSTRLEN)) != nil
        else { return "an unknown address" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// Called by curl on the thread of the transfer.
let openGuardedSocket: curl_opensocket_callback = { context, _, address in
    guard let context, let address, let raw = sso_fetch_address(address) else { return -1 }
    let transfer = Unmanaged<WebTransfer>.fromOpaque(context).takeUnretainedValue()
    let octets = AddressGuard.octets(of: raw)
    if !transfer.request.allowsPrivate, let kind = ReservedAddress.kind(of: octets) {
        transfer.refused.append("\(AddressGuard.text(of: octets)) (\(kind))")
        return -1
    }
    let type = address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = socket(address.pointee.family, type, address.pointee.protocol)
    if descriptor >= 0 { transfer.hasConnected = true }
    return descriptor
}
