import Foundation
import HTTPTypes
public import Hummingbird
import Mustache
import NIOCore

/// Renders the pages of a program. All templates are parsed at the start and share one layout and one style sheet.
public struct Pages: Sendable {
    private let library: MustacheLibrary
    private let frame: Frame
    /// The program's name on its pages.
    public var brand: String { frame.brand }

    /// What the layout shows around the content of every page.
    struct Frame: Sendable {
        let brand: String
        let stylesheet: String
        let brandStylesheet: String
    }

    /// - Parameters:
    ///   - brand: the program's name on its pages.
    ///   - templates: the text of each template by name, from the program's embedded files.
    /// - Throws: ``TemplateError`` at the start, so that no request meets a broken template.
    public init(brand: String, templates: [String: [UInt8]], assets: StaticAssets) throws {
        MustacheContentTypes.register(EscapedHTML(), named: EscapedHTML.name)
        var library = MustacheLibrary()
        let shared = ["layout": PackageResources.layout_mustache, "error": PackageResources.error_mustache]
        for (name, bytes) in shared.merging(templates, uniquingKeysWith: { $1 }) {
            do {
                let text = String(decoding: bytes, as: UTF8.self)
                // Plain text templates, for emails, name their type themselves.
                let pragma = text.hasPrefix("{{% CONTENT_TYPE") ? "" : "{{% CONTENT_TYPE:\(EscapedHTML.name)}}"
                try library.register(pragma + text, named: name)
            } catch {
                throw TemplateError(name: name, cause: "\(error)")
            }
        }
        self.library = library
        frame = Frame(
            brand: brand, stylesheet: assets.path(of: "base.css"), brandStylesheet: assets.path(of: "brand.css"))
    }

    /// Renders a page as a response.
    ///
    /// - Parameter model: a struct with the properties that the template names, or a dictionary of texts.
    public func response(
        _ template: String, _ model: some Sendable, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) -> Response {
        var fields = headers
        fields[.contentType] = "text/html; charset=utf-8"
        // One buffer, so that the response has a Content-Length.
        return Response(
            status: status, headers: fields, body: .init(byteBuffer: ByteBuffer(string: text(template, model))))
    }

    /// Renders a template as text, for emails.
    public func text(_ template: String, _ model: some Sendable) -> String {
        library.render(Framed(frame: frame, model: model), withTemplate: template) ?? ""
    }
}

/// Escapes the five special characters of HTML byte by byte. Mustache's own type compares whole characters: a `"` followed
/// by a combining accent is another character, and would end an attribute.
struct EscapedHTML: MustacheContentType {
    static let name = "ESCAPED_HTML"

    func escapeText(_ text: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if let escape = Self.escape(of: byte) { bytes += escape.utf8 } else { bytes.append(byte) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// What stands for a special character in text and attributes; nil for every other byte.
    static func escape(of byte: UInt8) -> String? {
        switch byte {
        case UInt8(ascii: "<"): "&lt;"
        case UInt8(ascii: ">"): "&gt;"
        case UInt8(ascii: "&"): "&amp;"
        case UInt8(ascii: "\""): "&quot;"
        case UInt8(ascii: "'"): "&#39;"
        default: nil
        }
    }
}

/// A template cannot be parsed.
struct TemplateError: Error, CustomStringConvertible {
    let name, cause: String
    var description: String { "The template \(name) cannot be parsed: \(cause)" }
}

/// The properties of a page and of the layout around it.
private struct Framed: MustacheParent {
    private let frame: Pages.Frame
    /// Read by reflection once: a template asks for the same names many times.
    private let properties: [String: Any]

    init(frame: Pages.Frame, model: any Sendable) {
        self.frame = frame
        if let values = model as? [String: String] {
            properties = values
            return
        }
        properties = Dictionary(
            Mirror(reflecting: model).children.compactMap { child in child.label.map { ($0, child.value) } }
        ) { first, _ in first }
    }

    func child(named name: String) -> Any? {
        switch name {
        case "brand": frame.brand
        case "stylesheet": frame.stylesheet
        case "brandStylesheet": frame.brandStylesheet
        default: properties[name]
        }
    }
}
