/// Patterns and URLs that are slow in naive matchers: long runs of few letters, many stars, mismatches at the end.
enum HostileText {
    private static let pieces = [
        "a", "a", "b", "/", "*", "*", "?", "?*", "*a", "a*", "**", "%20", "%C3%A9", "é", "$(lang)", "$(region)",
        "$(digit)",
        "$(list)", "$(none)", "-", ".", "aa", "ab", "/*", "/?*/",
    ]
    private static let letters = ["a", "a", "a", "b", "/", "-", "en", "US", "7", "%20", "%C3%A9", ".", "aaaaaaaa"]

    static func pattern(_ random: inout SplitMix) -> String {
        if random.below(8) == 0 {
            return String(
                repeating: random.pick(["*a", "?*", "a*b", "*/", "$(lang)*", "*$(list)"]) ?? "*",
                count: random.below(400))
        }
        return (0..<random.below(random.below(10) == 0 ? 300 : 20)).map { _ in random.pick(pieces) ?? "" }.joined()
    }

    static func path(_ random: inout SplitMix) -> String {
        if random.below(8) == 0 {
            return "/" + String(repeating: random.pick(["a", "a/", "en_", "é"]) ?? "a", count: random.below(3_000))
        }
        return "/"
            + (0..<random.below(random.below(10) == 0 ? 400 : 24)).map { _ in random.pick(letters) ?? "" }.joined()
    }

    static func link(_ random: inout SplitMix) -> String {
        var text = "https://example.com" + path(&random)
        if random.below(2) == 0 {
            text +=
                "?"
                + (0..<random.below(random.below(30) == 0 ? 500 : 4)).map { _ in
                    "\(random.pick(["a", "q", "x", ""]) ?? "")=\(random.pick(letters) ?? "")"
                }.joined(separator: "&")
        }
        if random.below(3) == 0 { text += "#" + path(&random) }
        return text
    }

    /// An Apple file and an Android rule list with hostile patterns in every place for a pattern.
    static func files(_ random: inout SplitMix) -> (aasa: String, dynamic: String) {
        func quoted(_ text: String) -> String { "\"" + text + "\"" }
        var rules: [String] = []
        var dynamic: [String] = []
        for _ in 0...random.below(6) {
            let path = quoted(pattern(&random))
            let item = "{\"a\":\(quoted(pattern(&random))),\"q\":\(quoted(pattern(&random)))}"
            let flags =
                ",\"exclude\":\(random.below(4) == 0),\"caseSensitive\":\(random.below(2) == 0),"
                + "\"percentEncoded\":\(random.below(2) == 0)"
            let query = random.below(2) == 0 ? item : quoted(pattern(&random))
            rules.append(
                "{\"/\":\(path),\"?\":\(query),\"#\":\(quoted(pattern(&random)))\(random.below(2) == 0 ? flags : "")}")
            rules.append("{\"/\":\(path)\(random.below(2) == 0 ? flags : "")}")
            dynamic.append("{\"/\":\(path),\"?\":\(item),\"exclude\":\(random.below(4) == 0)}")
            dynamic.append("{\"/\":\(path)}")
        }
        let list = (0..<random.below(30)).map { _ in
            quoted(random.pick(["a", "ab", "a*", "*a", "?", "a?a*", "aaaa"]) ?? "a")
        }
        let aasa =
            "{\"applinks\":{\"substitutionVariables\":{\"list\":[\(list.joined(separator: ","))]},\"details\":["
            + "{\"appIDs\":[\"A1B2C3D4E5.com.example.app\"],\"components\":[\(rules.joined(separator: ","))]}]}}"
        return (aasa, "[" + dynamic.joined(separator: ",") + "]")
    }
}
