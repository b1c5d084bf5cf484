/// What the `options` of an address ask the server for.
enum PostgresOptions {
    /// The last `search_path` among them; nil when there is none. Source: `pg_split_opts` and `process_postgres_switches` of PostgreSQL.
    static func searchPath(_ options: String) -> String? {
        var (found, isValue): (String?, Bool) = (nil, false)
        for word in words(options) {
            let setting: Substring
            if isValue {
                (setting, isValue) = (word[...], false)
            } else if word == "-c" {
                isValue = true
                continue
            } else if word.hasPrefix("-c") || word.hasPrefix("--") {
                setting = word.dropFirst(2)
            } else {
                continue
            }
            let parts = setting.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0].replacing("-", with: "_").lowercased() == "search_path" else { continue }
            found = String(parts[1])
        }
        return found
    }

    /// The words between spaces. A backslash takes the next character as it is.
    private static func words(_ text: String) -> [String] {
        var (words, word, isEscaped) = ([String](), "", false)
        for character in text {
            if !isEscaped, character == "\\" {
                isEscaped = true
            } else if !isEscaped, character.isWhitespace {
                if !word.isEmpty { words.append(word) }
                word = ""
            } else {
                word.append(character)
                isEscaped = false
            }
        }
        return word.isEmpty ? words : words + [word]
    }

    /// The schemas of which a `search_path` asks for one: the first name, and before it `"$user"`, which need not exist.
    static func schemas(of path: String, user: String) -> Set<String> {
        var found: Set<String> = []
        for name in names(path) where !["", "pg_catalog", "pg_temp"].contains(name) {
            found.insert(name == "$user" ? user : name)
            if name != "$user" { break }
        }
        return found
    }

    /// The names of a list, as PostgreSQL reads them: outside of quotation marks in lower case.
    private static func names(_ list: String) -> [String] {
        var (names, name, isQuoted, last) = ([String](), "", false, Character(" "))
        for character in list {
            switch character {
            case "\"":
                // Two of them in a name are one.
                if !isQuoted, last == "\"" { name.append(character) }
                isQuoted.toggle()
            case "," where !isQuoted:
                names.append(name)
                name = ""
            case _ where isQuoted: name.append(character)
            case _ where character.isWhitespace: break
            default: name += character.lowercased()
            }
            last = character
        }
        return names + [name]
    }
}
