import SSOShared

/// A link, split into the parts that association files match, as a browser sends it.
///
/// Escapes are not decoded, because devices compare the URL as sent. Dot segments are resolved, and an empty path becomes
/// `/`. A backslash before the query becomes a slash. The characters of the percent-encode set of each part and all
/// non-ASCII characters are percent-encoded, and a host outside ASCII becomes Punycode, as in browsers (WHATWG URL,
/// "percent-encoded bytes", "host parsing", "special authority ignore slashes state", "port state" and "path state").
public struct LinkURL: Sendable, Hashable, CustomStringConvertible {
    /// The reason why a text is not a link.
    public enum ParseError: String, Error, Sendable, Hashable, CaseIterable {
        case tooLong = "longer than 65,536 bytes"
        case scheme = "neither http:// nor https://"
        case host = "no host, or a character in it that no host has"
        case port = "a port that is not a number up to 65535"
        case control = "a control character"
        case blank = "a blank before or after the address"
    }

    /// The maximum size in bytes as sent. No known browser sends more.
    public static let longest = 65_536

    /// The whole URL as it is sent. It is ASCII, except for the host.
    let bytes: [UInt8]
    let hostRange: Range<Int>
    let pathRange: Range<Int>
    let queryRange: Range<Int>?
    let fragmentRange: Range<Int>?

    public let isSecure: Bool
    /// The port, or `nil` if the URL contains none or that of its scheme, which browsers leave out.
    public let port: Int?

    /// Whether the URL has a port other than the one of its scheme. The association files are fetched from 443 only.
    var hasUnusualPort: Bool { port != nil }

    /// The host in lower case. Hosts are compared without regard to case. They are not part of any pattern.
    public var host: String { text(hostRange) }
    /// The path from the first slash on, as sent.
    public var path: String { text(pathRange) }
    /// The query without the question mark, as sent, or `nil` without a query.
    public var query: String? { queryRange.map(text) }
    /// The fragment without the number sign, as sent, or `nil` without a fragment.
    public var fragment: String? { fragmentRange.map(text) }
    /// The query and the fragment with their marks. Empty without both.
    var tail: String { text(pathRange.upperBound..<bytes.count) }
    /// The URL without scheme and host.
    var address: String { path + tail }
    /// The whole URL as it is sent.
    public var description: String { text(0..<bytes.count) }

    /// The same URL at another host, for an example that has a placeholder as its host.
    public func text(host: String) -> String {
        text(0..<hostRange.lowerBound) + host + text(hostRange.upperBound..<bytes.count)
    }

    public init?(_ text: String) {
        do throws(ParseError) { self = try LinkURL(reading: text) } catch { return nil }
    }

    /// - Throws: the reason why the text is not a link.
    public init(reading text: String) throws(ParseError) {
        guard text.utf8.count <= Self.longest else { throw .tooLong }
        var source = Array(text.utf8)
        var isClean = true
        for byte in source where Self.needsCare.contains(byte) {
            guard byte >= 0x20, byte != 0x7f else { throw .control }
            isClean = false
        }
        guard source.first != 0x20, source.last != 0x20 else { throw .blank }
        if !isClean {
            let rest = source.firstIndex { $0 == 0x3f || $0 == 0x23 } ?? source.count
            for index in 0..<rest where source[index] == 0x5c { source[index] = 0x2f }
        }
        guard let (isSecure, start) = Self.schemeEnd(source) else { throw .scheme }
        self.isSecure = isSecure
        let end = source[start...].firstIndex { $0 == 0x2f || $0 == 0x3f || $0 == 0x23 } ?? source.count
        let authority = try Self.authority(source[start..<end])
        port = authority.port == (isSecure ? 443 : 80) ? nil : authority.port
        let isPortSent = port != nil || authority.host.upperBound == end
        let isCanonical = isClean && isPortSent && start == (isSecure ? 8 : 7)
        let hash = source[end...].firstIndex(of: 0x23) ?? source.count
        let mark = source[end..<hash].firstIndex(of: 0x3f) ?? hash
        let isLower = source[..<end].allSatisfy { $0 == $0.asciiLowercased }
        let path = Self.resolved(source[end..<mark])
        if isCanonical, isLower, mark > end, path == nil {
            bytes = source
            hostRange = authority.host
            pathRange = end..<mark
            queryRange = mark < hash ? mark + 1..<hash : nil
            fragmentRange = hash < source.count ? hash + 1..<source.count : nil
            return
        }

        var sent = Array(isSecure ? "https://".utf8 : "http://".utf8)
        sent.reserveCapacity(source.count + 8)
        sent += source[start..<authority.host.lowerBound]
        let hostStart = sent.count
        sent += try Self.host(source[authority.host])
        hostRange = hostStart..<sent.count
        if port != nil { sent += source[authority.host.upperBound..<end] }
        let pathStart = sent.count
        if mark == end { sent.append(0x2f) }
        Self.send(path ?? source[end..<mark], Self.pathSet, into: &sent)
        pathRange = pathStart..<sent.count
        queryRange = Self.send(part: source[mark..<hash], Self.querySet, into: &sent)
        fragmentRange = Self.send(part: source[hash...], Self.fragmentSet, into: &sent)
        guard sent.count <= Self.longest else { throw .tooLong }
        bytes = sent
    }

    /// Bytes that some part rejects or encodes.
    private static let needsCare = ByteSet(Array(0...0x20) + Array("\"<>\\^`{}'".utf8) + Array(0x7f...0xff))

    /// The percent-encode sets of WHATWG URL.
    private static let pathSet = ByteSet(Array(" \"<>^`{}".utf8) + Array(0x80...0xff))
    private static let querySet = ByteSet(Array(" \"<>'".utf8) + Array(0x80...0xff))
    private static let fragmentSet = ByteSet(Array(" \"<>`".utf8) + Array(0x80...0xff))

    private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    /// Where the authority begins. Any number of slashes may be before it.
    private static func schemeEnd(_ source: [UInt8]) -> (isSecure: Bool, start: Int)? {
        for scheme in ["https:", "http:"] {
            let head = source.prefix(scheme.utf8.count)
            if head.count == scheme.utf8.count, zip(head, scheme.utf8).allSatisfy({ $0.asciiLowercased == $1 }) {
                let start = source[head.count...].firstIndex { $0 != 0x2f } ?? source.count
                return (scheme == "https:", start)
            }
        }
        return nil
    }

    /// Reads `user@host:port`. The user is ignored, as it has no influence on matching.
    private static func authority(_ text: ArraySlice<UInt8>) throws(ParseError) -> (host: Range<Int>, port: Int?) {
        let start = text.lastIndex(of: 0x40).map { $0 + 1 } ?? text.startIndex
        do throws(HostPortError) {
            let parts = try HostPort.locate(in: text[start...], allowing: [.looseNames, .emptyPort, .portZero])
            return (parts.host, parts.port)
        } catch {
            switch error {
            case .invalidPort, .colons: throw .port
            case .missingHost, .invalidHost, .userInfo: throw .host
            }
        }
    }

    /// The host in lower case, and in Punycode if it is not ASCII.
    private static func host(_ text: ArraySlice<UInt8>) throws(ParseError) -> [UInt8] {
        guard text.contains(where: { $0 >= 0x80 }) else { return text.map(\.asciiLowercased) }
        guard let host = InternationalDomain.ascii(String(decoding: text, as: UTF8.self)) else { throw .host }
        return Array(host.utf8)
    }

    /// The path without its dot segments. `nil` if it has none.
    private static func resolved(_ path: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard path.contains(0x2e) || path.contains(0x25) else { return nil }
        let parts = path.split(separator: 0x2f, omittingEmptySubsequences: false)
        let dots = parts.map { dotCount($0) }
        guard dots.contains(where: { $0 > 0 }) else { return nil }
        var kept: [ArraySlice<UInt8>] = []
        for (part, dots) in zip(parts, dots) where dots != 1 {
            if dots == 2 { if kept.count > 1 { kept.removeLast() } } else { kept.append(part) }
        }
        // A dot segment at the end leaves its slash.
        if dots.last.map({ $0 > 0 }) ?? false { kept.append([]) }
        return Array(kept.joined(separator: [0x2f]))[...]
    }

    /// 1 for `.`, 2 for `..`, each also in its escaped form, and 0 for any other segment.
    private static func dotCount(_ segment: ArraySlice<UInt8>) -> Int {
        guard segment.count <= 6 else { return 0 }
        let text = String(decoding: segment, as: UTF8.self).lowercased().replacing("%2e", with: ".")
        return text == "." ? 1 : text == ".." ? 2 : 0
    }

    /// Appends a part with its separator, or does not append if the part is absent.
    private static func send(part: ArraySlice<UInt8>, _ set: ByteSet, into sent: inout [UInt8]) -> Range<Int>? {
        guard let mark = part.first else { return nil }
        sent.append(mark)
        let start = sent.count
        send(part.dropFirst(), set, into: &sent)
        return start..<sent.count
    }

    private static func send(_ part: ArraySlice<UInt8>, _ set: ByteSet, into sent: inout [UInt8]) {
        for byte in part {
            if set.contains(byte) { sent += PercentCoding.escape(byte) } else { sent.append(byte) }
        }
    }
}
