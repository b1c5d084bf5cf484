import Foundation
import SSOShared
import SSOWeb

/// What is read of an answer beside its JSON.
extension ProviderHTTP {
    /// A request asks for every type that it takes (RFC 9110 12.5.1). A key set has one of its own (RFC 7517 8.5.1).
    static func accept(_ endpoint: ProviderError.Endpoint) -> String {
        endpoint == .keys ? "Accept: application/jwk-set+json, application/json" : "Accept: application/json"
    }

    /// Refuses a status that the call does not permit. A redirect is not followed; the log says where it leads.
    static func check(
        _ response: HTTPClient.Response, of endpoint: ProviderError.Endpoint, form: [(name: String, value: String)]?,
        accepting accepted: Set<Int>
    ) throws(ProviderError) {
        guard !accepted.contains(response.status) else { return }
        let isRedirect = (300..<400).contains(response.status)
        throw .call(
            endpoint, status: response.status, isOverLimit: isOverLimit(response),
            leadsTo: isRedirect ? response.values("location").first.map { place($0, form) } : nil)
    }

    /// An address as it may stand in the log: without user, query and fragment, and without what was sent in a form, which the
    /// provider may repeat.
    private static func place(_ address: String, _ form: [(name: String, value: String)]?) -> String {
        let bytes = SentText.withoutUser(Array(address.utf8))
        let place = String(decoding: bytes.prefix { !"?#".utf8.contains($0) }, as: UTF8.self)
        return (form ?? []).reduce(place) { text, field in
            field.value.isEmpty ? text : text.replacingOccurrences(of: field.value, with: "...")
        }
    }

    /// The caller has asked too often.
    static func isOverLimit(_ response: HTTPClient.Response) -> Bool {
        response.values("x-ratelimit-remaining") == ["0"] || !response.values("retry-after").isEmpty
    }

    /// The body without its content coding, and without a byte order mark (RFC 8259 8.1: it may be ignored).
    static func decoded(
        _ response: HTTPClient.Response, of endpoint: ProviderError.Endpoint
    ) throws(ProviderError) -> [UInt8] {
        let values = response.values("content-encoding")
        do throws(ContentCoding.CodingError) {
            let body = try ContentCoding.decode(response.body, values, limit: limit(endpoint))
            return body.starts(with: [0xef, 0xbb, 0xbf]) ? Array(body.dropFirst(3)) : body
        } catch {
            let names = values.joined(separator: ", ")
            switch error {
            case .tooLarge: throw .call(endpoint, .tooLarge, "more than \(limit(endpoint)) bytes, as \(names) less")
            case .malformed: throw .call(endpoint, .contentEncoding, "\(names), damaged")
            case .unknown: throw .call(endpoint, .contentEncoding, names)
            }
        }
    }

    /// A type of JSON, with or without parameters, exactly once: `application/json`, `text/json`, or one with the suffix
    /// `+json` (RFC 6839 3.1; MIME Sniffing, "JSON MIME type").
    static func isJSON(_ values: [String]) -> Bool {
        guard values.count == 1 else { return false }
        let type = values[0].utf8.prefix { $0 != UInt8(ascii: ";") }.filter { $0 != 0x20 && $0 != 0x09 }
            .map(\.asciiLowercased)
        let names = ["application/json", "text/json"]
        return names.contains { type.elementsEqual($0.utf8) }
            || (type.contains(UInt8(ascii: "/")) && type.suffix(5).elementsEqual("+json".utf8))
    }

    /// From 5 minutes to 24 hours, one hour without a `max-age`: a provider must be able neither to have us call for each
    /// visitor, nor to keep a withdrawn key alive.
    static func lifetime(_ cacheControl: [String]) -> Duration {
        var seconds: Int?
        for part in cacheControl.joined(separator: ",").lowercased().split(separator: ",") {
            let directive = part.drop { $0 == " " }
            if directive.hasPrefix("no-store") || directive.hasPrefix("no-cache") { return .minutes(5) }
            guard directive.hasPrefix("max-age=") else { continue }
            let digits = directive.dropFirst("max-age=".count).prefix { $0 != " " }
            guard !digits.isEmpty, digits.utf8.allSatisfy(\.isASCIIDigit) else { continue }
            // More digits than an Int holds are a long time.
            seconds = min(seconds ?? .max, Int(digits) ?? .max)
        }
        guard let seconds else { return .hours(1) }
        return .seconds(min(max(seconds, 300), 86400))
    }
}
