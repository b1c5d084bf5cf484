import Foundation
import SSOShared
import Testing

@testable import IdPTestKit
@testable import TestKit

extension Journeys.Operators {
    /// With a library before the program that writes down each write and each wait for the disk (script/test.d/power-cut.c). A
    /// disk keeps what was waited for. Of what was written later any part of 512 bytes may be there or not.
    @Suite("A power cut", .journey)
    struct PowerCut {
        static let cuts = TestLength.of(short: 20, nightly: 200)
        private static let tokens = 50

        @Test(
            "at any moment leaves each issued token to its client, and none that was redeemed is accepted again",
            .timeLimit(.minutes(10)))
        func anyMoment() async throws {
            let place = try await Place()
            let ledger = try await place.traffic(Self.tokens)
            var random = SeededRandom(state: 20)
            for _ in 0..<Self.cuts {
                let cut = try Int.random(in: ledger.begin..<place.written, using: &random)
                let found = try await place.found(at: cut, ledger, &random)
                #expect(found.isWhole && found.lost == 0 && found.twice == 0, "\(found) at \(cut)")
            }
        }

        @Test("on a disk that does not wait for the log of the database this test finds what is lost")
        func lyingDisk() async throws {
            let place = try await Place()
            let ledger = try await place.traffic(20)
            var (random, losses) = (SeededRandom(state: 3), 0)
            for _ in 0..<5 {
                let cut = try Int.random(in: place.written / 2..<place.written, using: &random)
                let found = try await place.found(at: cut, ledger, &random) { $0.hasSuffix("-wal") }
                losses += found.lost + found.twice + (found.isWhole ? 0 : 1)
            }
            #expect(losses > 0)
        }
    }
}

extension Journeys.Operators.PowerCut {
    /// What a client knows of a token, by how much had been written down at that moment.
    struct Use {
        let token: String
        let issued, begun, redeemed: Int
    }

    struct Ledger {
        let begin: Int
        let uses: [Use]
    }

    struct Found {
        var (isWhole, lost, twice) = (false, 0, 0)
    }

    /// An IdP whose writes are recorded.
    struct Place {
        private let pair: ProcessDeployment
        private let journal: String
        private let data: String
        /// The files of the database before the first recorded write.
        private let before: [String: Data]

        init() async throws {
            pair = try ProcessDeployment()
            data = try pair.folder.folder("data")
            journal = pair.folder.path(of: "journal")
            let library = pair.folder.path(of: "power-cut.so")
            let source = TestVectors.repository.appending(path: "script/test.d/power-cut.c").path
            let compiler = try ChildProcess(
                "/usr/bin/env", ["clang", "-O2", "-shared", "-fPIC", "-o", library, source, "-ldl"],
                environment: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? ""], folder: pair.folder.path,
                standardOutput: pair.folder.path(of: "clang.out"), standardError: pair.folder.path(of: "clang.err"))
            #expect(try await compiler.waitForExit() == .code(0), "\(pair.folder.text(of: "clang.err"))")
            pair.idp.set("IDP_DATABASE_URL", to: "sqlite:\(data)/idp.sqlite")
            // A new database gets its name when it is whole.
            try await pair.idp.start()
            try await pair.idp.terminate()
            var files: [String: Data] = [:]
            for name in try FileManager.default.contentsOfDirectory(atPath: data) {
                files["\(data)/\(name)"] = try Data(contentsOf: URL(filePath: "\(data)/\(name)"))
            }
            before = files
            for (name, value) in [
                ("LD_PRELOAD", library), ("POWER_CUT_FOLDER", data), ("POWER_CUT_JOURNAL", journal),
            ] { pair.idp.set(name, to: value) }
        }

        /// In bytes.
        var written: Int {
            get throws {
                try FileManager.default.attributesOfItem(atPath: journal)[.size] as? Int ?? 0
            }
        }

        /// Issues tokens, redeems every second one, and ends the program.
        func traffic(_ count: Int) async throws -> Ledger {
            try await pair.start()
            let browser = Browser()
            _ = try await browser.signIn(at: pair.client, of: pair, as: "ann@example.com")
            let begin = try written
            var uses: [Use] = []
            for number in 0..<count {
                let token = try await browser.token(for: pair.client, of: pair, state: "\(number)")
                let issued = try written
                if number % 2 == 0 {
                    uses.append(Use(token: token, issued: issued, begun: .max, redeemed: .max))
                    continue
                }
                #expect(try await pair.verify(token, as: pair.client).status == 200)
                uses.append(Use(token: token, issued: issued, begun: issued, redeemed: try written))
            }
            try await pair.client.process.terminate()
            try await pair.idp.kill()
            pair.idp.set("LD_PRELOAD", to: nil)
            return Ledger(begin: begin, uses: uses)
        }

        /// Puts together what a cut has left, starts the program on it, and asks for each token.
        ///
        /// - Parameter isLying: the paths of files that the disk does not wait for.
        func found(
            at cut: Int, _ ledger: Ledger, _ random: inout SeededRandom, isLying: (String) -> Bool = { _ in false }
        ) async throws -> Found {
            let files = try DiskRecords(journal).files(after: before, at: cut, isLying: isLying, &random)
            for name in try FileManager.default.contentsOfDirectory(atPath: data) {
                try FileManager.default.removeItem(atPath: "\(data)/\(name)")
            }
            for (path, content) in files { try content.write(to: URL(filePath: path)) }
            var found = Found()
            guard try await Journeys.Operators.Crash.integrity(of: pair, at: "\(data)/idp.sqlite") == "ok" else {
                return found
            }
            do { try await pair.idp.start() } catch { return found }
            found.isWhole = true
            for use in ledger.uses where use.issued <= cut {
                if use.redeemed <= cut {
                    if try await pair.verify(use.token, as: pair.client).status == 200 { found.twice += 1 }
                } else if use.begun > cut {
                    if try await pair.verify(use.token, as: pair.client).status != 200 { found.lost += 1 }
                }
            }
            try await pair.idp.kill()
            return found
        }
    }
}

/// The records of script/test.d/power-cut.c.
private struct DiskRecords {
    private struct Record {
        let kind: UInt32
        let path: String
        let offset, length, end: Int
        let content: Data
    }

    private var records: [Record] = []

    init(_ path: String) throws {
        let data = try Data(contentsOf: URL(filePath: path))
        func number<Number: FixedWidthInteger>(_ at: Int, _: Number.Type) -> Int {
            data[at..<at + MemoryLayout<Number>.size].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        var at = 0
        while at + 24 <= data.count {
            let (kind, pathLength) = (number(at, UInt32.self), number(at + 4, UInt32.self))
            let (offset, length) = (number(at + 8, UInt64.self), number(at + 16, UInt64.self))
            let content = kind == 1 ? length : 0
            let path = String(decoding: data[at + 24..<at + 24 + pathLength], as: UTF8.self)
            at += 24 + pathLength + content
            records.append(
                Record(
                    kind: UInt32(kind), path: path, offset: offset, length: length, end: at,
                    content: data[at - content..<at]))
        }
    }

    /// What the disk has after a cut: everything up to the last wait for a file, and any parts of what came later.
    func files(
        after before: [String: Data], at cut: Int, isLying: (String) -> Bool, _ random: inout SeededRandom
    ) -> [String: Data] {
        var (disk, waiting): ([String: Data], [String: [Record]]) = (before, [:])
        for record in records where record.end <= cut {
            switch record.kind {
            case 1, 3: waiting[record.path, default: []].append(record)
            case 2 where !isLying(record.path):
                for written in waiting.removeValue(forKey: record.path) ?? [] {
                    Self.apply(written, to: &disk[record.path, default: Data()]) { true }
                }
            case 4: (disk[record.path], waiting[record.path]) = (nil, nil)
            default: break
            }
        }
        for (path, written) in waiting.sorted(by: { $0.key < $1.key }) {
            for record in written {
                Self.apply(record, to: &disk[path, default: Data()]) { Bool.random(using: &random) }
            }
        }
        return disk
    }

    private static func apply(_ record: Record, to file: inout Data, _ isKept: () -> Bool) {
        guard record.kind == 1 else {
            if isKept() {
                file = Data(file.prefix(record.length)) + Data(count: max(0, record.length - file.count))
            }
            return
        }
        var at = 0
        while at < record.length {
            let size = min(512, record.length - at)
            defer { at += size }
            guard isKept() else { continue }
            let place = record.offset + at
            if file.count < place + size { file.append(Data(count: place + size - file.count)) }
            let start = record.content.startIndex + at
            file.replaceSubrange(place..<place + size, with: record.content[start..<start + size])
        }
    }
}
