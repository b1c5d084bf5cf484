/// What is wrong with a YAML file, in words for people who do not know how it is parsed.
enum YAMLFault {
    /// - Parameters:
    ///   - problem: the sentence of the parser.
    ///   - context: what it was doing.
    ///   - line: the text of the line, which may hold a secret and is not in the words.
    static func words(_ problem: String, in context: String, at line: Substring?) -> String {
        if line?.prefix(while: \.isWhitespace).contains("\t") == true { return "is indented with a tab. Use spaces." }
        let all = "\(context) \(problem)"
        return known.first { all.contains($0.part) }?.words
            ?? "is not YAML from here on. Look at the indentation, colons and quotation marks of this line and the one before."
    }

    /// By a part of the parser's sentence, the first that fits.
    private static let known: [(part: String, words: String)] = [
        (
            "cannot start any token",
            "a value that begins with @, % or ` means something else in YAML. Write it in quotation marks."
        ),
        ("expected ',' or ']'", "a list in [ ] is not closed. Write ] at its end, and commas between its items."),
        ("expected ',' or '}'", "an entry in { } is not closed. Write } at its end, and commas between its keys."),
        ("quoted scalar found unexpected", "a quotation mark is not closed."),
        ("unknown escape", "\\ in \"…\" begins an escape that there is not. Write the text in '…'."),
        ("escape", "\\ in \"…\" begins an escape that is wrong. Write the text in '…'."),
        ("alias", "a value that begins with * means something else in YAML. Write it in quotation marks."),
        ("anchor", "a value that begins with & means something else in YAML. Write it in quotation marks."),
        ("tag", "a value that begins with ! means something else in YAML. Write it in quotation marks."),
        (
            "mapping values are not allowed",
            "has a second colon, or is indented more than the key before. Write a text with a colon in quotation marks."
        ),
        ("could not find expected ':'", "a key has no colon. Write key: value, with a blank after the colon."),
        (
            "expected key",
            "is indented in another way than the keys before. All keys of an entry begin in the same column."
        ),
        (
            "'-' indicator",
            "is indented in another way than the items before. All items of a list begin with - in the same column."
        ),
        ("block sequence entries", "an item of a list stands behind a key. Write - in a line of its own."),
        ("flow node", "a value is missing, or the ] or } that ends the list before."),
        ("expected node content", "a value is missing."),
    ]
}
