import Foundation
import Glibc

enum StandardOutput {
    /// Writes the whole text. EPIPE is ignored. Any other error, such as a full disk, ends the program with 2, because
    /// an incomplete report can look like one without findings.
    static func write(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes = bytes.dropFirst(count)
            } else if errno == EAGAIN {
                var poll = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
                _ = Glibc.poll(&poll, 1, -1)
            } else if errno == EPIPE {
                return
            } else if errno != EINTR {
                reportError("cannot write the result: \(String(cString: strerror(errno)))")
                exit(2)
            }
        }
    }

    /// Writes one line to standard error, after the program's name.
    static func reportError(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data("wellknown: \(text)\n".utf8))
    }
}

extension String {
    /// The text for output, if it comes from a file. Control characters, direction marks and line breaks are written as
    /// `\u{…}`, because they could control the terminal or reorder the text.
    var printable: String {
        guard unicodeScalars.contains(where: Self.isUnsafe) else { return self }
        var text = ""
        for scalar in unicodeScalars {
            if Self.isUnsafe(scalar) {
                text += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
        default: false
        }
    }
}

/// The style of text output: colours only on a terminal, lines of 80 columns.
struct TextStyle: Sendable {
    let hasColour: Bool
    static let width = 80

    /// Colours if standard output is a terminal and `NO_COLOR` is not set (no-color.org).
    static var ofStandardOutput: TextStyle {
        let isOff = !(ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty
        return TextStyle(hasColour: isTerminal && !isOff)
    }

    /// Whether standard output is a terminal that understands escape sequences.
    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb" }

    enum Colour: String { case red = "31", yellow = "33", blue = "34", green = "32", bold = "1", faint = "2" }

    func paint(_ text: String, _ colour: Colour) -> String {
        hasColour ? "\u{1b}[\(colour.rawValue)m\(text)\u{1b}[0m" : text
    }

    /// Wraps words at 80 columns. A longer word is not broken, so that URLs and fingerprints can be copied.
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
