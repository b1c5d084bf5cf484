/// What one target brings to the pages of its program. All of it is compiled in: the binary is the deployment.
package struct PageFiles: Sendable {
    /// The templates by name, without the ending.
    package let templates: [String: [UInt8]]
    /// Templates that others include, by name.
    package let partials: [String: [UInt8]]
    /// The file of texts for each language. No two targets of a program have the same key.
    package let texts: [Language: [UInt8]]
    /// The styles, scripts and pictures by file name.
    package let assets: [String: [UInt8]]

    package init(
        templates: [String: [UInt8]] = [:], partials: [String: [UInt8]] = [:], texts: [Language: [UInt8]] = [:],
        assets: [String: [UInt8]] = [:]
    ) {
        (self.templates, self.partials, self.texts, self.assets) = (templates, partials, texts, assets)
    }
}
