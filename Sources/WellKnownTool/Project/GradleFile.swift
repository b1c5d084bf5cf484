import WellKnown

/// What a module's `build.gradle` or `build.gradle.kts` says about links, as far as it is literal text.
///
/// Gradle files are programs. Only assignments of literal texts are read, and the first one of a name counts, which is
/// that of `defaultConfig` in nearly all projects.
///
/// Source: Android, "Inject build variables into the manifest" and "Configure the app module".
struct GradleFile: Sendable {
    /// The values of `manifestPlaceholders`, of `resValue` as `@string/name`, and `applicationId`.
    private(set) var values: [String: String] = [:]
    private(set) var applicationID: String?
    private(set) var minimumSDK, targetSDK: Int?

    init(reading bytes: [UInt8]) {
        let text = Self.withoutComments(String(decoding: bytes, as: UTF8.self))
        let quoted = #/["']([^"'$\\]*)["']/#
        // manifestPlaceholders = [host: "a", 'other': "b"], mapOf("host" to "a"), manifestPlaceholders["host"] = "a"
        for match in text.matches(
            of:
                #/[mM]anifestPlaceholders\s*(?:\+?=|\.putAll)?\s*\(?\s*(?:mutableMapOf|mapOf)?\s*[\[(]([^\])]*)[\])](?:\s*=\s*["']([^"'$\\]*)["'])?/#
        ) {
            let inside = String(match.output.1)
            if let value = match.output.2 {
                if let name = inside.firstMatch(of: quoted)?.output.1 { add(String(name), String(value)) }
                continue
            }
            for pair in inside.matches(of: #/["']?([A-Za-z_][A-Za-z0-9_.]*)["']?\s*(?::|to\s)\s*["']([^"'$\\]*)["']/#) {
                add(String(pair.output.1), String(pair.output.2))
            }
        }
        for match in text.matches(
            of: #/resValue\s*\(?\s*["']string["']\s*,\s*["']([^"']*)["']\s*,\s*["']([^"'$\\]*)["']/#)
        {
            add("@string/\(match.output.1)", String(match.output.2))
        }
        applicationID = text.firstMatch(of: #/applicationId\s*=?\s*["']([^"'$\\]*)["']/#).map { String($0.output.1) }
        minimumSDK = text.firstMatch(of: #/minSdk(?:Version)?\s*[=(]?\s*(\d{1,3})/#).flatMap { Int($0.output.1) }
        targetSDK = text.firstMatch(of: #/targetSdk(?:Version)?\s*[=(]?\s*(\d{1,3})/#).flatMap { Int($0.output.1) }
        if let applicationID { add("applicationId", applicationID) }
    }

    private mutating func add(_ name: String, _ value: String) {
        if values[name] == nil { values[name] = value }
    }

    /// Removes `//` and `/* */` comments that are not inside a string.
    private static func withoutComments(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        var quote: Character?
        while let character = rest.first {
            if let open = quote {
                if character == open || character == "\n" { quote = nil }
            } else if character == "\"" || character == "'" {
                quote = character
            } else if rest.hasPrefix("//") {
                rest = rest.drop { $0 != "\n" }
                continue
            } else if rest.hasPrefix("/*") {
                rest = rest.firstRange(of: "*/").map { rest[$0.upperBound...] } ?? rest.suffix(0)
                continue
            }
            result.append(character)
            rest = rest.dropFirst()
        }
        return result
    }
}
