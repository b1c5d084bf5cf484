import SSOShared

/// The results that a mail server found (RFC 8601 2.2):
/// `mx.example.com; dkim=pass header.d=example.com; spf=pass smtp.mailfrom=ann@example.com`.
///
/// Read by its grammar, so text within comments, quoted strings and reasons is never a result (CVE-2019-20790).
struct AuthenticationResults {
    /// What one method found (resinfo).
    struct Result {
        /// In lower case: `dkim`.
        let method: String
        /// In lower case: `pass`.
        let result: String
        /// By `ptype.property` in lower case: `header.d`.
        let properties: [String: PropertyValue]
    }

    /// The value of a property (pvalue).
    struct PropertyValue: Equatable {
        /// What stands in quotation marks, or the whole value if nothing does.
        let text: [UInt8]
        /// What follows a quoted local part and its @.
        let domainAfterQuoted: [UInt8]?
    }

    let authservID: [UInt8]
    let results: [Result]

    /// nil for anything that does not follow the grammar. Three deviations of real mail servers are accepted, and none of
    /// them is a result: a semicolon at the end, `name=value` without a type, and `/`, `+`, `=`, `@` in values.
    init?(_ field: ArraySlice<UInt8>) {
        var scanner = FieldScanner(field)
        guard scanner.skipBlanksAndComments() != nil, let id = scanner.value(), scanner.skipBlanksAndComments() != nil
        else { return nil }
        authservID = id
        let version = scanner.take(while: \.isASCIIDigit)
        guard version.isEmpty || version.elementsEqual("1".utf8), scanner.skipBlanksAndComments() != nil,
            !scanner.isAtEnd
        else { return nil }
        var results: [Result] = []
        while !scanner.isAtEnd {
            guard scanner.take(";"), scanner.skipBlanksAndComments() != nil else { return nil }
            if scanner.isAtEnd { break }
            guard let method = Self.keyword(&scanner), scanner.skipBlanksAndComments() != nil else { return nil }
            if method == "none", scanner.isAtEnd, results.isEmpty { break }
            guard let result = Self.result(of: method, &scanner) else { return nil }
            if let result = result.counted { results.append(result) }
        }
        self.results = results
    }

    /// A result, or nothing if it is void.
    private struct Reading { let counted: Result? }

    /// Reads from the end of the method's name to the next semicolon.
    ///
    /// The result is void if it says two different things, or if it is of another version of the method.
    private static func result(of method: String, _ scanner: inout FieldScanner) -> Reading? {
        var isVoid = false
        if scanner.take("/") {
            guard scanner.skipBlanksAndComments() != nil else { return nil }
            let version = scanner.take(while: \.isASCIIDigit)
            guard !version.isEmpty, scanner.skipBlanksAndComments() != nil else { return nil }
            isVoid = !version.elementsEqual("1".utf8)
        }
        guard scanner.take("="), scanner.skipBlanksAndComments() != nil, let result = keyword(&scanner) else {
            return nil
        }
        var properties: [String: PropertyValue] = [:]
        while true {
            guard let blanks = scanner.skipBlanksAndComments() else { return nil }
            if scanner.isAtEnd || scanner.next == UInt8(ascii: ";") { break }
            guard blanks > 0, let (name, value) = property(&scanner) else { return nil }
            if let other = properties.updateValue(value, forKey: name), other != value { isVoid = true }
            // `dkim=pass dkim=fail` without a semicolon.
            if name == method, !value.text[...].lowercasedText.utf8.elementsEqual(result.utf8) { isVoid = true }
        }
        return Reading(counted: isVoid ? nil : Result(method: method, result: result, properties: properties))
    }

    /// `ptype.property=value`, or `name=value` such as `reason="…"`, whose name has no dot.
    private static func property(_ scanner: inout FieldScanner) -> (name: String, value: PropertyValue)? {
        guard var name = keyword(&scanner), scanner.skipBlanksAndComments() != nil else { return nil }
        if scanner.take(".") {
            guard scanner.skipBlanksAndComments() != nil, let property = keyword(&scanner),
                scanner.skipBlanksAndComments() != nil
            else { return nil }
            name += "." + property
        }
        guard scanner.take("="), scanner.skipBlanksAndComments() != nil, let value = value(&scanner) else { return nil }
        return (name, value)
    }

    private static func value(_ scanner: inout FieldScanner) -> PropertyValue? {
        if scanner.next == UInt8(ascii: "\"") {
            guard let text = scanner.quotedString() else { return nil }
            guard scanner.take("@") else { return PropertyValue(text: text, domainAfterQuoted: nil) }
            return PropertyValue(text: text, domainAfterQuoted: Array(scanner.take(while: isValueByte)))
        }
        let text = scanner.take(while: isValueByte)
        return text.isEmpty ? nil : PropertyValue(text: Array(text), domainAfterQuoted: nil)
    }

    private static func isValueByte(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7f && !";()\"<>,\\".utf8.contains(byte)
    }

    /// Keyword of RFC 5321 4.1.2, in lower case. `_` occurs in names of properties.
    private static func keyword(_ scanner: inout FieldScanner) -> String? {
        let word = scanner.take {
            $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
        }
        return word.isEmpty ? nil : word.lowercasedText
    }
}

extension AuthenticationResults.PropertyValue {
    /// The domain of an address or of a domain alone, in lower case. nil for a text with two @ or with a local part that
    /// is not plain.
    var domain: [UInt8]? {
        if let domainAfterQuoted {
            return domainAfterQuoted.contains(UInt8(ascii: "@")) ? nil : domainAfterQuoted.map(\.asciiLowercased)
        }
        let parts = text.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard parts.count <= 2, let domain = parts.last else { return nil }
        let isPlain = text.allSatisfy { EmailAddress.isAtomText($0) || ".@%!".utf8.contains($0) }
        return isPlain ? domain.map(\.asciiLowercased) : nil
    }
}
