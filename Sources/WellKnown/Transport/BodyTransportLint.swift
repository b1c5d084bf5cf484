/// Type, size and encoding of an answer with status 200.
enum BodyTransportLint {
    static func findings(_ answer: HTTPAnswer, _ seen: OriginObservation) -> [Finding] {
        type(answer, seen.file) + size(answer, seen.file) + encoding(answer, seen)
    }

    private static func type(_ answer: HTTPAnswer, _ file: AssociationKind) -> [Finding] {
        // Apple has never refused a type; Google's service and Android's documentation do.
        let severity: Severity = file == .aasa ? .warning : .error
        guard let value = answer["content-type"], let type = answer.mediaType, !type.isEmpty else {
            return [
                Finding(
                    TransportRules.contentType, "There is no content type; application/json is expected.",
                    severity: severity)
            ]
        }
        if type == "text/html" || type == "application/xhtml+xml" {
            return [Finding(TransportRules.contentTypeHTML, "The content type is \(value.quoted).")]
        }
        guard type == "application/json" else {
            return [
                Finding(
                    TransportRules.contentType, "The content type is \(value.quoted), not application/json.",
                    severity: severity)
            ]
        }
        guard file == .assetlinks, value.contains(";") else { return [] }
        return [Finding(TransportRules.contentTypeParameters, "The content type is \(value.quoted).")]
    }

    private static func size(_ answer: HTTPAnswer, _ file: AssociationKind) -> [Finding] {
        let count = answer.body.count
        if count > file.maximumBytes || answer.isTruncated {
            let shown = answer.isTruncated ? "more than \(count - 1)" : "\(count)"
            return [
                Finding(
                    TransportRules.tooLarge, "The file has \(shown) bytes; \(file.maximumBytes) are read.")
            ]
        }
        guard count > file.maximumBytes / 4 * 3 else { return [] }
        return [
            Finding(TransportRules.nearLimit, "The file has \(count) of \(file.maximumBytes) bytes.")
        ]
    }

    private static func encoding(_ answer: HTTPAnswer, _ seen: OriginObservation) -> [Finding] {
        let encoding = answer["content-encoding"].map { $0.lowercased() } ?? "identity"
        if encoding != "identity" {
            return [
                Finding(
                    TransportRules.encoding, "The body is \(encoding), though the request did not ask for compression.")
            ]
        }
        if TransportLint.isGzip(answer.body) {
            return [
                Finding(
                    TransportRules.encoding, "The body is gzip, and no Content-Encoding says so.", severity: .error)
            ]
        }
        if case .failure(.malformed(let text)) = seen.browser {
            return [Finding(TransportRules.encoding, "The compressed answer cannot be read: \(text).")]
        }
        return []
    }
}
