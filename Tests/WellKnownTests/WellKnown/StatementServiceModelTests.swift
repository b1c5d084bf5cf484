import Foundation
import SSOShared
import Testing

@testable import TestKit
@testable import WellKnown

/// Compares the readers of Android with a second model over random lists. WELLKNOWN_LISTS=100000 tries so many.
@Suite("Readers of asset links, and a second model", .rules)
struct StatementServiceModelTests {
    private typealias Value = StatementServiceModel.Value

    private struct Lists {
        var random: SeededRandom

        private mutating func pick<Item>(_ items: [Item]) -> Item { items[Int(random.next() % UInt64(items.count))] }

        private mutating func odd() -> Value {
            pick([
                .text(""), .text("x"), .number(1), .bool(true), .null, .list([]), .list([.text("x")]),
                .list([.number(1)]),
                .list([.bool(false)]), .list([.object([("a", .text("b"))])]), .list([.object([("a", .number(1))])]),
                .object([]), .object([("a", .text("b"))]), .object([("a", .null)]), .list([.null]), .list([.list([])]),
            ])
        }

        private mutating func statement() -> Value {
            let app: [(name: String, value: Value)] = [
                ("namespace", .text("android_app")),
                ("package_name", .text(pick(["com.house.app", "com.house.other"]))),
                (
                    "sha256_cert_fingerprints",
                    .list([.text(pick([AssetLinksProbe.fingerprint, AssetLinksProbe.second]))])
                ),
            ]
            let site: [(name: String, value: Value)] = [
                ("namespace", .text("web")), ("site", .text("https://acme.com")),
            ]
            var target = pick([app, app, app, site])
            var statement: [(name: String, value: Value)] = [
                ("relation", .list([.text(pick([AssetLinksProbe.links, AssetLinksProbe.credentials]))]))
            ]
            // One change of a statement in two, of a value, a key or a whole member.
            switch random.next() % 12 {
            case 0: target[Int(random.next() % UInt64(target.count))].value = odd()
            case 1: target.remove(at: Int(random.next() % UInt64(target.count)))
            case 2: statement[0].value = odd()
            case 3: statement = []
            case 4: statement.append((pick(["_note", "include", "relation_extensions"]), odd()))
            case 5: target.append((pick(["_note", "site"]), odd()))
            default: break
            }
            if random.next() % 20 == 0 { return pick([.object(statement), odd()]) }
            statement.append(("target", random.next() % 25 == 0 ? odd() : .object(target)))
            return .object(statement)
        }

        mutating func next() -> [Value] { (0...Int(random.next() % 3)).map { _ in statement() } }
    }

    @Test("No difference outside what is marked as not certain")
    func lists() throws {
        let count = Int(ProcessInfo.processInfo.environment["WELLKNOWN_LISTS"] ?? "") ?? 3_000
        var lists = Lists(random: SeededRandom(state: 56))
        var seen: [String: Int] = [:]
        for _ in 0..<count {
            let list = lists.next()
            let text = Value.list(list).json
            let verdicts = AssetLinksReaders(JSONReader.read(text.utf8))
                .verdicts(package: "com.house.app", fingerprint: AssetLinksProbe.fingerprint)
            for (reader, isOld) in [(AssetLinksReader.android11, true), (.android12, false)] {
                let verdict = try #require(verdicts.first { $0.reader == reader })
                let expected = StatementServiceModel(isOld: isOld).answer(
                    list, package: "com.house.app", fingerprint: AssetLinksProbe.fingerprint,
                    relation: AssetLinksProbe.links)
                let found: StatementServiceModel.Answer =
                    switch verdict.outcome {
                    case .works: .works
                    case .listVoid: .void
                    case .refused, .notAsked: .refused
                    }
                seen["\(reader) \(expected)", default: 0] += 1
                guard verdict.isSure else { continue }
                guard found == expected else {
                    Issue.record("\(reader): \(found), the model has \(expected): \(text)")
                    return
                }
            }
        }
        // Every answer of both versions occurs.
        #expect(seen.count == 6, "\(seen)")
    }
}
