import SSOShared

/// The source or target of a statement: a web site, or an Android app with one signing certificate.
///
/// Source: Digital Asset Links specification (github.com/google/digitalassetlinks, well-known/details.md).
public enum LinkedAsset: Hashable, Sendable {
    /// A web site. `origin` is scheme and host in lower case, without a trailing dot and a default port.
    case web(origin: String)
    /// An app. `fingerprint` is the SHA-256 of the certificate: 32 upper-case hex octets joined by colons.
    case androidApp(packageName: String, fingerprint: String)

    /// Whether the asset's statements are signed or arrive over TLS. Such an asset can include only https lists.
    var isSecure: Bool {
        switch self {
        case .web(let origin): origin.hasPrefix("https://")
        case .androidApp: true
        }
    }

    /// The asset as the API writes it. A host ends with the dot of a fully qualified name: `https://example.com.`.
    var json: AssociationJSON {
        switch self {
        case .web(let origin): ["web": ["site": .string(Self.fullyQualified(origin))]]
        case .androidApp(let package, let fingerprint):
            [
                "android_app": [
                    "package_name": .string(package), "certificate": ["sha256_fingerprint": .string(fingerprint)],
                ]
            ]
        }
    }

    private static func fullyQualified(_ origin: String) -> String {
        guard let address = try? SiteAddress(origin), !address.host.hasPrefix("[") else { return origin }
        return "\(address.scheme)://\(address.host)." + (address.port.map { ":\($0)" } ?? "")
    }
}

extension LinkedAsset {
    /// Reads the `site` of a query or of a web target.
    static func web(site: String) throws(InvalidAssetError) -> LinkedAsset {
        let address: SiteAddress
        do {
            address = try SiteAddress(site)
        } catch {
            throw .site(error)
        }
        switch address.rest.utf8.first {
        case UInt8(ascii: "/"): throw .sitePart("a web asset cannot contain a path")
        case UInt8(ascii: "?"): throw .sitePart("a web asset cannot contain query parameters")
        case UInt8(ascii: "#"): throw .sitePart("a web asset cannot contain fragment identifiers")
        default: return .web(origin: address.origin)
        }
    }

    /// Whether the text is labels of letters, digits and `_`, joined by dots. No label begins with a digit.
    static func isPackageName(_ name: String) -> Bool {
        name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { part in
            guard let first = part.first, !first.isASCIIDigit else { return false }
            return part.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "_") }
        }
    }

    /// Whether the text has exactly the form that files require. Lower case and missing colons are errors.
    static func isFingerprint(_ text: String) -> Bool { CertificateFingerprint(text)?.description == text }
}

/// The reason why a text is not a valid asset. The texts are those that the compatibility suite expects.
enum InvalidAssetError: Error {
    case site(SiteAddress.ParseError)
    case sitePart(String)

    var words: String {
        switch self {
        case .site(.noScheme): "Invalid site: not a valid URL: it has no scheme"
        case .site(.otherScheme(let scheme)): "Invalid site: non-HTTP URL (\(scheme.quoted))"
        case .site(.login): "Invalid site: a web asset cannot contain login information"
        case .site(let fault): "Invalid site: not a valid URL: \(fault)"
        case .sitePart(let what): "Invalid site: \(what)"
        }
    }
}

/// Relations as the client accepts them: `kind/detail`, each of lower-case letters, digits, `_` and `.`.
///
/// Source: Digital Asset Links specification, "Relation"; compatibility suite, comptest1101 and 2101 to 2124.
enum AssetRelation {
    /// The error in a relation, in the words of the compatibility suite, or `nil` if the relation is valid.
    static func fault(in text: String) -> String? {
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count == 2 else { return "Invalid relation string \(text.quoted): it must be kind/detail" }
        guard isPlain(parts[0]) else { return "Invalid 'kind' field in relation string \(text.quoted)" }
        guard isPlain(parts[1]) else { return "Invalid 'detail' field in relation string \(text.quoted)" }
        return nil
    }

    private static func isPlain(_ part: Substring.UTF8View) -> Bool {
        !part.isEmpty
            && part.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte.isASCIIDigit
                    || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".")
            }
    }
}
