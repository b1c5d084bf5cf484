/// A QR code: a square of dark and light modules that a phone's camera reads as a text.
///
/// Owns the symbol of ISO/IEC 18004:2015, model 2, in byte mode at error correction level M, in versions 1 to 40. Does not
/// choose other modes: the texts here are addresses, and bytes say all of them.
public struct QRCode: Sendable, Hashable {
    /// The longest text, in bytes of UTF-8.
    public static let maximumBytes = QRVersion.all.last.map { $0.dataCodewords - 3 } ?? 0

    /// Rows from the top, modules from the left; true is dark. As many rows as columns, without the quiet zone.
    public let modules: [[Bool]]

    /// - Returns: `nil` for a text longer than ``maximumBytes``.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard let version = QRVersion.all.first(where: { $0.holds(bytes.count) }) else { return nil }
        let codewords = version.interleaved(QRBits.codewords(bytes, version: version))
        let blank = QRSymbol(version: version, codewords: codewords)
        // Section 7.8.3: of the eight masks, the one that leaves the fewest patterns that confuse a reader.
        let masked = QRMask.allCases.map { blank.masked(by: $0) }
        guard let best = masked.min(by: { $0.penalty < $1.penalty }) else { return nil }
        modules = best.modules
    }

    /// The code as an SVG drawing that scales, with the quiet zone of four modules around it (section 6.3.8), dark on
    /// light whatever the page's colours: many readers take no inverted code.
    ///
    /// - Parameter label: what a screen reader says.
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

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
    }
}
