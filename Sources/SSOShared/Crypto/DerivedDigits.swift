/// Derives decimal digits from an id and a key.
package enum DerivedDigits {
    /// Digits with leading zeros, each number as likely as any other.
    ///
    /// Takes 32 bits at a time and skips those beyond the last whole multiple, which would make small numbers likelier.
    ///
    /// - Parameter count: how many digits, up to nine.
    package static func text(_ id: String, count: Int, key: [UInt8]) -> String {
        let size = (0..<count).reduce(UInt32(1)) { size, _ in size * 10 }
        let bound = UInt32.max - UInt32.max % size
        for round in 0..<64 {
            let block = HMACSHA256.code(for: Array("\(id):\(round)".utf8), key: key)
            for start in stride(from: 0, to: block.count - 3, by: 4) {
                let number = block[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
                if number < bound { return String(String(number % size + size).dropFirst()) }
            }
        }
        return ""  // 512 skips in a row do not happen. The empty text matches no typed code.
    }
}
