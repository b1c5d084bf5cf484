@testable import IdPInboundMail

/// Messages whose sender is not proved, whatever they say about it.
extension ReplyCorpus {
    var authentication: [ReplySample] { missingResults + unaligned + incompleteSignatures }

    private func results(_ name: String, _ reason: ReplyMessageError, _ results: String...) -> ReplySample {
        hostile("authentication: \(name)", reason) { $0.results = results }
    }

    private var missingResults: [ReplySample] {
        let pass = "dkim=pass header.d=\(domain)"
        return [
            hostile("authentication: none, From forged", .noAuthentication) { $0.results = [] },
            hostile("authentication: in other fields only", .noAuthentication) {
                $0.results = []
                $0.lines += [
                    "ARC-Authentication-Results: i=1; \(passed)", "X-Authentication-Results: \(passed)",
                    "Authentication-Results-Original: \(passed)", "Received-SPF: pass smtp.mailfrom=\(address)",
                ]
            },
            hostile("authentication: in an attached message only", .noAuthentication) {
                $0.results = []
                $0.multipart(
                    "mixed",
                    [
                        ["Content-Type: text/plain", "", number],
                        ["Content-Type: message/rfc822", "", "Authentication-Results: \(passed)", "", "text"],
                    ])
            },
            hostile("authentication: in the header of a part only", .noAuthentication) {
                $0.results = []
                $0.multipart("mixed", [["Authentication-Results: \(passed)", "", number]])
            },
            results("of another server", .otherAuthservID, "mx.evil.example; \(pass)"),
            results("of another server above ours", .otherAuthservID, "mx.evil.example; \(pass)", passed),
            results("of a name that begins like ours", .otherAuthservID, "\(authservID).evil.example; \(pass)"),
            results("of a name that ends like ours", .otherAuthservID, "evil.\(authservID); \(pass)"),
            results("our name in a comment", .otherAuthservID, "(\(authservID)) mx.evil.example; \(pass)"),
            results("our name as a quoted beginning", .otherAuthservID, "\"\(authservID); x\"; \(pass)"),
            results(
                "a forged pass below the real fail", .notAuthenticated, "\(authservID); dkim=fail header.d=\(domain)",
                passed),
            results("a forged pass below the real none", .notAuthenticated, "\(authservID); none", passed),
            results("none", .notAuthenticated, "\(authservID); none"),
            results(
                "dkim=none and spf=none", .notAuthenticated,
                "\(authservID); dkim=none; spf=none smtp.mailfrom=\(domain)"),
            results("dkim=neutral", .notAuthenticated, "\(authservID); dkim=neutral header.d=\(domain)"),
            results("dkim=policy", .notAuthenticated, "\(authservID); dkim=policy header.d=\(domain)"),
            // The mail server judges the time of a signature (x=).
            results(
                "an expired signature", .notAuthenticated,
                "\(authservID); dkim=fail (signature expired) header.d=\(domain)"),
            results("dkim=passed", .notAuthenticated, "\(authservID); dkim=passed header.d=\(domain)"),
            results("spf=softfail", .notAuthenticated, "\(authservID); spf=softfail smtp.mailfrom=\(address)"),
            results("dkim=pass without a domain", .notAuthenticated, "\(authservID); dkim=pass (good) header.s=s1"),
            results(
                "arc, dmarc and iprev only", .notAuthenticated,
                "\(authservID); arc=pass header.d=\(domain); dmarc=pass header.from=\(domain); iprev=pass policy.iprev=192.0.2.1"
            ),
            // It may name a subdomain of the domain that signed.
            results("dkim without header.d", .notAuthenticated, "\(authservID); dkim=pass header.i=@\(domain)"),
            results(
                "dkim without header.d for an address", .notAuthenticated,
                "\(authservID); dkim=pass header.i=\(address) header.s=s1"),
            results("domainkeys only", .notAuthenticated, "\(authservID); domainkeys=pass header.d=\(domain)"),
            results("sender-id only", .notAuthenticated, "\(authservID); sender-id=pass header.from=\(address)"),
            results("spf for helo only", .notAuthenticated, "\(authservID); spf=pass smtp.helo=\(domain)"),
            results("spf with an old property", .notAuthenticated, "\(authservID); spf=pass smtp.mail=\(address)"),
            results("dkim of another version", .notAuthenticated, "\(authservID); dkim/2=pass header.d=\(domain)"),
        ]
    }

    private var unaligned: [ReplySample] {
        let parent = domain.split(separator: ".").dropFirst().joined(separator: ".")
        let domains = [
            "evil.example", "mail.\(domain)", parent.isEmpty ? "com" : parent, "evil\(domain)",
            "\(domain).evil.example",
            "\(domain)evil", "\(domain.dropLast())", "xn--\(domain)", "*.\(domain)", ".\(domain)", "\(domain).",
        ]
        return domains.flatMap { other in
            [
                results("dkim of \(other)", .notAligned, "\(authservID); dkim=pass header.d=\(other)"),
                results("spf of \(other)", .notAligned, "\(authservID); spf=pass smtp.mailfrom=ann@\(other)"),
            ]
        } + [
            results(
                "dkim of evil.example with our domain as the identity", .notAligned,
                "\(authservID); dkim=pass header.d=evil.example header.i=@\(domain)"),
            results(
                "dkim fails, spf of another domain passes", .notAligned,
                "\(authservID); dkim=fail header.d=\(domain); spf=pass smtp.mailfrom=eve@evil.example"),
            results(
                "spf fails, dkim of another domain passes", .notAligned,
                "\(authservID); spf=fail smtp.mailfrom=\(address); dkim=pass header.d=evil.example header.from=\(domain)"
            ),
            results(
                "our domain in the local part", .notAligned,
                "\(authservID); spf=pass smtp.mailfrom=\"\(address)\"@evil.example"),
        ]
    }

    private var incompleteSignatures: [ReplySample] {
        let tags = "v=1; a=rsa-sha256; d=\(domain); s=s1; bh=x; b=y; "
        func signed(_ name: String, _ signatures: String...) -> ReplySample {
            hostile("signature: \(name)", .signatureIncomplete) {
                $0.results = ["\(authservID); dkim=pass header.d=\(domain)"]
                $0.signatures = signatures
            }
        }
        return [
            signed("l=", "\(tags)l=4; h=from:to:subject:date"),
            signed("l= in folded tags", "\(tags)\r\n\tl = 0;\r\n\th=from : to : subject : date"),
            signed("From not signed", "\(tags)h=to:subject:date"),
            signed("Subject not signed", "\(tags)h=from:to:date"),
            signed("Date not signed", "\(tags)h=from:to:subject"),
            signed("no list of fields", "\(tags)"),
            signed("two lists of fields", "\(tags)h=from:subject:date; h=to"),
            signed("a complete one added above one with l=", signature, "\(tags)l=4; h=from:to:subject:date"),
            signed("domain in other case", "v=1; d=\(domain.uppercased()); l=1; h=from:subject:date"),
        ]
    }
}
