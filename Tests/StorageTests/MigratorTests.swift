import Storage
import Testing

@testable import TestKit

@Suite("Migrations", .rules)
struct MigratorTests {
    private static let steps = ["v001-a", "v002-b"].map { Migration(name: $0, sql: []) }

    @Test(
        "the steps listed in the database decide what is done",
        arguments: [
            ([], Migrator.Plan.apply(from: 0)),
            (["v001-a"], .apply(from: 1)),
            (["v001-a", "v002-b"], .nothing),
            (["v001-a", "v002-b", "v003-c"], .newer("v003-c")),
            (["v001-x"], .foreign(position: 1, found: "v001-x")),
            (["v001-a", "v002-x", "v003-c"], .foreign(position: 2, found: "v002-x")),
        ])
    func plan(applied: [String], expected: Migrator.Plan) {
        #expect(Migrator(migrations: Self.steps).plan(applied: applied) == expected)
    }

    private static let baseline = [
        Migration(name: "v003-baseline", replacing: ["v001-a", "v002-b", "v003-c"], sql: []),
        Migration(name: "v004-d", sql: []),
    ]

    @Test(
        "a step that replaces others counts as applied where all of them are, and a database with a part of them is too old",
        arguments: [
            ([], .apply(from: 0)),
            (["v003-baseline"], .apply(from: 1)),
            (["v003-baseline", "v004-d"], .nothing),
            (["v001-a", "v002-b", "v003-c"], .apply(from: 1)),
            (["v001-a", "v002-b", "v003-c", "v004-d"], .nothing),
            (["v001-a", "v002-b", "v003-c", "v004-d", "v005-e"], .newer("v005-e")),
            (["v001-a"], .older("v001-a")), (["v001-a", "v002-b"], .older("v002-b")),
            (["v001-a", "v002-x"], .foreign(position: 2, found: "v002-x")),
            (["v001-a", "v002-b", "v003-c", "v004-x"], .foreign(position: 4, found: "v004-x")),
        ] as [([String], Migrator.Plan)])
    func replacing(applied: [String], expected: Migrator.Plan) {
        #expect(Migrator(migrations: Self.baseline).plan(applied: applied) == expected)
    }

    @Test("the numbers that a step needs count the steps that were replaced")
    func replacedNumbers() {
        let migrator = Migrator(migrations: Self.baseline)
        for before in [["v001-a", "v002-b", "v003-c"], ["v003-baseline"]] {
            #expect(migrator.misfit(applied: before) == "v004-d")
            #expect(migrator.misfit(applied: before + ["v004-d", "v005-drop.needs-v004"]) == nil)
            #expect(
                migrator.misfit(applied: before + ["v004-d", "v005-drop.needs-v005"]) == "v005-drop.needs-v005")
        }
        #expect(migrator.misfit(applied: ["v001-a"]) == "v001-a")
    }

    @Test(
        "a process does not fit a schema that lacks its steps, or that a step has changed which needs a later one",
        arguments: [
            ([], "v001-a"), (["v001-a"], "v002-b"), (["v001-a", "v002-b"], nil), (["v001-x"], "v001-x"),
            (["v001-a", "v002-b", "v003-c"], nil),
            (["v001-a", "v002-b", "v003-drop.needs-v002"], nil),
            (["v001-a", "v002-b", "v003-c", "v004-drop.needs-v003"], "v004-drop.needs-v003"),
            (["v001-a", "v002-b", "v003-c", "v004-drop.needs-v003", "v005-e"], "v004-drop.needs-v003"),
            (["v001-a", "v002-b", "v003-drop.needs-vX"], "v003-drop.needs-vX"),
        ] as [([String], String?)])
    func misfit(applied: [String], expected: String?) {
        #expect(Migrator(migrations: Self.steps).misfit(applied: applied) == expected)
    }
}
