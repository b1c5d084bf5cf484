import Foundation
import Testing
import WellKnown

@testable import TestKit
@testable import WellKnownTool

/// Files of projects and of builds with changed, missing, repeated and hostile pieces, chosen from a seed. `script/fuzz wellknown
/// --projects` runs as many as somebody has time for.
@Suite("Damaged project files", .deployment)
struct DamagedProjectTests {
    private static let environment = ProcessInfo.processInfo.environment
    /// How often each file is damaged.
    private static let rounds =
        environment["SSO_FUZZ_ROUNDS"].flatMap { Int($0) } ?? TestLength.of(short: 2, nightly: 300)
    private static let seed = environment["SSO_FUZZ_SEED"].flatMap { UInt64($0) } ?? 1

    static let projects: [ProjectCases.Case] =
        ProjectCases.apple + ProjectCases.fastlane + ProjectCases.android + ProjectCases.expos
        + ProjectCases.gradleSpellings + ProjectCases.xcodeSpellings + ProjectCases.expoSpellings + ProjectCases.hostile

    @Test(
        "A damaged project gives notes of one line each, and the doctor judges what else there is", arguments: projects)
    func project(item: ProjectCases.Case) throws {
        var damage = Damage(seed: Self.seed, item.name)
        let names = item.files.keys.sorted()
        for round in 0..<Self.rounds {
            let folder = try TemporaryFolder()
            let damaged = names[round % names.count]
            for name in names {
                let text = Array((item.files[name] ?? "").utf8)
                try Self.write(name == damaged ? damage.damaged(text) : text, to: folder.path(of: name))
            }
            let project = ProjectReading(try ProjectFolder(folder.path), defined: item.defined)
            for note in project.notes {
                #expect(Self.isOneLine(note), "\(damaged), round \(round): \(note)")
            }
            let host = try #require(DomainName(ProjectCases.host))
            var examination = DoctorExamination(
                host: host, app: item.app, package: item.package, now: Date(timeIntervalSince1970: 0))
            examination.project = project
            examination.aasa = ("aasa.json", Array(SampleFiles.aasa.utf8))
            examination.assetlinks = ("assetlinks.json", Array(SampleFiles.assetLinks.utf8))
            // The files of the server are whole, so they have their lines whatever the project says.
            #expect(!examination.report().lines.isEmpty, "\(damaged), round \(round)")
        }
    }

    /// Builds, certificates, profiles, reports and configurations as the commands take them.
    static let files: [String] = ["wellknown/verdicts", "wellknown/certificates"].flatMap { folder -> [String] in
        let place = TestVectors.folder.appending(path: folder)
        let paths = FileManager.default.enumerator(atPath: place.path)?.compactMap { $0 as? String } ?? []
        let files = paths.filter { path in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: place.appending(path: path).path, isDirectory: &isFolder)
                && !isFolder.boolValue
        }
        return files.map { "\(folder)/\($0)" }.sorted()
    }

    @Test(
        "A damaged file is read, or refused in one line with its name, by each reader that may get it", arguments: files
    )
    func file(path: String) throws {
        let whole = [UInt8](try Data(contentsOf: TestVectors.folder.appending(path: path)))
        var damage = Damage(seed: Self.seed, path)
        let folder = try TemporaryFolder()
        let file = folder.path(of: path.split(separator: "/").last.map(String.init) ?? "file")
        let password = try folder.write("correct\n", to: "password")
        for round in 0..<Self.rounds * 2 {
            try Self.write(damage.damaged(whole), to: file)
            for refusal in Self.refusals(of: file, PasswordSource(file: password)) {
                #expect(Self.isOneLine(refusal) && refusal.contains(file), "\(path), round \(round): \(refusal)")
            }
        }
    }

    /// What the readers say of a file that they do not take.
    private static func refusals(of file: String, _ password: PasswordSource) -> [String] {
        func refusal<E: Error>(_ read: () throws(E) -> Void) -> String? {
            do throws(E) { try read() } catch { return "\(error)" }
            return nil
        }
        return [
            refusal { () throws(ProjectFiles.ReadError) in _ = try ProjectFiles.manifest(file) },
            refusal { () throws(ProjectFiles.ReadError) in _ = try ProjectFiles.entitlements(file) },
            refusal { () throws(ProjectFiles.ReadError) in _ = try ProjectFiles.profile(file) },
            refusal { () throws(ProjectFiles.ReadError) in _ = try ProjectFiles.device(file) },
            refusal { () throws(ProjectFiles.ReadError) in
                _ = try DoctorFiles.certificates(file, password: password)
            },
        ].compactMap { $0 }
    }

    private static func isOneLine(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count < 4096 && !text.unicodeScalars.contains { $0.value < 0x20 }
    }

    private static func write(_ bytes: [UInt8], to path: String) throws {
        let place = URL(fileURLWithPath: path)
        try FileManager.default.createDirectory(
            at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: place)
    }
}

/// Damages files, the same way for the same seed and name.
private struct Damage {
    /// What is difficult for readers of these formats. It is inserted as a whole, sometimes many times.
    private static let pieces: [String] = [
        "{", "}", "(", ")", "[", "]", "<", ">", "\"", "'", "\\", "/*", "*/", "//", "#", "=", ";", ",", "\n", "\r",
        "\u{0}",
        "$(", "${", "$(A)", "${a}", "$(inherited)", "%", "&#x110000;", "&lt;", "<!--", "-->", "<![CDATA[",
        "<!DOCTYPE a [",
        "#include \"a\"\n", "#include \"../../../../etc/passwd\"\n", "../", "\u{feff}", "\u{202e}", "é", "\u{ff}",
        "isa = PBXNativeTarget;", "if (a) {", "android {", "<data android:host=\"", "999999999999999999999", "-1",
    ]
    private var random: SeededRandom

    init(seed: UInt64, _ name: String) {
        random = SeededRandom(state: name.utf8.reduce(seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 })
    }

    mutating func damaged(_ whole: [UInt8]) -> [UInt8] {
        var bytes = whole
        for _ in 0...Int.random(in: 0...4, using: &random) {
            let at = Int.random(in: 0...bytes.count, using: &random)
            let length = min(Int.random(in: 0...60, using: &random), bytes.count - at)
            switch Int.random(in: 0...7, using: &random) {
            case 0 where at < bytes.count: bytes[at] = .random(in: 0...255, using: &random)
            case 1 where at < bytes.count: bytes[at] ^= 1 << UInt8.random(in: 0...7, using: &random)
            case 2: bytes.removeSubrange(at..<at + length)
            case 3: bytes.insert(contentsOf: Array(bytes[at..<at + length]), at: at)
            case 4: bytes.removeSubrange(at...)
            case 5:
                // Sizes that lie.
                let lie: [UInt8] = Bool.random(using: &random) ? [0xff, 0xff, 0xff, 0x7f] : [0xff, 0xff, 0xff, 0xff]
                bytes.replaceSubrange(at..<min(at + 4, bytes.count), with: lie)
            default:
                let piece = Array((Self.pieces.randomElement(using: &random) ?? "{").utf8)
                let isDeep = Int.random(in: 0...19, using: &random) == 0
                let count = isDeep ? 4_000 : Int.random(in: 1...4, using: &random)
                bytes.insert(contentsOf: Array(repeating: piece, count: count).joined(), at: at)
            }
        }
        return bytes
    }
}
