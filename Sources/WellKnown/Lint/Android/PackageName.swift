import SSOShared

/// The form of an Android application id.
///
/// Source: https://developer.android.com/build/configure-app-module#set-application-id
enum PackageName {
    /// What is wrong, as the end of a sentence that begins with the name; `nil` when nothing is.
    static func fault(in name: String) -> String? {
        let bytes = Array(name.utf8)
        if trimmed(name).utf8.count != bytes.count { return "has blanks or invisible characters around it" }
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        func isPart(_ byte: UInt8) -> Bool { byte.isASCIILetter || byte.isASCIIDigit || byte == UInt8(ascii: "_") }
        let upper = name.uppercased()
        if ["TODO", "YOUR", "REPLACE", "<", "{", "$", "PLACEHOLDER", "PACKAGE_NAME"].contains(where: {
            upper.contains($0)
        }),
            parts.count < 2 || !bytes.allSatisfy({ isPart($0) || $0 == UInt8(ascii: ".") })
        {
            return "is a placeholder"
        }
        if parts.count < 2 { return "has one part only" }
        if bytes.count > 223 { return "is longer than 223 characters" }
        for part in parts {
            let shown = String(decoding: part.prefix(60), as: UTF8.self).quoted
            guard let first = part.first else { return "has an empty part" }
            if !part.allSatisfy(isPart) { return "has a character in \(shown) that is no letter, digit or underscore" }
            if !first.isASCIILetter { return "has a part that does not begin with a letter, \(shown)" }
        }
        return nil
    }

    static func trimmed(_ name: String) -> String {
        func isBlank(_ scalar: Unicode.Scalar) -> Bool {
            scalar.properties.isWhitespace || scalar.properties.isDefaultIgnorableCodePoint
        }
        let scalars = name.unicodeScalars.drop(while: isBlank)
        guard let last = scalars.lastIndex(where: { !isBlank($0) }) else { return "" }
        return String(String.UnicodeScalarView(scalars[...last]))
    }

    /// A build for developers, by its name: a part `debug` or `dbg`.
    static func isDebug(_ name: String) -> Bool {
        name.split(separator: ".").contains { $0 == "debug" || $0 == "dbg" || $0.hasSuffix("_debug") }
    }
}
