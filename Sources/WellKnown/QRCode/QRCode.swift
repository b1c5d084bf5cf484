/// A QR code (ISO/IEC 18004:2015, model 2) in byte mode at error correction level M, in versions 1 to 40.
///
/// Other modes are not implemented: the texts are URLs, and byte mode can encode all of them.
public struct QRCode: Sendable, Hashable {
    /// The maximum length of the text, in bytes of UTF-8.
    public static let maximumBytes = QRVersion.all.last.map { $0.dataCodewords - 3 } ?? 0

    /// The modules as rows from the top, from left to right, without the quiet zone. True is dark.
    public let modules: [[Bool]]

    /// - Returns: `nil` for a text longer than ``maximumBytes``.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard let version = QRVersion.all.first(where: { $0.holds(bytes.count) }) else { return nil }
        let codewords = version.interleaved(QRBits.codewords(bytes, version: version))
        let blank = QRSymbol(version: version, codewords: codewords)
        // Section 7.8.3: the mask with the lowest penalty is the easiest to read.
        let rated = QRMask.allCases.map { blank.masked(by: $0) }.map { ($0.modules, $0.penalty) }
        guard let best = rated.min(by: { $0.1 < $1.1 }) else { return nil }
        modules = best.0
    }

    /// The code as an SVG image with the quiet zone of four modules (section 6.3.8). Always dark on light, because many
    /// readers do not accept inverted codes.
    ///
    /// - Parameter label: the text for screen readers.
    public func svg(label: String) -> String {
        let side = modules.count + 8
        var path = ""
        for (y, row) in modules.enumerated() {
            var x = 0
            while x < row.count {
                let run = row[x...].prefix { $0 == row[x] }.count
                if row[x] { path += "M\(x + 4) \(y + 4)h\(run)v1h-\(run)z" }
                x += run
            }
        }
        return
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(side) \(side)\" role=\"img\" class=\"qr-code\" "
            + "shape-rendering=\"crispEdges\" aria-label=\"\(Self.escaped(label))\">"
            + "<rect width=\"\(side)\" height=\"\(side)\" fill=\"#fff\"/><path d=\"\(path)\" fill=\"#000\"/></svg>"
    }

    /// The code as lines of half-block characters with the quiet zone. Each character shows two rows.
    ///
    /// - Parameter hasColour: whether escape sequences set the colours to black on white, so that the code can be
    ///   scanned on dark and light terminals. If false, dark modules have the colour of the text.
    public func terminalText(hasColour: Bool) -> String {
        let side = modules.count
        func isDark(_ x: Int, _ y: Int) -> Bool { (0..<side).contains(x) && (0..<side).contains(y) && modules[y][x] }
        var text = ""
        for y in stride(from: -4, to: side + 4, by: 2) {
            // Colours 16 and 231 of the 256 do not depend on the terminal's theme.
            if hasColour { text += "\u{1b}[38;5;16;48;5;231m" }
            for x in -4..<(side + 4) {
                switch (isDark(x, y), isDark(x, y + 1)) {
                case (true, true): text += "█"
                case (true, false): text += "▀"
                case (false, true): text += "▄"
                case (false, false): text += " "
                }
            }
            text += hasColour ? "\u{1b}[0m\n" : "\n"
        }
        return text
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
    }
}
