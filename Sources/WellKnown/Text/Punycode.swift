import SSOShared

/// Hosts with letters outside ASCII, as browsers send them.
///
/// Sources: RFC 3492 "Punycode"; UTS 46, without its tables: letters are made small and composed.
public enum Punycode {
    /// The host with each such label as `xn--…`. `nil` if a label cannot be encoded.
    public static func host(_ text: String) -> String? {
        var labels: [String] = []
        let dots: Set<Unicode.Scalar> = [".", "\u{3002}", "\u{ff0e}", "\u{ff61}"]
        for label in text.lowercased().unicodeScalars.split(
            omittingEmptySubsequences: false, whereSeparator: dots.contains)
        {
            let composed = composed(String(String.UnicodeScalarView(label)))
            guard composed.utf8.contains(where: { $0 >= 0x80 }) else {
                labels.append(composed)
                continue
            }
            guard let encoded = encoded(Array(composed.unicodeScalars.map(\.value))) else { return nil }
            labels.append("xn--\(encoded)")
        }
        return labels.joined(separator: ".")
    }

    /// Swift compares texts by their composed form, and a Character of one scalar that is equal is that form.
    private static func composed(_ text: String) -> String {
        text.map { character in
            guard character.unicodeScalars.count == 2, let base = character.unicodeScalars.first else {
                return String(character)
            }
            let ranges: [ClosedRange<UInt32>] = [0xc0...0x24f, 0x1e00...0x1eff, 0x370...0x4ff]
            guard base.value < 0x530 else { return String(character) }
            for scalar in ranges.joined().lazy.compactMap(Unicode.Scalar.init) where Character(scalar) == character {
                return String(Character(scalar))
            }
            return String(character)
        }.joined()
    }

    private static func encoded(_ scalars: [UInt32]) -> String? {
        var output = scalars.filter { $0 < 0x80 }.map { UInt8($0) }
        guard scalars.count <= 63,
            scalars.allSatisfy({ $0 >= 0x80 || UInt8($0).isASCIILetter || UInt8($0).isASCIIDigit || $0 == 0x2d })
        else { return nil }
        var handled = output.count
        let basic = handled
        if basic > 0 { output.append(0x2d) }
        var (n, delta, bias) = (UInt32(0x80), 0, 72)
        while handled < scalars.count {
            guard let next = scalars.filter({ $0 >= n }).min() else { return nil }
            delta += Int(next - n) * (handled + 1)
            n = next
            for scalar in scalars {
                if scalar < n { delta += 1 }
                guard scalar == n else { continue }
                var (q, k) = (delta, 36)
                while true {
                    let t = k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias
                    guard q >= t else { break }
                    output.append(digit(t + (q - t) % (36 - t)))
                    q = (q - t) / (36 - t)
                    k += 36
                }
                output.append(digit(q))
                bias = adapted(delta, handled + 1, isFirst: handled == basic)
                (delta, handled) = (0, handled + 1)
            }
            (delta, n) = (delta + 1, n + 1)
        }
        return output.count <= 59 ? String(decoding: output, as: UTF8.self) : nil
    }

    private static func digit(_ value: Int) -> UInt8 { UInt8(value < 26 ? 0x61 + value : 0x30 + value - 26) }

    private static func adapted(_ delta: Int, _ count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / count
        var k = 0
        while delta > 455 {
            delta /= 35
            k += 36
        }
        return k + 36 * delta / (delta + 38)
    }
}
