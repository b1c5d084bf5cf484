public import ArgumentParser
import Foundation
import SSOShared
public import WellKnown

/// A body to check, with the name of its source.
struct AssociationInput: Sendable {
    let name: String
    let body: [UInt8]
    /// Which file it is, or `nil` if neither its name nor an option says so.
    let kind: AssociationKind?

    /// Reads a file, or standard input for `-`.
    ///
    /// - Throws: ``InputError``.
    static func read(_ name: String, kind: AssociationKind? = nil) throws(InputError) -> AssociationInput {
        let data: Data
        do throws(InputError) {
            data = try InputBytes.read(name, limit: JSONReader.Limits().bytes)
        } catch {
            let isAddress = name.lowercased().hasPrefix("https:") || name.lowercased().hasPrefix("http:")
            let hint = isAddress ? "; an address is written https://example.com" : ""
            throw InputError(description: "\(error)\(hint)")
        }
        return AssociationInput(
            name: name, body: Array(data), kind: kind ?? AssociationKind.guess(fileName: name))
    }
}

extension AssociationKind: ExpressibleByArgument {}

enum LinkPlatform: String, ExpressibleByArgument, CaseIterable, Sendable {
    case ios, android

    var title: String { self == .ios ? "iOS" : "Android" }
}

/// An argument of the command line: a local file, or something to fetch.
enum InputWord {
    case local(String)
    case remote(FetchTarget)

    /// `-` and what exists are local; addresses are remote; of the rest, what reads as a domain is one.
    ///
    /// A file that was mistyped must not become a question to a name server, so a word with a slash, without a dot, or
    /// with the ending of a file stays a file that is not there.
    init(_ word: String) {
        let lower = word.lowercased()
        if lower.hasPrefix("https://") || lower.hasPrefix("http://") {
            self = FetchTarget(word).map(InputWord.remote) ?? .local(word)
        } else if word == "-" || FileManager.default.fileExists(atPath: word) || !Self.looksLikeDomain(lower) {
            self = .local(word)
        } else {
            self = FetchTarget(word).map(InputWord.remote) ?? .local(word)
        }
    }

    private static let fileEndings: Set<String> = ["json", "txt", "yaml", "yml", "p7m", "html", "bak", "aasa", "xml"]

    private static func looksLikeDomain(_ word: String) -> Bool {
        guard !word.contains("/"), !word.hasPrefix("."), !word.hasPrefix("-") else { return false }
        let name = word.prefix { $0 != ":" }
        guard let last = name.split(separator: ".").last, name.contains(".") || word.contains(":") else { return false }
        return !fileEndings.contains(String(last))
    }
}
