import HTTPTypes

/// The headers of every answer, as they are under one public address.
struct SecurityFields: Sendable {
    private let fixed: [(HTTPField.Name, String)]

    init(origin: PublicOrigin) {
        var fields: [(HTTPField.Name, String)] = [
            (.contentSecurityPolicy, ContentPolicy.forms),
            (.xContentTypeOptions, "nosniff"),
            (.referrerPolicy, "same-origin"),
            (.crossOriginOpenerPolicy, "same-origin"),
            (.crossOriginResourcePolicy, "same-origin"),
            (.frameOptions, "DENY"),
            (.permissionsPolicy, "camera=(), geolocation=(), microphone=()"),
            // What is public says so itself; everything else is personal until shown otherwise.
            (.cacheControl, "no-store"),
        ]
        if origin.isHTTPS {
            let scope = origin.includesSubdomains ? "; includeSubDomains" : ""
            fields.append((.strictTransportSecurity, "max-age=31536000\(scope)"))
        }
        fixed = fields
    }

    /// Adds those that are not there yet.
    func add(to headers: inout HTTPFields) {
        for (name, value) in fixed where headers[name] == nil { headers[name] = value }
    }
}
