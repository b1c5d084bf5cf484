/// How the file is served. A text alone shows three of these; the rest takes a request.
enum TransportRules {
    static let rules: [LintRule] = [encoding, tooLarge, nearLimit]

    static let encoding = LintRule(
        "http.encoding", .warning, "The body is compressed, and nothing says so",
        reason: "The reader sees binary where it expects JSON, and every rule is off.",
        fix: "Send Content-Encoding: gzip with a compressed body, or store the file uncompressed.",
        source: "RFC 9110 section 8.4")

    static let tooLarge = LintRule(
        "http.too-large", .error, "The file is larger than readers take",
        reason: "Apple's systems drop a file of more than 128 KB, Android's StatementService one of more than 1 MiB.",
        fix: "Join entries with equal rules in one appIDs list, use wildcards and variables, remove white space.",
        source: "Apple, App Search Programming Guide, Support Universal Links; AOSP, StatementService")

    static let nearLimit = LintRule(
        "http.near-limit", .warning, "The file is close to the largest size that readers take",
        reason: "It stops working when it grows a little more, on a day when nobody thinks of it.",
        fix: "Join entries with equal rules in one appIDs list, use wildcards and variables, remove white space.",
        source: "Apple, App Search Programming Guide, Support Universal Links; AOSP, StatementService")
}
