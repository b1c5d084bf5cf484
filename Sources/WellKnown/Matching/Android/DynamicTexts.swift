/// The parts of an address as Android reads them: decoded, and absent is not empty.
///
/// Source: AOSP `android.content.UriRelativeFilter` over `android.net.Uri`.
struct DynamicTexts {
    let path: [Unicode.Scalar]
    /// The query's items as `name=value`; `nil` without a query. Decoded before they are split, as Android does.
    let items: [[Unicode.Scalar]]?
    let fragment: [Unicode.Scalar]?

    init(_ url: LinkURL) {
        func decoded(_ range: Range<Int>) -> [Unicode.Scalar] {
            let text = url.bytes[range]
            guard text.contains(0x25) else { return text.map { Unicode.Scalar($0) } }
            return Array(String(decoding: PercentEncoding.bytes(text), as: UTF8.self).unicodeScalars)
        }
        path = decoded(url.pathRange)
        fragment = url.fragmentRange.map(decoded)
        items = url.queryRange.map { range in
            let query = decoded(range)
            let items = Self.split(query, "&")
            return items.count == 1 ? Self.split(query, ";") : items
        }
    }

    /// Java's `String.split`: empty pieces at the end are dropped, unless there is nothing else.
    private static func split(_ text: [Unicode.Scalar], _ separator: Unicode.Scalar) -> [[Unicode.Scalar]] {
        var pieces = text.split(separator: separator, omittingEmptySubsequences: false).map(Array.init)
        while pieces.count > 1, pieces.last?.isEmpty == true { pieces.removeLast() }
        return pieces
    }
}
