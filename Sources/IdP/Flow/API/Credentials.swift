/// What stands in `Authorization` after the scheme (RFC 9110 11.4).
package enum Credentials {
    /// The credentials of a scheme. Any number of blanks may be before them.
    ///
    /// - Parameters:
    ///   - scheme: in lower case.
    ///   - field: the value of the field.
    /// - Returns: nil for another scheme.
    package static func of(_ scheme: String, in field: String) -> String? {
        let parts = field.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == scheme else { return nil }
        return String(parts[1].drop { $0 == " " })
    }
}
