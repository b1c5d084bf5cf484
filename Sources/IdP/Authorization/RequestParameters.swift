import IdPFlow
package import SSOWeb

/// Reads the parameters of a client's request, in a query or a form. One that appears twice is an error for every protocol: two
/// programs could read it in two ways.
package struct RequestParameters: Sendable {
    let fields: URLEncodedFields

    package init(_ fields: URLEncodedFields) { self.fields = fields }

    /// A text of at most `longest` bytes. Nil for one that is missing or empty: an empty parameter counts as a missing one
    /// (RFC 6749 3.1).
    package func text(_ name: String, longest: Int = 2048) throws(ParameterError) -> String? {
        let text: String?
        do { text = try fields.text(name) } catch {
            throw ParameterError(name, error.isRepetition ? .repeated : .malformed)
        }
        guard let text, !text.isEmpty else { return nil }
        guard text.utf8.count <= longest else { throw ParameterError(name, .tooLong(longest)) }
        return text
    }

    package func required(_ name: String, longest: Int = 2048) throws(ParameterError) -> String {
        guard let text = try text(name, longest: longest) else { throw ParameterError(name, .missing) }
        return text
    }

    /// Refuses parameters that appear twice or cannot be read, also those that have no effect here.
    package func refuseUnclear(_ names: [String]) throws(ParameterError) {
        for name in names {
            if fields.count(name) > 1 { throw ParameterError(name, .repeated) }
            if fields.isUnreadable(name) { throw ParameterError(name, .malformed) }
        }
    }

    /// Whether a request has the parameter at all, also one that cannot be read.
    package func isGiven(_ name: String) -> Bool {
        do throws(ParameterError) { return try text(name) != nil } catch { return true }
    }

    /// The parameter, for logs and echoes; nil also for one that cannot be read.
    package func readable(_ name: String) -> [UInt8]? { (try? fields.bytes(name)) ?? nil }
}

/// What is wrong with a parameter.
package struct ParameterError: Error, Equatable {
    package enum Kind: Sendable, Equatable {
        case missing, repeated, malformed
        /// The most bytes that it may have.
        case tooLong(Int)
        /// What it must be, in the middle of a sentence.
        case wrong(String)
    }

    package let name: String
    package let kind: Kind

    package init(_ name: String, _ kind: Kind) { (self.name, self.kind) = (name, kind) }

    /// A stable id for logs.
    package var cause: String {
        switch kind {
        case .missing: "\(name)_missing"
        case .repeated: "\(name)_repeated"
        case .malformed: "\(name)_malformed"
        case .tooLong: "\(name)_too_long"
        case .wrong: "\(name)_wrong"
        }
    }

    /// One ASCII sentence for the client's developer.
    package var explanation: String {
        switch kind {
        case .missing: "\(name) is missing"
        case .repeated: "\(name) appears more than once"
        case .malformed: "\(name) is not percent-encoded UTF-8"
        case .tooLong(let bytes): "\(name) is longer than \(bytes) bytes"
        case .wrong(let rule): "\(name) must be \(rule)"
        }
    }
}
