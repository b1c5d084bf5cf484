import Foundation
import Testing

@testable import TestKit
@testable import WellKnown

@Suite("QR codes", .rules)
struct QRCodeTests {
    struct Vector {
        let text: String
        let rows: [String]

        /// Reads a line `text: …`, a blank line, and the symbol as libqrencode draws it: `#` is dark, `.` is light.
        init(_ name: String) throws {
            let file = TestVectors.folder.appending(path: "qr-code/\(name).txt")
            let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
            text = String(lines[0].dropFirst("text: ".count))
            rows = Array(lines.dropFirst())
        }
    }

    /// The test accepts any of the eight masks, because encoders calculate the penalties differently.
    @Test(
        "with one of the masks, the symbol equals that of libqrencode",
        arguments: ["short", "authorize", "version-7", "version-14"])
    func vectors(name: String) throws {
        let vector = try Vector(name)
        let bytes = Array(vector.text.utf8)
        let version = try #require(QRVersion.all.first { $0.holds(bytes.count) })
        #expect(version.side == vector.rows.count)
        let words = version.interleaved(QRBits.codewords(bytes, version: version))
        let symbol = QRSymbol(version: version, codewords: words)
        let drawn = QRMask.allCases.map { mask in
            symbol.masked(by: mask).modules.map { String($0.map { $0 ? "#" : "." }) }
        }
        #expect(drawn.contains(vector.rows))
        let chosen = try #require(QRCode(vector.text)).modules.map { String($0.map { $0 ? "#" : "." }) }
        #expect(drawn.contains(chosen))
    }

    @Test("the longest text fits the largest symbol, a longer text is rejected")
    func longest() {
        #expect(QRCode.maximumBytes == 2331)
        #expect(QRCode(String(repeating: "x", count: 2331))?.modules.count == 177)
        #expect(QRCode(String(repeating: "x", count: 2332)) == nil)
    }

    @Test("every version has whole codewords, and its blocks contain all of them")
    func versions() {
        #expect(QRVersion.all.map(\.number) == Array(1...40))
        for version in QRVersion.all {
            let data = [UInt8](repeating: 1, count: version.dataCodewords)
            #expect(version.interleaved(data).count == version.allCodewords)
        }
    }

    @Test("terminal text shows two rows per line, with the quiet zone around them")
    func terminal() throws {
        let code = try #require(QRCode("https://example.com/"))
        let lines = code.terminalText(hasColour: false).split(separator: "\n", omittingEmptySubsequences: false)
            .dropLast().map { Array($0) }
        let side = code.modules.count
        #expect(lines.count == (side + 9) / 2 && lines.allSatisfy { $0.count == side + 8 })
        for (y, row) in code.modules.enumerated() {
            for (x, isDark) in row.enumerated() {
                let character = lines[(y + 4) / 2][x + 4]
                #expect((y.isMultiple(of: 2) ? "█▀" : "█▄").contains(character) == isDark)
            }
        }
        let blank = lines[..<2] + lines.suffix(2) + lines.map { Array($0.prefix(4) + $0.suffix(4)) }
        #expect(blank.allSatisfy { $0.allSatisfy { $0 == " " } })
        let coloured = code.terminalText(hasColour: true)
        #expect(
            coloured.split(separator: "\n").allSatisfy {
                $0.hasPrefix("\u{1b}[38;5;16;48;5;231m") && $0.hasSuffix("\u{1b}[0m")
            })
    }

    @Test("the SVG contains its escaped text for screen readers")
    func label() throws {
        let svg = try #require(QRCode("x")).svg(label: "a<b>&\"c\"")
        #expect(svg.contains("aria-label=\"a&lt;b>&amp;&quot;c&quot;\""))
        #expect(svg.hasPrefix("<svg ") && svg.hasSuffix("</svg>"))
    }
}
