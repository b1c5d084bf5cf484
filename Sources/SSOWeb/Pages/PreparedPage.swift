public import HTTPTypes
public import Hummingbird
import NIOCore

/// A page that is rendered once, at start, with gaps for its values. Filling the gaps costs a small part of rendering.
///
/// ```swift
/// enum Value: String, CaseIterable { case name, callback }
/// let page = try PreparedPage<Value>(pages, "completion", in: .english) { gap in
///     Model(name: gap(.name), callback: gap(.callback), script: script)
/// }
/// return page.response { value in
///     switch value {
///     case .name: account.name
///     case .callback: callback
///     }
/// }
/// ```
///
/// The result equals that of ``Pages/response(_:_:status:headers:)``.
public struct PreparedPage<Value: RawRepresentable<String> & CaseIterable & Sendable>: Sendable {
    /// The fixed text before each gap.
    private let texts: [String]
    /// What belongs into each gap.
    private let gaps: [Value]
    private let end: String
    /// Bytes of the fixed texts.
    private let fixedLength: Int
    private let fields: HTTPFields

    /// Renders the template and cuts it at the gaps.
    ///
    /// - Parameter model: makes the model of the template. `gap(.x)` stands for the text of `x`.
    /// - Throws: ``PreparedPageError`` when a value would not come out as escaped text: it is inserted without escaping, is changed
    ///   by a transform, or decides whether a section is shown.
    public init(
        _ pages: Pages, _ template: String, in language: Language, _ model: (_ gap: (Value) -> String) -> some Encodable
    ) throws {
        let page = pages.text(template, model { Self.mark + "<&\"'>" + $0.rawValue + Self.mark }, in: language)
        var (texts, gaps, text): ([String], [Value], String) = ([], [], "")
        for (index, part) in page.split(separator: Self.mark, omittingEmptySubsequences: false).enumerated() {
            if index.isMultiple(of: 2) {
                text = String(part)
                continue
            }
            let escaped = "&lt;&amp;&quot;&#39;&gt;"
            guard part.hasPrefix(escaped), let value = Value(rawValue: String(part.dropFirst(escaped.count))) else {
                throw PreparedPageError(template: template)
            }
            texts.append(text)
            gaps.append(value)
        }
        // A section that shows for any text but not for an empty one would be wrong later.
        guard pages.text(template, model { _ in "" }, in: language) == texts.joined() + text else {
            throw PreparedPageError(template: template)
        }
        (self.texts, self.gaps, end, fields) = (texts, gaps, text, pages.headers(language))
        fixedLength = texts.reduce(text.utf8.count) { $0 + $1.utf8.count }
    }

    /// The page with its gaps filled.
    public func response(
        status: HTTPResponse.Status = .ok, headers: HTTPFields = [:], _ text: (Value) -> String
    ) -> Response {
        Response(
            status: status, headers: headers.merging(fields),
            body: .init(byteBuffer: buffer(text)))
    }

    /// The page's bytes. One buffer, so that the response has a Content-Length.
    func buffer(_ text: (Value) -> String) -> ByteBuffer {
        var buffer = ByteBufferAllocator().buffer(capacity: fixedLength + 512)
        for index in gaps.indices {
            buffer.writeString(texts[index])
            EscapedHTML.forEachPiece(of: text(gaps[index])) { buffer.writeSubstring($0) }
        }
        buffer.writeString(end)
        return buffer
    }

    /// Surrounds each gap. A control character: it is in no template, brand or path.
    private static var mark: String { "\u{1}" }
}

/// A template that cannot be prepared. Found at start.
public struct PreparedPageError: Error, CustomStringConvertible {
    let template: String
    public var description: String {
        "The template \(template) cannot be prepared: a value does not appear in it as escaped text alone"
    }
}
