import Testing

@testable import SSOShared
@testable import TestKit

@Suite("Addresses as people type and paste them: fuzz", .rules)
struct EnteredFuzzTests {
    @Test("of 20,000 damaged addresses each is refused, or becomes one that programs read as it is, and once only")
    func damagedAddresses() throws {
        var addresses = DamagedAddresses(seed: 5)
        var (read, refused) = (0, 0)
        for _ in 0..<20_000 {
            let typed = addresses.next()
            guard let address = try? Entered.address(typed) else {
                refused += 1
                continue
            }
            read += 1
            #expect(try EmailAddress(address.text) == address, "\(typed.debugDescription)")
            #expect(try Entered.address(address.text) == address, "\(typed.debugDescription)")
            #expect(try Entered.address(address.shown) == address, "\(typed.debugDescription)")
        }
        #expect(read > 2000 && refused > 2000)
    }

    @Test("invisible characters anywhere in an address change nothing")
    func invisible() throws {
        var random = SeededRandom(state: 6)
        let marks: [Unicode.Scalar] = [
            "\u{200b}", "\u{200e}", "\u{2060}", "\u{ad}", "\u{feff}", "\u{fe0f}", "\u{2069}", "\u{61c}",
        ]
        for _ in 0..<500 {
            var scalars = Array("ann.lee+x@exümple.example".unicodeScalars)
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let place = Int.random(in: 0...scalars.count, using: &random)
                scalars.insert(marks.randomElement(using: &random) ?? "\u{200b}", at: place)
            }
            let typed = String(String.UnicodeScalarView(scalars))
            #expect(try Entered.address(typed).text == "ann.lee+x@xn--exmple-4ya.example", "\(typed.debugDescription)")
        }
    }
}
