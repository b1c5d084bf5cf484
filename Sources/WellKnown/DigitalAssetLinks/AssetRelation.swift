import SSOShared

/// Relations as the client takes them: `kind/detail`, each of lower-case letters, digits, `_` and `.`.
///
/// Source: Digital Asset Links specification, "Relation"; compatibility suite, comptest1101 and 2101 to 2124.
enum AssetRelation {
    /// What is wrong with a relation, in the words of the suite; `nil` when nothing is.
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
