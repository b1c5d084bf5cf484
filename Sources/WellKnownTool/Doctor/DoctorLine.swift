import SSOShared
import WellKnown

/// One line of the doctor's table: what two places say of the same thing.
struct DoctorLine: Sendable, Hashable {
    enum Verdict: String, Sendable, Hashable, CaseIterable {
        /// Both say the same.
        case agrees
        /// They do not, and links fail.
        case differs
        /// It works, or works for now, and somebody should look at it.
        case caution
        /// One of the places was not given or cannot say.
        case notChecked = "not checked"
    }

    enum Platform: String, Sendable, Hashable, CaseIterable {
        case ios = "iOS"
        case android = "Android"
    }

    /// A place and what it says. The value may quote a file.
    struct Side: Sendable, Hashable {
        let place: String
        let value: String

        init(_ place: String, _ value: String) { (self.place, self.value) = (place, value) }
    }

    /// The subject of the line that says whether the server's file can be read.
    static let file = "the file"

    let platform: Platform
    /// What was compared: "the app's id".
    let subject: String
    let left: Side
    let right: Side
    let verdict: Verdict
    /// What to do, one or two sentences; `nil` when nothing is.
    let advice: String?

    init(
        _ platform: Platform, _ subject: String, _ left: Side, _ right: Side, _ verdict: Verdict,
        _ advice: String? = nil
    ) {
        self.platform = platform
        self.subject = subject
        self.left = left
        self.right = right
        self.verdict = verdict
        self.advice = advice
    }
}

extension [DoctorLine] {
    /// Nothing differs; what was not given does not count.
    var isHealthy: Bool { allSatisfy { $0.verdict != .differs } }
    /// Something was compared at all: that a file can be read is no comparison.
    var isConclusive: Bool {
        contains { $0.verdict != .notChecked && !($0.subject == DoctorLine.file && $0.verdict == .agrees) }
    }
    /// What differs concerns other services of the domain, such as passwords: links are not among it.
    var isAboutLinks: Bool { contains { $0.verdict == .differs && !$0.subject.hasPrefix("the service ") } }
}

/// How the domain under examination relates to the hosts that entitlements and manifests name.
struct DoctorHost: Sendable, Hashable {
    /// Lower case, without a dot at the end.
    let name: String

    /// - Returns: `nil` for what is no host name: a URL, a port, a wildcard, an umlaut (write Punycode), an address.
    init?(_ text: String) {
        var bytes = Array(text.utf8)
        if bytes.last == UInt8(ascii: ".") { bytes.removeLast() }
        let labels = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let isName = labels.allSatisfy { label in
            (1...63).contains(label.count) && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
                && label.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "-") }
        }
        // A name whose last label is a number is an address.
        guard isName, labels.count >= 2, bytes.count <= 253, labels.last?.allSatisfy(\.isASCIIDigit) == false else {
            return nil
        }
        name = String(decoding: bytes, as: UTF8.self).lowercased()
    }

    /// Whether a host of an entitlement or of a manifest means this domain, letter case aside: the name itself, or a
    /// wildcard over it. `*.example.com` does not mean `example.com`.
    func isMeant(by pattern: String) -> Bool {
        let pattern = pattern.lowercased()
        guard pattern.hasPrefix("*.") else { return pattern == name }
        return name.hasSuffix(pattern.dropFirst())
    }
}
