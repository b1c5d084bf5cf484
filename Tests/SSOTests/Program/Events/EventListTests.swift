import SSOWeb
import Testing

@testable import IdPOperations
@testable import IdPServer
@testable import TestKit

@Suite("The list of everything that can happen", .program)
struct EventListTests {
    /// What the IdP consists of. The engine of PostgreSQL writes lines and knows no events.
    private static let folders = ["Sources/IdP", "Sources/SSOWeb", "Sources/PostgresStorage"]

    /// Not an event: the line of a request, at `debug`.
    private static let eachRequest = "request"

    @Test("has each event once, with what it means, and in the log or in the audit log")
    func kinds() {
        let ids = IdPEvents.all.map(\.id)
        #expect(Set(ids).count == ids.count, "\(ids.filter { id in ids.count { $0 == id } > 1 })")
        for kind in IdPEvents.all {
            #expect(kind.id.wholeMatch(of: #/[a-z]+(_[a-z]+)*/#) != nil, "\(kind.id)")
            #expect(!kind.help.isEmpty, "\(kind.id) has no text")
            #expect(kind.level != nil || kind.hasRow, "\(kind.id) is recorded nowhere")
        }
    }

    @Test("has words for the user's activity for every row of an account: no user reads an id")
    func words() {
        // Rows of the operator alone, and of an account that is gone.
        let others: Set = [
            "clients_file_loaded", "clients_file_rejected", "client_changed", "client_secret_added",
            "client_secret_retired", "signing_key_made", "signing_key_published", "signing_key_retired", "introspected",
            "passkeys_forgotten", "keys_forgotten", "database_restored", "guess_alarm_raised", "guess_alarm_ended",
            "sealed_values_renewed", "backup_made", "user_erased",
        ]
        for kind in IdPEvents.all where kind.hasRow && !kind.isOfVisitors {
            #expect((kind.user != nil) != others.contains(kind.id), "\(kind.id)")
        }
    }

    @Test("has each cause of an event once, with what to do")
    func causes() {
        for kind in IdPEvents.all {
            let ids = kind.causes.map(\.id)
            #expect(Set(ids).count == ids.count, "\(kind.id): \(ids)")
            for cause in kind.causes {
                #expect(!cause.id.isEmpty && !cause.remedy.isEmpty, "\(kind.id) \(cause.id) has no remedy")
            }
        }
    }

    @Test("is shown to operators without the links of the documents, whose labels stay")
    func withoutLinks() {
        var links = 0
        for kind in IdPEvents.all {
            for (cause, words) in [(nil, kind.help)] + kind.causes.map({ (Optional($0.id), $0.remedy) }) {
                let shown = Trace.words(of: kind, cause: cause)
                #expect(!shown.contains("](") && !shown.contains(".md"), "\(kind.id): \(shown)")
                guard words.contains("](") else { continue }
                links += 1
                for label in words.matches(of: #/\[([^\]]*)\]\(/#) {
                    #expect(shown.contains(label.1), "\(kind.id): \(shown)")
                }
            }
        }
        #expect(links > 10)
    }

    @Test("has every event that the sources make, and every one that they log without")
    func sources() throws {
        let known = Set(IdPEvents.all.map(\.id))
        var found: Set<String> = []
        for (path, text) in try Self.folders.flatMap({ try TextSources.files(in: $0, ending: "swift") }) {
            for id in Self.ids(in: text) {
                found.insert(id)
                #expect(known.contains(id) || id == Self.eachRequest, "\(id) of \(path)")
            }
        }
        // One of each form, of each folder.
        #expect(found.isSuperset(of: ["sealed_values_renewed", "database_failed_over", "database_unavailable"]))
    }

    @Test("finds an event by its declaration and in a line, whatever the level and the form of the call")
    func reading() {
        let text = """
            static let one = EventKind(
                "event_one", .info, "")
            log.info("event_two")
            context.logger.warning(
                "event_three", metadata: [:])
            logger.log(level: level, "event_four", metadata: [:])
            print("event_five")
            logger.info("Not an event")
            """
        #expect(Set(Self.ids(in: text)) == ["event_one", "event_two", "event_three", "event_four"])
    }

    private static func ids(in text: String) -> [String] {
        let declared = text.matches(of: #/EventKind\(\s*"([a-z_]+)"/#).map { String($0.1) }
        let written = text.matches(
            of: #/[lL]og(?:ger)?\.(?:trace|debug|info|notice|warning|error|critical)\(\s*"([a-z_]+)"/#
        ).map { String($0.1) }
        let levelled = text.matches(of: #/[lL]og(?:ger)?\.log\(\s*level: [^,]+,\s*"([a-z_]+)"/#).map { String($0.1) }
        return declared + written + levelled
    }
}
