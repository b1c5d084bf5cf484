import Foundation

/// The parts of App Store Connect's JSON:API documents that are used here.
///
/// Source: Apple, "App Store Connect API", Bundle IDs and Bundle ID Capabilities.
enum StoreConnectMessages {
    struct BundleIDs: Decodable {
        struct Item: Decodable {
            struct Attributes: Decodable {
                let identifier: String
                let name: String?
                /// The prefix of its application identifier.
                let seedId: String?
            }

            let id: String
            let attributes: Attributes
        }

        let data: [Item]
        let links: Links?
    }

    struct Capabilities: Decodable {
        struct Item: Decodable {
            struct Attributes: Decodable { let capabilityType: String? }

            let attributes: Attributes?
        }

        let data: [Item]
        let links: Links?
    }

    struct Links: Decodable { let next: String? }

    struct Errors: Decodable {
        struct Item: Decodable { let code, title, detail: String? }

        let errors: [Item]

        /// Apple's words in one line: titles and details, without what is said twice.
        var words: String {
            errors.prefix(3).map { item in
                let parts = [item.title, item.detail == item.title ? nil : item.detail].compactMap(\.self)
                return parts.joined(separator: " ") + (item.code.map { " [\($0)]" } ?? "")
            }.joined(separator: " ")
        }
    }

    /// The request that adds the capability.
    struct NewCapability: Encodable {
        struct Content: Encodable {
            struct Attributes: Encodable { let capabilityType = "ASSOCIATED_DOMAINS" }
            struct Relationships: Encodable {
                struct BundleID: Encodable {
                    struct Reference: Encodable {
                        let type = "bundleIds"
                        let id: String
                    }

                    let data: Reference
                }

                let bundleId: BundleID
            }

            let type = "bundleIdCapabilities"
            let attributes = Attributes()
            let relationships: Relationships
        }

        let data: Content

        init(bundleID id: String) {
            data = Content(relationships: .init(bundleId: .init(data: .init(id: id))))
        }
    }
}
