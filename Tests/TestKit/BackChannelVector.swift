import Foundation
import Testing

/// One file of `Vectors/back-channel`: header lines, a blank line, the raw body to the end of the file.
struct BackChannelVector: CustomTestStringConvertible {
    enum Kind: String { case request, response, question, answer, event, fingerprint, challenge }

    /// The file's name without its ending.
    let name: String
    let kind: Kind
    let body: [UInt8]
    let fields: [String: String]

    /// Whether every implementation has to agree. `should` is for what the usual JSON parsers cannot do.
    var isRequired: Bool { fields["level"] != "should" }
    var isGood: Bool { fields["expect"] == "ok" }

    var testDescription: String { name }

    subscript(field: String) -> String? { fields[field] }

    func required(_ field: String) throws -> String {
        guard let value = fields[field] else { throw Malformed(file: name, field: field) }
        return value
    }

    struct Malformed: Error {
        let file: String
        let field: String
    }

    init(file: URL) throws {
        name = file.deletingPathExtension().lastPathComponent
        guard let kind = name.split(separator: "-").first.flatMap({ Kind(rawValue: String($0)) }) else {
            throw Malformed(file: name, field: "kind")
        }
        self.kind = kind
        var rest = [UInt8](try Data(contentsOf: file))[...]
        var fields: [String: String] = [:]
        while let end = rest.firstIndex(of: 0x0a) {
            let line = rest[..<end]
            rest = rest[(end + 1)...]
            if line.isEmpty { break }
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
            // Exactly one space follows the colon; the rest belongs to the value, spaces included.
            fields[String(decoding: line[..<colon], as: UTF8.self)] =
                String(decoding: line[colon...].dropFirst(2), as: UTF8.self)
        }
        self.fields = fields
        body = [UInt8](rest)
    }

    static let folder = TestVectors.folder.appending(path: "back-channel")

    static let all: [BackChannelVector] = {
        let files = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        return files.filter { $0.pathExtension == "txt" }
            .sorted { $0.path < $1.path }
            .compactMap { try? BackChannelVector(file: $0) }
    }()

    static func of(_ kind: Kind) -> [BackChannelVector] { all.filter { $0.kind == kind } }

    static func named(_ name: String) throws -> BackChannelVector {
        guard let vector = all.first(where: { $0.name == name }) else { throw Malformed(file: name, field: "file") }
        return vector
    }
}
