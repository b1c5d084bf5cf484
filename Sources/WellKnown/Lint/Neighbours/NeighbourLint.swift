import SSOShared

/// Lints the neighbours of the association files: the codes `near.*`.
public enum NeighbourLint {
    /// The number of names that every browser accepts in `webauthn`. Source: Web Authentication Level 3, section 5.11.1.
    static let labels = 5

    /// The findings about the content of a file, in the order of the file.
    public static func findings(in body: [UInt8], as kind: Neighbour, file: String? = nil) -> [Finding] {
        if kind == .merchant { return merchant(body, file) }
        let document = JSONReader.read(body)
        var findings = FindingCollector(document, file: file)
        guard let root = document.root, document.errors.isEmpty else {
            let error = document.errors.first
            if let error {
                findings.add(NeighbourRules.form, at: error.offset, "The file is not JSON: \(error.message)")
            } else {
                findings.add(NeighbourRules.form, "The file is empty")
            }
            return findings.sorted
        }
        switch kind {
        case .webauthn: webauthn(root, &findings)
        case .passkeyEndpoints: passkeyEndpoints(root, &findings)
        case .changePassword, .merchant: break
        }
        return findings.sorted
    }

    private static func webauthn(_ root: JSONNode, _ findings: inout FindingCollector) {
        guard let origins = root["origins"]?.array, !origins.isEmpty else {
            let what = root.object == nil ? "is \(root.typeName), and must be an object" : "has no list \"origins\""
            return findings.add(NeighbourRules.form, at: root, "The file \(what)")
        }
        var names: [String] = []
        for node in origins {
            guard let text = node.string else {
                findings.add(
                    NeighbourRules.webauthnOrigin, at: node, "An element is \(node.typeName), and must be a string")
                continue
            }
            guard let address = try? SiteAddress(text), address.scheme == "https" else {
                findings.add(
                    NeighbourRules.webauthnOrigin, at: node, "\(text.quoted) is not the https origin of a site")
                continue
            }
            if !address.rest.isEmpty {
                findings.add(
                    NeighbourRules.webauthnOrigin, at: node, "\(text.quoted) has more than scheme, host and port",
                    severity: .info, fix: "Write \(address.origin.quoted).")
            }
            let name = label(of: address.host)
            guard !names.contains(name) else { continue }
            names.append(name)
            if names.count == labels + 1 {
                findings.add(
                    NeighbourRules.webauthnLabels, at: node,
                    "\(text.quoted) has the sixth name, \(name.quoted): browsers may ignore it and what follows")
            }
        }
    }

    /// The name of a site without its public suffix, for example `example` of `www.example.co.uk`.
    static func label(of host: String) -> String {
        let parts = host.split(separator: ".").map(String.init)
        guard parts.count > 1 else { return host }
        // co.uk, com.au and similar suffixes: a short label before a country code.
        let isLong = parts.count > 2 && parts[parts.count - 1].count == 2 && parts[parts.count - 2].count <= 3
        return parts[parts.count - (isLong ? 3 : 2)]
    }

    private static func passkeyEndpoints(_ root: JSONNode, _ findings: inout FindingCollector) {
        guard root.object != nil else {
            return findings.add(NeighbourRules.form, at: root, "The file is \(root.typeName), and must be an object")
        }
        let known = ["enroll", "manage"].compactMap { root[$0] }
        if known.isEmpty {
            findings.add(NeighbourRules.form, at: root, "The file has neither \"enroll\" nor \"manage\"")
        }
        for node in known {
            guard let text = node.string, let address = try? SiteAddress(text), address.scheme == "https" else {
                let shown = node.string.map(\.quoted) ?? node.typeName
                findings.add(NeighbourRules.passkeyURL, at: node, "\(shown) is not an https address")
                continue
            }
        }
    }

    /// The file is a JSON object in hexadecimal digits.
    private static func merchant(_ body: [UInt8], _ file: String?) -> [Finding] {
        func finding(_ message: String) -> [Finding] { [Finding(NeighbourRules.merchant, message, file: file)] }
        let text = body.drop { $0 <= 0x20 }
        guard let first = text.first else { return finding("The file is empty.") }
        guard first != UInt8(ascii: "<") else { return finding("The file is a page, not the domain association.") }
        var digits = Array(text)
        while let last = digits.last, last <= 0x20 { digits.removeLast() }
        guard let bytes = Hex.decode(String(decoding: digits, as: UTF8.self)) else {
            return finding("The file is not hexadecimal digits alone.")
        }
        guard let root = JSONReader.read(bytes).root, root.object != nil else {
            return finding("The digits do not hold a JSON object.")
        }
        let missing = ["pspId", "version", "signature"].filter { root[$0] == nil }
        return missing.isEmpty ? [] : finding("The digits hold no \(missing.joined(separator: ", no ")).")
    }
}
