package import HTTPTypes
package import Hummingbird

/// The answer to a browser that asks before a page of another origin sends a request (Fetch, "CORS-preflight fetch").
///
/// Every header that is asked for is allowed: what libraries and tracing add changes nothing here. No answer allows credentials, so a
/// page of another origin never sends a cookie.
package enum Preflight {
    /// A page asks for few headers. More of them, and longer names, are not allowed.
    static let maximumHeaders = 32
    static let longestHeader = 64

    /// - Parameters:
    ///   - origin: the origin that may send the request; `*` for any. Nil allows nothing.
    ///   - headers: those that are allowed where the request asks for none.
    package static func answer(
        to request: Request, _ methods: [HTTPRequest.Method], from origin: String?, headers: [String] = []
    ) -> Response {
        var response = Response(
            status: .noContent, headers: [.vary: "Origin, Access-Control-Request-Headers"])
        guard let origin else { return response }
        response.headers[.accessControlAllowOrigin] = origin
        response.headers[.accessControlAllowMethods] = methods.map(\.rawValue).joined(separator: ", ")
        response.headers[.accessControlMaxAge] = "300"
        let asked = names(in: request.headers[values: .accessControlRequestHeaders])
        let allowed = asked.isEmpty ? headers : asked
        if !allowed.isEmpty { response.headers[.accessControlAllowHeaders] = allowed.joined(separator: ", ") }
        return response
    }

    /// The names of a list of headers, as they are written, each a token (RFC 9110 5.1). Anything else is left out.
    static func names(in fields: [String]) -> [String] {
        var names: [String] = []
        for item in fields.flatMap({ $0.split(separator: ",") }) where names.count < maximumHeaders {
            let words = item.split(whereSeparator: { $0 == " " || $0 == "\t" })
            guard words.count == 1, let name = words.first, name.utf8.count <= longestHeader,
                HTTPField.Name(String(name)) != nil
            else { continue }
            names.append(String(name))
        }
        return names
    }
}
