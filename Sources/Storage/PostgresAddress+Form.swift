import Glibc

extension PostgresAddress {
    /// A part of an address that is printed: by us, by libpq and by the server.
    package enum Part: String, CaseIterable {
        case host, hostaddr, port, user, dbname

        /// Whether a value can be what the part says. One that cannot may be half of a password that was not percent-encoded.
        package func hasForm(_ value: String) -> Bool {
            switch self {
            case .host: Self.list(value).allSatisfy { Self.isSocket($0) || Self.isName($0) || Self.isAddress($0) }
            case .hostaddr: Self.list(value).allSatisfy { $0.isEmpty || Self.isAddress($0) }
            case .port: Self.list(value).allSatisfy { $0.isEmpty || Self.isPort($0) }
            case .user: Self.isIdentifier(value, also: "@")
            case .dbname: Self.isIdentifier(value, also: "")
            }
        }

        private static func list(_ text: String) -> [String] {
            text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }

        /// A folder, or an abstract socket of Linux.
        private static func isSocket(_ text: String) -> Bool {
            text.isEmpty || text.wholeMatch(of: /[\/@][\p{L}\p{N}\/._+~-]*/) != nil
        }

        private static func isName(_ text: String) -> Bool {
            text.count <= 255 && text.wholeMatch(of: /[\p{L}\p{N}._-]+/) != nil
        }

        private static func isAddress(_ text: String) -> Bool {
            var bytes = in6_addr()
            let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            if parts.count == 2, parts[1].wholeMatch(of: /[A-Za-z0-9._-]{1,15}/) == nil { return false }
            if inet_pton(AF_INET6, parts[0], &bytes) == 1 { return true }
            return parts.count == 1 && inet_pton(AF_INET, text, &bytes) == 1
        }

        private static func isPort(_ text: String) -> Bool {
            text.wholeMatch(of: /[0-9]{1,5}/) != nil && Int(text).map { (1...65_535).contains($0) } == true
        }

        private static func isIdentifier(_ text: String, also further: String) -> Bool {
            text.unicodeScalars.allSatisfy {
                $0.properties.isAlphabetic || ("0"..."9").contains($0)
                    || ("_-.$+" + further).unicodeScalars.contains($0)
            }
        }
    }

    /// The first part that cannot be what it says.
    package static func misfit(of parameters: [String: String]) -> Part? {
        Part.allCases.first { part in parameters[part.rawValue].map { !part.hasForm($0) } ?? false }
    }
}
