import Foundation
import SSOShared

/// Where the API is: Apple's address, or another one for tests and proxies.
struct StoreConnectAddress: Equatable {
    static let apple = "https://api.appstoreconnect.apple.com"

    /// Scheme, host and port, without a slash at the end.
    let base: String

    /// - Throws: ``StoreConnectFault/badArgument(_:)`` for anything but https, or http to this very machine: the token in
    ///   each request is as good as the key for ten minutes.
    init(_ text: String) throws(StoreConnectFault) {
        let trimmed = text.hasSuffix("/") ? String(text.dropLast()) : text
        guard let parts = URLComponents(string: trimmed), let host = parts.host, !host.isEmpty, parts.path.isEmpty,
            parts.query == nil, parts.fragment == nil, parts.user == nil, parts.password == nil
        else {
            throw .badArgument("--base-url must be scheme, host and port only, as in \(Self.apple)")
        }
        switch parts.scheme?.lowercased() {
        case "https": break
        case "http" where LoopbackHost.contains(host): break
        default: throw .badArgument("--base-url must be https; http is for this very machine only")
        }
        base = trimmed
    }

    var isPlaintext: Bool { base.lowercased().hasPrefix("http:") }

    /// The App IDs whose identifiers begin with one: Apple's filter is no exact match.
    func bundleIDs(beginning identifier: String) -> String {
        "\(base)/v1/bundleIds?filter%5Bidentifier%5D=\(Self.escaped(identifier))&limit=200"
    }

    func capabilities(of id: String) -> String { "\(base)/v1/bundleIds/\(Self.escaped(id))/bundleIdCapabilities" }

    var newCapability: String { "\(base)/v1/bundleIdCapabilities" }

    /// The next page, which the server names in full; a token is sent to no other server.
    func page(_ next: String) throws(StoreConnectFault) -> String {
        guard next.hasPrefix(base + "/v1/"), next.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
            throw .unexpected(status: 200, "its next page is on another server")
        }
        return next
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                result += "%" + (digits.count == 1 ? "0" : "") + digits
            }
        }
        return result
    }
}
