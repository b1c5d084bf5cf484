@testable import IdPInboundMail

/// Authentication-Results in which text looks like a result and is none.
extension ReplyCorpus {
    var authenticationSyntax: [ReplySample] { hiddenResults + malformedResults }

    private var hiddenResults: [ReplySample] {
        let pass = "dkim=pass header.d=\(domain)"
        let texts: [(name: String, results: String)] = [
            ("in a comment", "dkim=fail (\(pass))"),
            ("in a nested comment", "dkim=fail ((x) (\(pass)) ; \(pass))"),
            ("in a comment with an escaped parenthesis", "dkim=fail (\\) ; \(pass))"),
            ("in a comment for the result", "dkim (=pass header.d=\(domain)) =fail header.d=\(domain)"),
            ("in a reason", "dkim=fail reason=\"; \(pass)\" header.d=\(domain)"),
            ("in a reason with an escaped quotation mark", "dkim=fail reason=\"x\\\"; \(pass)\" header.d=\(domain)"),
            ("in the sender of the envelope", "spf=fail smtp.mailfrom=\"x; \(pass); x\"@evil.example"),
            ("in the name of helo", "spf=none smtp.helo=\"x; \(pass)\""),
            ("behind a result without a semicolon", "spf=fail \(pass)"),
            ("a second result without a semicolon", "dkim=fail dkim=pass header.d=\(domain)"),
            ("a second result of the other kind", "dkim=pass dkim=fail header.d=\(domain)"),
            ("two domains in one result", "dkim=pass header.d=evil.example header.d=\(domain)"),
            ("two senders in one result", "spf=pass smtp.mailfrom=eve@evil.example smtp.mailfrom=\(address)"),
            ("an address for a domain", "dkim=pass header.d=evil@\(domain)"),
            ("two @ in the sender", "spf=pass smtp.mailfrom=eve@evil.example@\(domain)"),
            ("two @ behind a quoted local part", "spf=pass smtp.mailfrom=\"eve\"@evil.example@\(domain)"),
            ("a property of another type", "dkim=pass smtp.d=\(domain) policy.d=\(domain) body.d=\(domain)"),
            ("a property without a type", "dkim=pass d=\(domain)"),
        ]
        return texts.map { name, results in
            hostile("result \(name)", .notAuthenticated) { $0.results = ["\(authservID); \(results)"] }
        }
    }

    private var malformedResults: [ReplySample] {
        let pass = "dkim=pass header.d=\(domain)"
        let texts: [(name: String, results: String)] = [
            ("empty", ""), ("an id alone", authservID), ("no semicolon", "\(authservID) \(pass)"),
            ("version 2", "\(authservID) 2; \(pass)"),
            ("no id", "; \(pass)"), ("no id but a result, as Exchange Online writes", pass),
            ("a comment that does not end", "\(authservID); \(pass) (x"),
            ("a quoted string that does not end", "\(authservID); \(pass) reason=\"x"),
            ("a domain that goes on after a comment", "\(authservID); dkim=pass header.d=evil.example(x).\(domain)"),
            ("a domain before a quoted string", "\(authservID); dkim=pass header.d=\(domain)\"evil.example\""),
            ("a property right behind a quoted string", "\(authservID); dkim=pass reason=\"x\"header.d=\(domain)"),
            ("a domain in brackets", "\(authservID); spf=pass smtp.mailfrom=<\(address)>"),
            ("a list of domains", "\(authservID); dkim=pass header.d=evil.example,\(domain)"),
            ("a domain with a backslash", "\(authservID); dkim=pass header.d=evil.example\\\(domain)"),
            ("letters outside of ASCII", "\(authservID); dkim=pass header.d=\u{435}x\(domain)"),
            ("no result", "\(authservID); dkim header.d=\(domain)"),
            ("an empty result", "\(authservID); dkim= ; \(pass)"),
            ("two semicolons", "\(authservID); ; \(pass)"), ("none beside a result", "\(authservID); none; \(pass)"),
            ("no value", "\(authservID); dkim=pass header.d=; \(pass)"),
            ("no property", "\(authservID); dkim=pass header.=\(domain)"),
        ]
        return texts.map { name, results in
            hostile("results malformed: \(name)", .authenticationMalformed) { $0.results = [results] }
        }
    }
}
