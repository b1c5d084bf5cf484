import HTTPTypes
import Hummingbird

/// Strict parser of a form with a file (`multipart/form-data`, RFC 7578), as browsers write it (WHATWG HTML 4.10.21.8).
///
/// Libraries take the first of two equal names, and read what stands before the first boundary in different ways, so that two
/// programs could read one request in two ways. The name and the type of a file are dropped: its sender chooses them.
struct MultipartForm {
    /// Of the lines above a part. Browsers send two.
    private static let maximumHeadBytes = 1024
    private static let newLine: [UInt8] = [0x0d, 0x0a]

    /// What the form has, a file by its bytes.
    let fields: URLEncodedFields

    /// - Parameter boundary: of the content type.
    /// - Returns: nil for a body that no browser sends.
    init?(_ body: [UInt8], boundary: String) {
        let delimiter = Array("--\(boundary)".utf8)
        guard body.starts(with: delimiter) else { return nil }
        var (rest, pairs) = (body.dropFirst(delimiter.count), [(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>?)]())
        while !rest.starts(with: "--".utf8) {
            guard rest.starts(with: Self.newLine), pairs.count < URLEncodedFields.maximumCount else { return nil }
            rest = rest.dropFirst(2)
            guard let head = rest.prefix(Self.maximumHeadBytes).firstRange(of: Self.newLine + Self.newLine),
                let name = Self.name(in: rest[..<head.lowerBound]),
                let end = rest[head.upperBound...].firstRange(of: Self.newLine + delimiter)
            else { return nil }
            pairs.append((name, rest[head.upperBound..<end.lowerBound]))
            rest = rest[end.upperBound...]
        }
        // Nothing but the end of the line after the last part.
        guard rest.dropFirst(2).isEmpty || rest.dropFirst(2).elementsEqual(Self.newLine) else { return nil }
        fields = URLEncodedFields(decoded: pairs)
    }

    /// The name of a field, by the lines above its content.
    private static func name(in head: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let text = String(validating: head, as: UTF8.self) else { return nil }
        var found: String?
        for line in text.split(separator: "\r\n", omittingEmptySubsequences: false) {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            switch line[..<colon].lowercased() {
            case "content-disposition":
                guard found == nil, let name = self.name(of: value) else { return nil }
                found = name
            case "content-type": continue
            // An encoding would be another reading of the same bytes (RFC 7578 4.7).
            default: return nil
            }
        }
        return found.map { ArraySlice($0.utf8) }
    }

    /// `form-data; name="picture"; filename="me.png"`. In names, browsers write `%22` for a quotation mark.
    private static func name(of disposition: Substring) -> String? {
        let form = #/form-data; name="([^"\\]{1,64})"(?:; filename="(?:[^"\\]|\\.)*")?/#
        return (try? form.wholeMatch(in: disposition)).map { String($0.1) }
    }
}

extension Request {
    /// Whether the body is a form with a file.
    var hasMultipartForm: Bool { MediaRange.essence(of: headers[values: .contentType]) == "multipart/form-data" }

    /// Reads the fields of a form with a file.
    ///
    /// - Parameter limit: in bytes.
    /// - Throws: ``PublicError`` 415 without a boundary, 413 over the limit, 400 for what no browser sends.
    func multipartFields(atMost limit: Int) async throws -> URLEncodedFields {
        guard let boundary = multipartBoundary else { throw PublicError.unsupportedType }
        guard let form = MultipartForm(try await boundedBody(limit), boundary: boundary) else {
            throw PublicError.badRequest(cause: "multipart")
        }
        return form.fields
    }

    /// RFC 2046 5.1.1, without the characters that need quotation marks.
    private var multipartBoundary: String? {
        let form = #/multipart\/form-data; ?boundary="?([A-Za-z0-9'()+_,.\/:=?\-]{1,70})"?/#.ignoresCase()
        return headers[.contentType].flatMap { try? form.wholeMatch(in: $0) }.map { String($0.1) }
    }
}
