import Testing

@testable import SSOWeb
@testable import TestKit

/// One loop reads a list of settings, and each value is looked up by its setting.
@Suite("The values of settings", .rules)
struct SettingValuesTests {
    private static let days = Setting("A_DAYS", default: 90, in: 7...3650, example: "365", "Days.")
    private static let limit = Setting("A_LIMIT", default: 5, in: 1...9, example: "7", "A limit.")
    private static let help = Setting("A_HELP", example: "https://example.com", "Where help is.") { $0 }
    private static let looks = Setting("A_COLOUR", example: "red", decorates: true, "A colour.") { text throws in
        guard text == "red" else { throw SettingError("\"\(text)\" must be a word, such as red") }
        return text
    }
    private static let items = Setting("A_LIST", .empty, example: "a b", "A list.") { $0.split(separator: " ").count }
    private static let sender = Setting(
        "A_SENDER", without: "required", .problem(hint: "Use a name."), example: "Ann", "The sender."
    ) { $0 }
    private static let double = Setting(
        "A_DOUBLE", without: "twice the limit", .text { values in "\(((try? values[limit]) ?? 0) * 2)" }, example: "3",
        "A number that follows another."
    ) { $0 }
    private static let apart = Setting("A_OTHER", default: 1, in: 1...9, example: "2", "Another limit.")
        .checked { value, reader, values in
            if value == (try? values[limit]) { reader.problem("A_OTHER: is the same as A_LIMIT.") }
        }

    private static func read(
        _ texts: [String: String] = [:], _ settings: [any ReadableSetting]
    ) -> (values: SettingValues, reader: SettingsReader) {
        let reader = SettingsReader(SettingsSource(texts))
        return (SettingValues(settings, reader), reader)
    }

    @Test("a value has the type of its setting: the one that is set, else the default")
    func typed() throws {
        let (values, _) = Self.read(["A_LIMIT": "7", "A_HELP": "here"], [Self.days, Self.limit, Self.help])
        let (days, limit, help): (Int, Int, String?) = (
            try values[Self.days], try values[Self.limit], try values[Self.help]
        )
        #expect(days == 90 && limit == 7 && help == "here")
    }

    @Test("one that may be absent is nil then and not recorded, and an empty list is recorded as empty")
    func absent() throws {
        let (values, reader) = Self.read([:], [Self.help, Self.items])
        #expect(try values[Self.help] == nil && values[Self.items] == 0)
        #expect(reader.problems == [] && reader.lines.map(\.name) == ["A_LIST"])
        #expect(reader.lines.first?.shown == "")
    }

    @Test("all problems are found in one reading, in the order of the list, and only what has none has a value")
    func together() throws {
        let (values, reader) = Self.read(
            ["A_LIMIT": "x", "A_DAYS": "1"], [Self.sender, Self.limit, Self.help, Self.days])
        let words = reader.problems.map { $0.prefix { $0 != ":" } }
        #expect(words == ["A_SENDER", "A_LIMIT", "A_DAYS"])
        #expect(reader.problems.first == "A_SENDER: is required and not set. Use a name.")
        #expect(throws: SettingError.self) { try values[Self.limit] }
        #expect(try values[Self.help] == nil)
        #expect(values.isFaulty(Self.sender) && values.isFaulty(Self.limit) && !values.isFaulty(Self.help))
    }

    @Test("one that only decorates is left out with a warning when its value is wrong")
    func decoration() throws {
        let (values, reader) = Self.read(["A_COLOUR": "blue"], [Self.looks])
        #expect(try values[Self.looks] == nil)
        #expect(
            reader.problems == []
                && reader.warnings == ["A_COLOUR: \"blue\" must be a word, such as red. It is left out."])
        #expect(reader.lines.map(\.shown) == ["(invalid)"])
    }

    @Test("each line has the place of its value, also of one that was read before the list or is no setting")
    func places() {
        let file = EnvFile.none
        let reader = SettingsReader(
            SettingsSource(arguments: [], environment: ["A_LIMIT": "7", "A_DAYS": "8"], file: file))
        _ = reader.value(Self.days)
        reader.record("client wiki", "Wiki", from: "clients.yaml:3")
        reader.record("A_LIMIT and more", "x")
        let values = SettingValues([Self.limit, Self.apart], reader)
        #expect(values.lines.map(\.name) == ["A_DAYS", "client wiki", "A_LIMIT and more", "A_LIMIT", "A_OTHER"])
        #expect(values.lines.map(\.place) == ["environment", "clients.yaml:3", nil, "environment", nil])
        reader.correct("A_LIMIT", "none")
        #expect(reader.lines.last?.shown == "none" && reader.lines.count == 5)
    }

    @Test("a default and a check may read what stands before in the list")
    func others() throws {
        let settings: [any ReadableSetting] = [Self.limit, Self.double, Self.apart]
        let (values, reader) = Self.read(["A_LIMIT": "4"], settings)
        #expect(try values[Self.double] == "8" && reader.problems == [])
        #expect(Self.read(["A_LIMIT": "1"], settings).reader.problems == ["A_OTHER: is the same as A_LIMIT."])
    }

    @Test("a setting outside the list has no value, and the error names it")
    func undeclared() {
        let (values, _) = Self.read([:], [Self.limit])
        let error = #expect(throws: SettingError.self) { try values[Self.days] }
        #expect(error?.description.hasPrefix("A_DAYS: ") == true)
    }

    @Test("--help has those of one subject together, also where they are read later")
    func order() {
        let all = [SettingDescription]([Self.limit, Self.help, Self.days, Self.items])
        #expect(all.map(\.name) == ["A_LIMIT", "A_HELP", "A_DAYS", "A_LIST"])
        let moved = all.moving([Self.days, Self.items], after: Self.limit)
        #expect(moved.map(\.name) == ["A_LIMIT", "A_DAYS", "A_LIST", "A_HELP"])
    }
}
