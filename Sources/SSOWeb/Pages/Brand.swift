import Foundation
import SSOShared

/// How a program presents itself on its pages and in its emails.
public struct Brand: Sendable {
    /// The program's name.
    public let name: String
    /// Shown in place of the built-in mark.
    public let logo: LogoFile?
    /// The colour of links and buttons, in place of the style sheet's.
    public let accent: AccentColor?
    /// Where users get help.
    public let supportURL: String?
    /// The privacy notice.
    public let privacyURL: String?

    public init(
        name: String, logo: LogoFile? = nil, accent: AccentColor? = nil, supportURL: String? = nil,
        privacyURL: String? = nil
    ) {
        self.name = name
        self.logo = logo
        self.accent = accent
        self.supportURL = supportURL
        self.privacyURL = privacyURL
    }

    /// A program's name from its settings.
    ///
    /// - Throws: ``SettingError`` for an empty, long or invisible one.
    @Sendable public static func programName(_ text: String) throws -> String {
        try DisplayName.ofSetting(text)
    }

    var logoName: String { logo.map { "logo.\($0.kind.rawValue)" } ?? "" }

    /// The icon on a home screen. iOS takes a PNG only; a program with an SVG as its logo has none, because the built-in mark
    /// would be another brand's.
    var touchIconName: String {
        switch logo?.kind {
        case nil: "touch-icon.png"
        case .png: logoName
        case .svg: ""
        }
    }

    /// A PNG only: few mail programs show SVG.
    var mailLogo: [UInt8]? { logo.flatMap { $0.kind == .png ? $0.content : nil } }

    /// The colour of buttons and links in emails, on light and on dark ground.
    var mailAccent: (light: String, dark: String) { accent?.shades ?? ("#1f5fbf", "#8fb8ff") }

    /// The files that the pages of this brand need, beside the program's own.
    public var assets: [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        if let logo { files[logoName] = logo.content }
        if let accent { files["accent.css"] = Array(accent.styleSheet.utf8) }
        return files
    }
}

/// A logo: an SVG or PNG image, checked when the settings are read.
///
/// An SVG can hold scripts. In an `<img>` browsers run none; a user who opens its address gets a content security policy
/// that allows nothing (``StaticAssets``). Files that would need either defence are refused as well.
public struct LogoFile: Sendable {
    public enum Kind: String, Sendable { case svg, png }

    /// Larger than any mark that is shown at 48 pixels.
    public static let maximumBytes = 64 << 10

    public let kind: Kind
    public let content: [UInt8]
    /// In pixels, or in the units of an SVG's `viewBox`: a browser that knows the proportions keeps the place free until the
    /// image is there. Nil for an SVG that does not say.
    public let size: (width: Int, height: Int)?
    /// ` width="40" height="20"` for the `<img>`, nothing where the size is not known. Numbers alone: no text of the file.
    package var sizeAttributes: String { size.map { " width=\"\($0.width)\" height=\"\($0.height)\"" } ?? "" }
    /// The beginning of a hash of the content, for an address that may be cached without a time limit.
    public let hash: String

    /// - Throws: ``SettingError`` that names what is wrong with the file.
    public init(path: String) throws {
        guard let file = RegularFile.open(path), let data = try? file.readToEnd() ?? Data() else {
            throw SettingError("\"\(path)\" cannot be read. Use the path of an SVG or PNG file.")
        }
        try self.init([UInt8](data), name: path)
    }

    /// - Parameter name: for the error.
    public init(_ content: [UInt8], name: String) throws {
        guard content.count <= Self.maximumBytes else {
            throw SettingError("\"\(name)\" has \(content.count) bytes. A logo has at most \(Self.maximumBytes).")
        }
        if content.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) {
            guard content.count > 24, content[12..<16].elementsEqual("IHDR".utf8) else {
                throw SettingError("\"\(name)\" is a damaged PNG file: its first part is not a header.")
            }
            let size = [16, 20].map { start in content[start..<start + 4].reduce(0) { $0 << 8 | Int($1) } }
            guard size.allSatisfy({ (1...2048).contains($0) }) else {
                throw SettingError("\"\(name)\" is \(size[0]) by \(size[1]) pixels. A logo has at most 2048 by 2048.")
            }
            self.kind = .png
            self.size = (size[0], size[1])
        } else {
            self.size = Self.size(ofSVG: try Self.checkSVG(content, name))
            self.kind = .svg
        }
        self.content = content
        hash = StaticAssets.hash(of: content)
    }

    /// - Returns: the text from the root element on, in lower case.
    private static func checkSVG(_ content: [UInt8], _ name: String) throws -> Substring {
        guard let text = String(validating: content, as: UTF8.self)?.lowercased(), let root = root(of: text),
            root.hasPrefix("<svg"), root.dropFirst(4).first.map({ $0.isWhitespace || $0 == ">" || $0 == "/" }) == true
        else { throw SettingError("\"\(name)\" is not an SVG or PNG file.") }
        for forbidden in ["<script", "<!doctype", "<!entity", "<foreignobject", "javascript:", "<iframe", "<?xml-"]
        where text.contains(forbidden) {
            throw SettingError(
                "\"\(name)\" contains \(forbidden), which a logo does not need. Export it as plain SVG.")
        }
        if text.firstMatch(of: #/[\s"'\/]on[a-z]+\s*=/#) != nil {
            throw SettingError("\"\(name)\" contains an event handler (on…=). Export it as plain SVG.")
        }
        return root
    }

    /// The size that the `viewBox` of the root element names, in whole units.
    private static func size(ofSVG root: Substring) -> (width: Int, height: Int)? {
        let box = root.prefix { $0 != ">" }.firstMatch(of: #/\sviewbox\s*=\s*["']([^"']*)["']/#)?.1
        let numbers = box?.split { $0 == "," || $0.isWhitespace }.compactMap { Double($0) } ?? []
        guard numbers.count == 4, numbers[2...].allSatisfy({ (1...10_000).contains($0.rounded()) }) else { return nil }
        return (Int(numbers[2].rounded()), Int(numbers[3].rounded()))
    }

    /// The text from the root element on: without byte order mark, XML declaration and comments.
    private static func root(of text: String) -> Substring? {
        var rest = text.drop { $0.isWhitespace || $0 == "\u{feff}" }
        while rest.hasPrefix("<?xml ") || rest.hasPrefix("<!--") {
            guard let end = rest.range(of: rest.hasPrefix("<?") ? "?>" : "-->") else { return nil }
            rest = rest[end.upperBound...].drop { $0.isWhitespace }
        }
        return rest
    }
}

/// The colour of links and buttons. In dark mode a lighter shade of it is used.
public struct AccentColor: Sendable {
    /// Red, green and blue, 0 to 255.
    private let channels: [Double]

    /// - Parameter text: `#1f5fbf`.
    /// - Throws: ``SettingError`` for another form, or for a colour that is hard to read on white.
    public init(_ text: String) throws {
        let digits = text.utf8.dropFirst()
        guard text.utf8.first == UInt8(ascii: "#"), digits.count == 6, let bytes = Hex.decode(String(text.dropFirst()))
        else { throw SettingError("\"\(text)\" must be a colour of six hex digits, such as #1f5fbf") }
        let channels = bytes.map(Double.init)
        let contrast = Self.contrast(channels, Self.white)
        guard contrast >= Self.minimum else {
            let readable = Self.shade(channels, towards: Self.black, until: Self.white)
            throw SettingError(
                "\"\(text)\" has a contrast of \(Self.rounded(contrast)):1 to white. Text needs at least 4.5:1 "
                    + "(WCAG 2.2, 1.4.3). Use a darker colour, such as \(Self.hex(readable))")
        }
        self.channels = channels
    }

    /// On light and on dark ground.
    var shades: (light: String, dark: String) {
        (Self.hex(channels), Self.hex(Self.lightened(channels, until: Self.darkSurface)))
    }

    /// The style sheet that sets the colour for light and dark pages.
    var styleSheet: String {
        let dark = Self.lightened(channels, until: Self.darkSurface)
        return """
            :root { --accent: \(Self.hex(channels)); --accent-strong: \(Self.hex(Self.mix(channels, Self.black, 0.2))); \
            --on-accent: #ffffff; }
            @media (prefers-color-scheme: dark) { :root { --accent: \(Self.hex(dark)); --accent-strong: \
            \(Self.hex(Self.mix(dark, Self.white, 0.3))); --on-accent: #000000; } }

            """
    }

    /// WCAG 2.2, 1.4.3.
    private static let minimum = 4.5
    private static let white: [Double] = [255, 255, 255]
    private static let black: [Double] = [0, 0, 0]
    /// `--surface` of dark pages in base.css.
    private static let darkSurface: [Double] = [25, 31, 42]

    /// The nearest shade between a colour and another that can be read on a ground.
    private static func shade(_ color: [Double], towards end: [Double], until ground: [Double]) -> [Double] {
        let shades = stride(from: 0.0, through: 1, by: 0.02).map { mix(color, end, $0).map { $0.rounded() } }
        return shades.first { contrast($0, ground) >= minimum + 0.05 } ?? end
    }

    /// The darkest lighter shade of a colour that can be read on a ground. It keeps hue and saturation: a mix with white is dull.
    private static func lightened(_ color: [Double], until ground: [Double]) -> [Double] {
        let (high, low) = (color.max() ?? 0, color.min() ?? 0)
        let lightness = (high + low) / 510
        let range = 1 - abs(2 * lightness - 1)
        // Of a grey, or nearly one, there is no hue to keep.
        guard high - low > 1, range > 0.01 else { return shade(color, towards: white, until: ground) }
        let saturation = min(1, (high - low) / 255 / range)
        let hue = color.map { ($0 - low) / (high - low) }
        for step in stride(from: lightness, through: 1, by: 0.01) {
            let chroma = (1 - abs(2 * step - 1)) * saturation
            let shade = hue.map { ((step - chroma / 2 + chroma * $0) * 255).rounded() }
            if contrast(shade, ground) >= minimum + 0.05 { return shade }
        }
        return white
    }

    private static func mix(_ first: [Double], _ second: [Double], _ share: Double) -> [Double] {
        zip(first, second).map { $0 + ($1 - $0) * share }
    }

    /// The contrast ratio of two colours (WCAG 2.2, "contrast ratio").
    static func contrast(_ first: [Double], _ second: [Double]) -> Double {
        let (one, other) = (luminance(first), luminance(second))
        return (max(one, other) + 0.05) / (min(one, other) + 0.05)
    }

    private static func luminance(_ color: [Double]) -> Double {
        let linear = color.map { $0 / 255 }.map { $0 <= 0.04045 ? $0 / 12.92 : pow(($0 + 0.055) / 1.055, 2.4) }
        return zip(linear, [0.2126, 0.7152, 0.0722]).reduce(0) { $0 + $1.0 * $1.1 }
    }

    private static func hex(_ color: [Double]) -> String {
        "#" + Hex.encode(color.map { UInt8(max(0, min(255, $0.rounded()))) })
    }

    private static func rounded(_ ratio: Double) -> String { String((ratio * 10).rounded(.down) / 10) }
}
