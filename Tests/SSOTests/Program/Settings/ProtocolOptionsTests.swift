import ArgumentParser
import Testing

@testable import IdP
@testable import IdPClients
@testable import TestKit

/// The options of `idp client add` and `idp client set` that are made of the keys that client protocols declare.
@Suite("The options of the keys of client protocols", .rules)
struct ProtocolOptionsTests {
    private static let keys = UsualProtocolKeys.keys + OtherProtocolKeys.keys

    private func values(_ arguments: [String]) throws -> [String: ClientEntry.Value?] {
        try ClientEntryOptions.parse(arguments).values
    }

    @Test("each key has an option, which sets it alone; without an option nothing is set")
    func each() throws {
        #expect(try values([]).isEmpty)
        for key in Self.keys {
            let option = "--\(key.option.name)"
            switch key.form {
            case .flag:
                #expect(try values([option]) == [key.name: .text("true")])
                #expect(try values(["--no-\(key.option.name)"]) == [key.name: .text("false")])
            case .text: #expect(try values([option, "x"]) == [key.name: .text("x")])
            case .list:
                #expect(try values([option, "x"]) == [key.name: .list(["x"])])
                #expect(try values([option, "x", "\(option)=y"]) == [key.name: .list(["x", "y"])])
            }
        }
        #expect(Set(Self.keys.map(\.name)).isSubset(of: ClientEntryOptions.optionalKeys), "--unset removes each")
    }

    @Test("each is explained by the words of its declaration, and those of the other protocols stand under a title")
    func help() throws {
        let parts = ClientEntryOptions.helpMessage(columns: 400).split(separator: "OPTIONS:")
        try #require(parts.count == 2 && parts[0].contains("PROTOCOLS:"))
        for key in Self.keys {
            let isOfUsual = UsualProtocolKeys.keys.contains { $0.name == key.name }
            let part = isOfUsual ? parts[1] : parts[0]
            #expect(part.contains("  --\(key.option.name)") && part.contains(key.option.help), "\(part)")
        }
    }
}
