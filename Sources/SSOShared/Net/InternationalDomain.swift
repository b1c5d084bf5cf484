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

    /// The ASCII form of the first host with other letters in a refused address of the web, or in a list of them, as a sentence
    /// with a blank before it. Empty for any other text, for one with an `@`, before which a password may be, and where the words
    /// of the error say it already.
    package static func hint(about text: String, after words: String = "") -> String {
        guard !text.contains("@") else { return "" }
        let hosts = text.ranges(of: "://").map { String(text[$0.upperBound...].prefix { !":/?#, ".contains($0) }) }
        let hint = hosts.lazy.map(hint(ofHost:)).first { !$0.isEmpty } ?? ""
        return words.contains(hint) ? "" : hint
    }

    /// The same for a host alone.
    package static func hint(ofHost host: String) -> String {
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
