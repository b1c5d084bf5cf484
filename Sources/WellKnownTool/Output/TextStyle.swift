import Foundation
import Glibc

/// How text looks: colours on a terminal only, lines of 80 columns.
struct TextStyle: Sendable {
    let hasColour: Bool
    static let width = 80

    /// Colours when standard output is a terminal that has them and nobody asked to leave them off (no-color.org).
    static var ofStandardOutput: TextStyle {
        let environment = ProcessInfo.processInfo.environment
        let isOff = !(environment["NO_COLOR"] ?? "").isEmpty || environment["TERM"] == "dumb"
        return TextStyle(hasColour: isatty(STDOUT_FILENO) == 1 && !isOff)
    }

    enum Colour: String { case red = "31", yellow = "33", blue = "34", green = "32", bold = "1", faint = "2" }

    func paint(_ text: String, _ colour: Colour) -> String {
        hasColour ? "\u{1b}[\(colour.rawValue)m\(text)\u{1b}[0m" : text
    }

    /// Words in lines of at most 80 columns, the later ones indented. A word longer than a line stays whole: addresses and
    /// fingerprints are there to be copied.
    static func wrapped(_ text: String, first: String, rest: String) -> String {
        var lines: [String] = []
        var line = first
        var isEmpty = true
        for word in text.split(separator: " ") {
            if !isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = rest
                isEmpty = true
            }
            line += isEmpty ? word : " " + word
            isEmpty = false
        }
        return (lines + [line]).joined(separator: "\n")
    }
}
