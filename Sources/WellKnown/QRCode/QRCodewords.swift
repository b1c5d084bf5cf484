/// One of the 40 sizes of a QR code at error correction level M.
struct QRVersion: Sendable {
    /// The version number from 1 to 40.
    let number: Int
    /// The number of error correction codewords in each block (ISO/IEC 18004:2015, table 9).
    let checkCodewords: Int
    /// The number of data blocks. If the data cannot be divided evenly, the last blocks are one codeword longer.
    let blocks: Int

    /// The number of modules on a side.
    var side: Int { 17 + 4 * number }

    /// The number of codewords: all modules outside the function patterns, divided by eight (table 1).
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

    /// The number of bits of the character count in byte mode (table 3).
    var countBits: Int { number < 10 ? 8 : 16 }

    /// Whether that many bytes fit, together with the four bits of the mode and the character count.
    func holds(_ bytes: Int) -> Bool { 4 + countBits + 8 * bytes <= 8 * dataCodewords }

    /// The centres of the alignment patterns, in both directions (annex E).
    var alignmentCentres: [Int] {
        guard number > 1 else { return [] }
        let count = number / 7 + 2
        let step = number == 32 ? 26 : (number * 4 + count * 2 + 1) / (count * 2 - 2) * 2
        return [6] + (0..<(count - 1)).map { side - 7 - $0 * step }.reversed()
    }

    /// The blocks with their correction codewords, in the order of the symbol (section 7.6).
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

/// The data of a QR code as codewords (ISO/IEC 18004:2015, section 7.4).
enum QRBits {
    /// Encodes mode, count and bytes, and adds the terminator and the padding. The bytes must fit.
    static func codewords(_ bytes: [UInt8], version: QRVersion) -> [UInt8] {
        var bits: [Bool] = []
        func append(_ value: Int, _ count: Int) {
            for shift in (0..<count).reversed() { bits.append(value >> shift & 1 == 1) }
        }
        append(0b0100, 4)
        append(bytes.count, version.countBits)
        for byte in bytes { append(Int(byte), 8) }
        append(0, min(4, version.dataCodewords * 8 - bits.count))
        append(0, (8 - bits.count % 8) % 8)
        var words = stride(from: 0, to: bits.count, by: 8).map { start in
            bits[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
        }
        for index in 0..<max(0, version.dataCodewords - words.count) {
            words.append(index.isMultiple(of: 2) ? 0xec : 0x11)
        }
        return words
    }
}

/// Error correction over the field of 256 elements with the polynomial x⁸+x⁴+x³+x²+1 (section 7.5).
enum ReedSolomon {
    /// The remainder of the data divided by the generator polynomial of degree `count`.
    static func check(_ data: [UInt8], count: Int) -> [UInt8] {
        let divisor = generator(count)
        var remainder = [UInt8](repeating: 0, count: count)
        for byte in data {
            let factor = byte ^ remainder[0]
            remainder.removeFirst()
            remainder.append(0)
            for index in 0..<count { remainder[index] ^= product(divisor[index], factor) }
        }
        return remainder
    }

    /// The coefficients of (x − 1)(x − 2)(x − 4)… from the highest, without the leading coefficient.
    private static func generator(_ degree: Int) -> [UInt8] {
        var coefficients = [UInt8](repeating: 0, count: degree)
        coefficients[degree - 1] = 1
        var root: UInt8 = 1
        for _ in 0..<degree {
            for index in 0..<degree {
                coefficients[index] = product(coefficients[index], root)
                if index + 1 < degree { coefficients[index] ^= coefficients[index + 1] }
            }
            root = product(root, 2)
        }
        return coefficients
    }

    static func product(_ left: UInt8, _ right: UInt8) -> UInt8 {
        var result: UInt8 = 0
        for shift in (0..<8).reversed() {
            result = result << 1 ^ (result >> 7 == 1 ? 0x1d : 0)
            if right >> UInt8(shift) & 1 == 1 { result ^= left }
        }
        return result
    }
}
