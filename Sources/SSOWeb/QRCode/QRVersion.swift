/// One of the 40 sizes of a QR code at error correction level M.
struct QRVersion: Sendable {
    /// 1 to 40.
    let number: Int
    /// Error correction codewords of each block (ISO/IEC 18004:2015, table 9).
    let checkCodewords: Int
    /// Blocks the data is cut into; the last ones are one codeword longer when it does not divide.
    let blocks: Int

    /// Modules of a side.
    var side: Int { 17 + 4 * number }

    /// Codewords for data and correction: the modules that no function pattern takes, by eights (table 1).
    var allCodewords: Int {
        var modules = (16 * number + 128) * number + 64
        if number >= 2 {
            let alignments = number / 7 + 2
            modules -= (25 * alignments - 10) * alignments - 55
            if number >= 7 { modules -= 36 }
        }
        return modules / 8
    }

    var dataCodewords: Int { allCodewords - checkCodewords * blocks }

    /// Bits of the character count in byte mode (table 3).
    var countBits: Int { number < 10 ? 8 : 16 }

    /// Whether that many bytes fit, with the mode's four bits and the count.
    func holds(_ bytes: Int) -> Bool { 4 + countBits + 8 * bytes <= 8 * dataCodewords }

    /// The centres of the alignment patterns, in both directions (annex E).
    var alignmentCentres: [Int] {
        guard number > 1 else { return [] }
        let count = number / 7 + 2
        let step = number == 32 ? 26 : (number * 4 + count * 2 + 1) / (count * 2 - 2) * 2
        return [6] + (0..<(count - 1)).map { side - 7 - $0 * step }.reversed()
    }

    /// The blocks with their correction, in the order in which the symbol holds them (section 7.6).
    func interleaved(_ data: [UInt8]) -> [UInt8] {
        let short = data.count / blocks
        let longer = data.count % blocks
        var rest = data[...]
        let parts = (0..<blocks).map { index in
            let part = Array(rest.prefix(short + (index < blocks - longer ? 0 : 1)))
            rest = rest.dropFirst(part.count)
            return part
        }
        let checks = parts.map { ReedSolomon.check($0, count: checkCodewords) }
        return (0...short).flatMap { index in parts.compactMap { index < $0.count ? $0[index] : nil } }
            + (0..<checkCodewords).flatMap { index in checks.map { $0[index] } }
    }

    static let all: [QRVersion] = zip(1..., zip(checks, blockCounts)).map { number, row in
        QRVersion(number: number, checkCodewords: row.0, blocks: row.1)
    }

    private static let checks = [
        10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26,
        26, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28,
    ]
    private static let blockCounts = [
        1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16,
        17, 17, 18, 20, 21, 23, 25, 26, 28, 29, 31, 33, 35, 37, 38, 40, 43, 45, 47, 49,
    ]
}
