/// The text is not JSON, or not the JSON that every reader takes for the same.
enum JSONRules {
    static let rules: [LintRule] = [
        invalid, trailingComma, comment, smartQuotes, invisible, byteOrderMark, encoding, duplicateKey, deep, root,
        noFinalNewline,
    ]

    static let invalid = LintRule(
        "json.invalid", .error, "The file is not JSON",
        reason:
            "One wrong character turns every rule off at once: Apple's CDN answers SWCERR00401, Android sees no list.",
        fix: "Write at that place what JSON expects.",
        source: "RFC 8259",
        wrong: .aasa("{\"applinks\": {\"details\": []}\n"), right: .aasa(BodyRules.sound))

    static let trailingComma = LintRule(
        "json.trailing-comma", .warning, "A comma stands before the end of a list",
        reason:
            "Apple's reader lets it pass, Google's and most others refuse the whole file. That Apple's does is seen "
            + "in live files and in WebKit, and documented nowhere: disputed.",
        fix: "Remove the comma.",
        source: "RFC 8259 sections 4 and 5; Digital Asset Links compatibility suite",
        wrong: .aasa("{\"webcredentials\": {\"apps\": [\"4J6K8M2N9P.com.acme.shop\",]}}\n"),
        right: .aasa("{\"webcredentials\": {\"apps\": [\"4J6K8M2N9P.com.acme.shop\"]}}\n"))

    static let comment = LintRule(
        "json.comment", .error, "JSON has no comments",
        reason: "Editors show the file as sound, every reader of it stops at the comment.",
        fix: "Remove the comment; a component may have a \"comment\" key instead.",
        source: "RFC 8259 section 2; Apple, applinks.Details.Components",
        wrong: .aasa("// links\n" + BodyRules.sound), right: .aasa(BodyRules.sound))

    static let smartQuotes = LintRule(
        "json.smart-quotes", .error, "A typographic quotation mark stands where a plain one belongs",
        reason: "A word processor or a blog turned the quotes; the file looks right and is no JSON.",
        fix: "Replace the marks with \" (U+0022).",
        source: "RFC 8259 section 7",
        wrong: .aasa("{\u{201c}webcredentials\u{201d}: {\"apps\": [\"4J6K8M2N9P.com.acme.shop\"]}}\n"),
        right: .aasa("{\"webcredentials\": {\"apps\": [\"4J6K8M2N9P.com.acme.shop\"]}}\n"))

    static let invisible = LintRule(
        "json.invisible", .error, "A character that cannot be seen",
        reason: "Outside of strings no reader takes it for a blank; inside, the text looks right and never equals.",
        fix: "Remove the character.",
        source: "RFC 8259 section 2; Unicode, general category Cf",
        wrong: .aasa("{\"webcredentials\": {\"apps\": [\"4J6K8M2N9P.com.ac\u{200b}me.shop\"]}}\n"),
        right: .aasa("{\"webcredentials\": {\"apps\": [\"4J6K8M2N9P.com.acme.shop\"]}}\n"))

    static let byteOrderMark = LintRule(
        "json.bom", .warning, "The file begins with a byte-order mark",
        reason: "Foundation hides it; a strict reader stops at the first byte.",
        fix: "Save the file as UTF-8 without a mark.",
        source: "RFC 8259 section 8.1", wrong: .aasa("\u{feff}" + BodyRules.sound), right: .aasa(BodyRules.sound))

    static let encoding = LintRule(
        "json.encoding", .error, "The file is not UTF-8",
        reason: "Foundation reads UTF-16 in silence, other readers see no JSON at all.",
        fix: "Save the file as UTF-8 without a mark.",
        source: "RFC 8259 section 8.1")

    static let duplicateKey = LintRule(
        "json.duplicate-key", .error, "A key stands twice in one object",
        reason: "One reader keeps the first, the next the last: half of what is written counts nowhere.",
        fix: "Join the two values under one key.",
        source: "RFC 8259 section 4",
        wrong: .aasa(
            """
            {
              "webcredentials": {"apps": ["4J6K8M2N9P.com.acme.shop"]},
              "webcredentials": {"apps": ["4J6K8M2N9P.com.acme.other"]}
            }

            """),
        right: .aasa(
            "{\"webcredentials\": {\"apps\": [\"4J6K8M2N9P.com.acme.shop\", \"4J6K8M2N9P.com.acme.other\"]}}\n"))

    static let deep = LintRule(
        "json.deep", .error, "The file is nested deeper than readers go",
        reason: "Foundation stops at 512 levels and drops the file.",
        fix: "These files need six levels: remove the brackets around.",
        source: "RFC 8259 section 9; swift-foundation, JSONScanner",
        wrong: .aasa(String(repeating: "[", count: 513) + String(repeating: "]", count: 513) + "\n"),
        right: .aasa(BodyRules.sound))

    static let root = LintRule(
        "json.root", .error, "The root is of the wrong type",
        reason: "Apple's file is an object, Google's a list: with anything else the whole file says nothing.",
        fix: "Put Google's statements into [ ]; put Apple's services into { }.",
        source: "Apple, Supporting associated domains; Digital Asset Links specification, well-known/details.md",
        wrong: .aasa("[]\n"), right: .aasa(BodyRules.sound))

    static let noFinalNewline = LintRule(
        "json.no-final-newline", .info, "The last line does not end",
        reason: "Nothing fails; tools that join or compare files show it as a change.",
        fix: "End the file with a line break.",
        source: "POSIX.1-2024, 3.185 Line")
}
