import CCurl
import Glibc
import WellKnown

/// What has been received of one answer. Belongs to the thread of its transfer.
final class WebTransfer {
    /// More header bytes than any honest answer has.
    static let largestHead = 1 << 16

    let request: WebRequest
    private let largestBody: Int
    private(set) var headers: [(name: String, value: String)] = []
    private(set) var body: [UInt8] = []
    private(set) var isTruncated = false
    /// Addresses that were not connected to, with the reason.
    var refused: [String] = []
    var hasConnected = false
    private var headBytes = 0

    init(_ request: WebRequest, largestBody: Int) {
        self.request = request
        self.largestBody = largestBody
    }

    /// Keeps no more than one byte over the limit. False ends the transfer.
    func receive(body bytes: UnsafeRawBufferPointer) -> Bool {
        let room = largestBody + 1 - body.count
        body.append(contentsOf: bytes.prefix(room))
        guard body.count <= largestBody else {
            isTruncated = true
            return false
        }
        return true
    }

    func receive(header bytes: UnsafeRawBufferPointer) -> Bool {
        headBytes += bytes.count
        guard headBytes <= Self.largestHead else { return false }
        if bytes.starts(with: "HTTP/".utf8) {
            // Another head follows an interim one (1xx): the last one counts.
            headers = []
            return true
        }
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return true }
        func text(_ part: some Sequence<UInt8>) -> String { String(decoding: Array(part), as: UTF8.self) }
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0d || $0 == 0x0a }
        let value = Array(bytes[(colon + 1)...].drop(while: isBlank))
        let end = value.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? 0
        headers.append((text(bytes[..<colon]).lowercased(), text(value[..<end])))
        return true
    }
}

let receiveWebBody: sso_curl_receive = { bytes, size, count, context in
    receive(bytes, size, count, context) { $0.receive(body: $1) }
}

let receiveWebHeader: sso_curl_receive = { bytes, size, count, context in
    receive(bytes, size, count, context) { $0.receive(header: $1) }
}

private func receive(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?,
    _ take: (WebTransfer, UnsafeRawBufferPointer) -> Bool
) -> Int {
    guard let bytes, let context else { return 0 }
    let transfer = Unmanaged<WebTransfer>.fromOpaque(context).takeUnretainedValue()
    let total = size * count
    // Taking none of zero bytes would look like success to curl: refuse with a number that cannot be right.
    return take(transfer, UnsafeRawBufferPointer(start: bytes, count: total)) ? total : total + 1
}

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
