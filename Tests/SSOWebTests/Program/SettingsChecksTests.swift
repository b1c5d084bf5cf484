import Storage
import Testing

@testable import SSOWeb
@testable import TestKit

@Suite("What check says of a database", .rules)
struct SettingsChecksTests {
    @Test("the steps that a start will apply are named in a warning, and no step in none")
    func pendingSteps() async throws {
        for steps in [["v033-passkeys", "v034-gate"], []] {
            let reader = SettingsReader(SettingsSource([:]))
            await reader.checkDatabase(.sqlite(path: "var/idp.sqlite"), "IDP_DATABASE_URL") { _ in steps }
            #expect(reader.problems == [])
            #expect(reader.warnings.count == (steps.isEmpty ? 0 : 1))
            for warning in reader.warnings {
                #expect(
                    "\(warning)".hasPrefix(
                        "IDP_DATABASE_URL: a start will apply these steps to the schema of var/idp.sqlite: v033-passkeys, v034-gate."
                    ), "\(warning)")
            }
        }
    }

    @Test("a database that cannot be opened is a problem with the reason")
    func refused() async throws {
        let reader = SettingsReader(SettingsSource([:]))
        await reader.checkDatabase(.sqlite(path: "x"), "RP_DATABASE_URL") { _ throws(DatabaseError) in
            throw .outOfUse("cannot use the database x: it is old. Start another build.")
        }
        #expect(reader.warnings.isEmpty)
        #expect(reader.problems == ["RP_DATABASE_URL: cannot use the database x: it is old. Start another build."])
    }
}
