public import ArgumentParser
import Foundation
import SSOShared
public import WellKnown

/// A body to check, with the name of its source.
struct AssociationInput: Sendable {
    let name: String
    let body: [UInt8]
    /// The kind of file, or `nil` if neither its name nor an option determines it.
    let kind: AssociationKind?

    /// Reads a file, or standard input for `-`.
    static func read(_ name: String, kind: AssociationKind? = nil) throws(InputError) -> AssociationInput {
        let data: Data
        do throws(InputError) {
            data = try InputBytes.read(name, limit: JSONReader.Limits().bytes)
        } catch {
            let isAddress = name.lowercased().hasPrefix("https:") || name.lowercased().hasPrefix("http:")
            let hint = isAddress ? "; an address is written https://example.com" : ""
            throw InputError(description: "\(error)\(hint)")
        }
        return AssociationInput(name: name, body: Array(data), kind: kind ?? AssociationKind.guess(fileName: name))
    }
}

extension AssociationKind: ExpressibleByArgument {}

enum LinkPlatform: String, ExpressibleByArgument, CaseIterable, Encodable, Sendable {
    case ios, android

    var title: String { self == .ios ? "iOS" : "Android" }
    var file: AssociationKind { self == .ios ? .aasa : .assetlinks }
}

/// An argument of the command line: a local file, a URL or a domain.
enum InputWord {
    case local(String)
    case remote(FetchTarget)

    /// `-` and existing files are local. URLs are remote. Any other argument is a domain if it has the form of one.
    ///
    /// A word with a slash, without a dot, or with a file extension is a file: a mistyped name is no DNS request.
    init(_ word: String) {
        let lower = word.lowercased()
        let isAddress = lower.hasPrefix("https://") || lower.hasPrefix("http://")
        let isFile = word == "-" || FileManager.default.fileExists(atPath: word) || !Self.looksLikeDomain(lower)
        self = isFile && !isAddress ? .local(word) : FetchTarget(word).map(InputWord.remote) ?? .local(word)
    }

    private static let fileEndings: Set<String> = ["json", "txt", "yaml", "yml", "p7m", "html", "bak", "aasa", "xml"]

    private static func looksLikeDomain(_ word: String) -> Bool {
        guard !word.contains("/"), !word.hasPrefix("."), !word.hasPrefix("-") else { return false }
        let name = word.prefix { $0 != ":" }
        guard let last = name.split(separator: ".").last, name.contains(".") || word.contains(":") else { return false }
        return !fileEndings.contains(String(last))
    }
}
