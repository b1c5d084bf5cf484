import Foundation
import HTTPTypes
public import Hummingbird
import Mustache
import NIOCore

/// Renders the pages of a program: every template parsed at start, one layout, one style sheet.
public struct Pages: Sendable {
    private let library: MustacheLibrary
    private let frame: Frame
    /// The program's name as people see it.
    public var brand: String { frame.brand }

    /// What every page shows around its own content.
    struct Frame: Sendable {
        let brand: String
        let stylesheet: String
        let brandStylesheet: String
    }

    /// - Parameters:
    ///   - brand: the program's name as people see it.
    ///   - templates: name to text, from the program's embedded files.
    /// - Throws: what the parser says of a broken template: that stops the start, not a visitor.
    public init(brand: String, templates: [String: [UInt8]], assets: StaticAssets) throws {
        var library = MustacheLibrary()
        let shared = ["layout": PackageResources.layout_mustache, "error": PackageResources.error_mustache]
        for (name, bytes) in shared.merging(templates, uniquingKeysWith: { $1 }) {
            do {
                try library.register(String(decoding: bytes, as: UTF8.self), named: name)
            } catch {
                throw TemplateError(name: name, cause: "\(error)")
            }
        }
        self.library = library
        frame = Frame(
            brand: brand, stylesheet: assets.path(of: "base.css"), brandStylesheet: assets.path(of: "brand.css"))
    }

    /// The page as an answer.
    ///
    /// - Parameter model: a struct whose properties the template names.
    public func response(
        _ template: String, _ model: some Sendable, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) -> Response {
        var fields = headers
        fields[.contentType] = "text/html; charset=utf-8"
        // Buffers of one piece, so that the answer has a Content-Length.
        return Response(
            status: status, headers: fields, body: .init(byteBuffer: ByteBuffer(string: text(template, model))))
    }

    /// A template's text alone, for letters.
    public func text(_ template: String, _ model: some Sendable) -> String {
        library.render(Framed(frame: frame, model: model), withTemplate: template) ?? ""
    }

    /// An error page. It offers one way on and names the reference that the log has too.
    func failure(_ failure: PublicError, reference: RequestReference) -> Response {
        response("error", FailurePage(failure, reference), status: failure.status, headers: failure.headers)
    }

    /// The same as text alone, for an answer that is made beside the framework.
    func failureText(_ failure: PublicError, reference: RequestReference) -> String {
        text("error", FailurePage(failure, reference))
    }
}

struct FailurePage: Sendable {
    let title, explanation, label, href, reference: String

    init(_ failure: PublicError, _ reference: RequestReference) {
        (title, explanation) = (failure.title, failure.explanation)
        (label, href, self.reference) = (failure.nextStep.label, failure.nextStep.href, reference.description)
    }
}

/// A template that does not parse.
struct TemplateError: Error, CustomStringConvertible {
    let name, cause: String
    var description: String { "The template \(name) does not parse: \(cause)" }
}

/// A page's own properties, and around them the frame's.
private struct Framed: MustacheParent {
    private let frame: Pages.Frame
    /// Looked through once: a template asks for the same names again and again.
    private let properties: [String: Any]

    init(frame: Pages.Frame, model: any Sendable) {
        self.frame = frame
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
