import Foundation
import Glibc

/// Where results and complaints go.
enum StandardOutput {
    /// Writes all of it. A reader that went away is no fault of ours; a full disk is one, and ends the program with 2: half a
    /// report must not look like a clean one.
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
                complain("cannot write the result: \(String(cString: strerror(errno)))")
                exit(2)
            }
        }
    }

    /// One line on standard error, under the program's name.
    static func complain(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data("wellknown: \(text)\n".utf8))
    }
}

extension String {
    /// Without anything a terminal would obey or that would reorder what is read: control characters, direction marks
    /// and line breaks become `\u{…}`. For texts that come out of files.
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
