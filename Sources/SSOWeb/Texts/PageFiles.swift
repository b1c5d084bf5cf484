/// What one target brings to the pages of its program. All of it is compiled in: the binary is the deployment.
///
/// PageFilesPlugin makes one for each target with pages, from the files in its folder: `PageFiles.signIn` for `SignIn`.
package struct PageFiles: Sendable {
    /// The templates by name, without the ending.
    package let templates: [String: [UInt8]]
    /// Templates that others include, by name.
    package let partials: [String: [UInt8]]
    /// The files of texts for each language. No two of a program have the same key.
    package let texts: [Language: [[UInt8]]]
    /// The styles, scripts and pictures by file name.
    package let assets: [String: [UInt8]]

    package init(
        templates: [String: [UInt8]] = [:], partials: [String: [UInt8]] = [:], texts: [Language: [[UInt8]]] = [:],
        assets: [String: [UInt8]] = [:]
    ) {
        (self.templates, self.partials, self.texts, self.assets) = (templates, partials, texts, assets)
    }

    /// Sorts files by their names. `NAME.mustache` is a template, `NAME.partial.mustache` one that others include, and
    /// `LANGUAGE.json` has texts. All others are assets.
    package init(_ files: [File]) {
        var (templates, partials, assets): ([String: [UInt8]], [String: [UInt8]], [String: [UInt8]]) = ([:], [:], [:])
        var texts: [Language: [[UInt8]]] = [:]
        for file in files {
            if let name = file.name(without: ".partial.mustache") {
                partials[name] = file.content
            } else if let name = file.name(without: ".mustache") {
                templates[name] = file.content
            } else if let name = file.name(without: ".json") {
                // A language that is not built in is not shown.
                if let language = Language.builtIn.first(where: { $0.rawValue == name }) {
                    texts[language, default: []].append(file.content)
                }
            } else {
                assets[file.name] = file.content
            }
        }
        self.init(templates: templates, partials: partials, texts: texts, assets: assets)
    }

    /// A file in the folder of a target.
    package struct File: Sendable {
        fileprivate let name: String
        fileprivate let content: [UInt8]

        package init(_ name: String, _ content: [UInt8]) { (self.name, self.content) = (name, content) }

        package init(_ name: String, _ text: String) { self.init(name, Array(text.utf8)) }

        fileprivate func name(without ending: String) -> String? {
            name.hasSuffix(ending) ? String(name.dropLast(ending.count)) : nil
        }
    }
}
