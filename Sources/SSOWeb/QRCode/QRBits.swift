/// The data of a QR code as codewords (ISO/IEC 18004:2015, section 7.4).
enum QRBits {
    /// Mode, count and bytes, closed and filled up to what the version holds. The bytes must fit.
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
    /// The remainder of the data divided by the generator polynomial of that degree.
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

    /// (x − 1)(x − 2)(x − 4)…, without the leading coefficient, the highest first.
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
