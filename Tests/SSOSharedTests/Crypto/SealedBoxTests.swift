import SSOShared
import Testing

@testable import TestKit

@Suite("Sealed values", .rules)
struct SealedBoxTests {
    private static let (old, new) = (String(repeating: "old-key-", count: 5), String(repeating: "new-key-", count: 5))

    private static func box(_ text: String, label: String = "test") throws -> SealedBox {
        SealedBox(keys: try DerivedKeys.parse(text, setting: "KEY"), label: label)
    }

    @Test(
        "a sealed value opens, sealing it twice gives different results, and the empty value works",
        arguments: [0, 1, 3000])
    func roundTrip(count: Int) throws {
        let (box, value) = (try Self.box(Self.old), [UInt8](repeating: 7, count: count))
        let (one, other) = (try box.seal(value), try box.seal(value))
        #expect(one != other && one.count == count + 28)
        #expect(box.open(one) == value && box.open(other) == value)
    }

    @Test("with one changed bit, a missing byte, another purpose or another key it does not open")
    func tampering() throws {
        let box = try Self.box(Self.old)
        let sealed = try box.seal(Array("value".utf8))
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(box.open(changed) == nil)
            #expect(box.open(Array(sealed.prefix(index))) == nil)
        }
        #expect(try Self.box(Self.old, label: "other").open(sealed) == nil)
        #expect(try Self.box(Self.new).open(sealed) == nil)
    }

    @Test("after a rotation the new key seals and the old one still opens")
    func rotation() throws {
        let sealed = try Self.box(Self.old).seal([1, 2, 3])
        let rotated = try Self.box("\(Self.new),\(Self.old)")
        #expect(rotated.open(sealed) == [1, 2, 3])
        #expect(try Self.box(Self.old).open(rotated.seal([4])) == nil)
    }
}
