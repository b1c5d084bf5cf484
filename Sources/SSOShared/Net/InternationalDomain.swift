import Foundation

/// Domain names with letters of other scripts than ASCII (RFC 5891, UTS 46).
package enum InternationalDomain {
    /// The form that DNS and mail servers know (A-labels): `xn--exmple-4ya.example` for `exümple.example`, in lower case. Nil for
    /// text that is not a host name.
    ///
    /// Foundation maps by UTS 46, non-transitional: `ß` and joiners stay what they are. Its result counts only if it is a host
    /// name by our own rule.
    package static func ascii(_ domain: String) -> String? {
        let isPlain = domain.utf8.allSatisfy {
            $0 >= 0x80 || $0.isASCIILetter || $0.isASCIIDigit || "-.".utf8.contains($0)
        }
        guard isPlain, domain.utf8.count <= 1024 else { return nil }
        var host = domain
        if !domain.utf8.allSatisfy({ $0 < 0x80 }) {
            guard let encoded = URLComponents(string: "http://\(domain)/")?.encodedHost else { return nil }
            host = encoded
        }
        guard HostPort.isName(host.utf8) else { return nil }
        return String(decoding: host.utf8.map(\.asciiLowercased), as: UTF8.self)
    }

    /// The ASCII form of the host in an address of the web that was refused, as a sentence with a blank before it. Empty for any
    /// other text, and for one with an `@`, before which a password may be.
    package static func hint(about url: String) -> String {
        guard !url.contains("@"), let start = url.range(of: "://")?.upperBound else { return "" }
        let host = String(url[start...].prefix { !":/?#, ".contains($0) })
        guard !host.utf8.allSatisfy({ $0 < 0x80 }), let ascii = ascii(host) else { return "" }
        return " Write its host as \(ascii)."
    }

    /// The form that people read: `exümple.example`. The domain as it is when it has no A-label, or one that leads elsewhere.
    package static func shown(_ domain: String) -> String {
        guard domain.utf8.count <= 253, domain.split(separator: ".").contains(where: { $0.hasPrefix("xn--") }),
            let shown = URLComponents(string: "http://\(domain)/")?.host, ascii(shown) == domain
        else { return domain }
        return shown
    }
}
