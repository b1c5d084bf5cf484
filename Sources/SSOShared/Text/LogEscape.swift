/// Escapes text for one line of a log (ASVS 16.4.1): control characters, line separators and everything else that a
/// terminal interprets.
package enum LogEscape {
    package static func text(_ text: String) -> String { escape(text) { $0 == "\\" } }

    package static func bare(_ text: String) -> String {
        escape(text) { $0 == " " || $0 == "=" || $0 == "\"" || $0 == "\\" }
    }

    package static func appendQuotedIfNeeded(_ text: String, to line: inout String) {
        let plain = text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != 0x22 && $0 != 0x5c && $0 != 0x3d }
        if plain && !text.isEmpty { line += text } else { appendJSON(text, to: &line) }
    }

    package static func appendJSON(_ text: String, to line: inout String) {
        line += "\""
        line += escape(text) { $0 == "\"" || $0 == "\\" }
        line += "\""
    }

    /// Escapes as JSON does, so that one rule reads both formats.
    private static func escape(_ text: String, also special: (Unicode.Scalar) -> Bool) -> String {
        // The usual case.
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f && !special(Unicode.Scalar($0)) }) { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case _ where scalar == "\"" && special(scalar): result += "\\\""
            case _ where scalar == "\\" && special(scalar): result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where isHidden(scalar) || special(scalar): result += unicodeEscape(scalar)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
        default: false
        }
    }

    private static func unicodeEscape(_ scalar: Unicode.Scalar) -> String {
        String(scalar).utf16.map { unit in
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
    }
}
