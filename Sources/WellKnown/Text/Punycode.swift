import Foundation
import SSOShared

/// Hosts with letters outside ASCII, as browsers send them.
///
/// Sources: RFC 3492 "Punycode"; UTS 46, without its tables: characters are made lower case, and composed with
/// their compatibility forms.
public enum Punycode {
    /// The host with each such label as `xn--…`. `nil` if a label cannot be encoded.
    public static func host(_ text: String) -> String? {
        var labels: [String] = []
        let ignored: Set<Unicode.Scalar> = ["\u{ad}", "\u{200b}", "\u{2060}", "\u{feff}"]
        var scalars = text.lowercased().precomposedStringWithCompatibilityMapping.unicodeScalars
        scalars.removeAll(where: ignored.contains)
        let dots: Set<Unicode.Scalar> = [".", "\u{3002}"]
        for label in scalars.split(omittingEmptySubsequences: false, whereSeparator: dots.contains) {
            guard label.contains(where: { $0.value >= 0x80 }) else {
                labels.append(String(String.UnicodeScalarView(label)).lowercased())
                continue
            }
            guard let encoded = encoded(label.map(\.value)) else { return nil }
            labels.append("xn--\(encoded)")
        }
        return labels.joined(separator: ".")
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
