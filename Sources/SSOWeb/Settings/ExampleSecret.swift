/// Owns the rule which secrets are long enough and known all the same: words somebody meant to replace, and keys a hand
/// has typed (ASVS 13.2.3).
enum ExampleSecret {
    /// Words of documentation. Nothing that made 32 random bytes writes them.
    private static let words = [
        "changeme", "change-me", "change_me", "replaceme", "replace-me", "replace_me", "replace-this", "placeholder",
        "your-secret", "your_secret", "yoursecret", "correct-horse", "example",
    ]
    /// 32 random hex digits have fewer different ones less than once in a hundred million times.
    private static let fewestDifferentBytes = 6

    /// Whether it was copied from a page: refused wherever others can reach the program.
    static func isCopied(_ text: String) -> Bool {
        let small = text.lowercased()
        return words.contains { small.contains($0) }
    }

    /// Whether it is a pattern: treated alike.
    static func isPatterned(_ text: String) -> Bool { Set(text.utf8).count < fewestDifferentBytes }
}
