import Foundation
import WellKnown

/// What a word of the command line means: something on this machine, or something to fetch.
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
