/// The variants of the build for users.
extension GradleFile {
    struct Variant {
        /// The flavors of the variant, the most important first. Empty without flavors.
        let flavors: [String]
        let values: [String: String]
        /// `nil` if only a run of the build can say it.
        let applicationID: String?
        let minimumSDK, targetSDK: Int?
        /// Settings whose value only a run of the build can say.
        let unread: [String]
    }

    private static let mostVariants = 60

    var variants: [Variant] {
        var groups: [[Int]] = []
        for dimension in dimensions.isEmpty ? Array(Set(flavors.map(\.dimension))).sorted() : dimensions {
            let own = flavors.indices.filter {
                flavors[$0].dimension == dimension || dimensions.count == 1 && flavors[$0].dimension.isEmpty
            }
            if !own.isEmpty { groups.append(own) }
        }
        var combinations: [[Int]] = [[]]
        for group in groups where combinations.count * group.count <= Self.mostVariants {
            combinations = combinations.flatMap { head in group.map { head + [$0] } }
        }
        return combinations.map(variant)
    }

    private func variant(_ chosen: [Int]) -> Variant {
        // The flavors of the first dimension win over those of the next ones.
        var scopes = [common] + chosen.reversed().map { flavors[$0].scope } + [release, changed]
        let suffixes = ([common] + chosen.map { flavors[$0].scope } + [release]).compactMap { $0["suffix"] }
        for index in scopes.indices { scopes[index]["suffix"] = nil }
        let merged = scopes.reduce(into: Scope()) { $0.merge($1) { $1 } }
        var id = merged["applicationId"] ?? (appliesOthers || isLibrary ? .unknown : namespace ?? .unknown)
        for suffix in suffixes {
            guard let head = id.text, let tail = suffix.text else {
                id = .unknown
                break
            }
            id = .text(tail.isEmpty ? head : head + (tail.hasPrefix(".") ? tail : ".\(tail)"))
        }
        var values: [String: String] = [:]
        for (name, value) in merged {
            guard let text = value.text else { continue }
            if name.hasPrefix("${") { values[String(name.dropFirst(2).dropLast())] = text }
            if name.hasPrefix("@") { values[name] = text }
        }
        if let text = id.text { values["applicationId"] = text }
        let unread = merged.filter { $0.value == .unknown }.keys.filter { !["minSdk", "targetSdk"].contains($0) }
        return Variant(
            flavors: chosen.map { flavors[$0].name }, values: values, applicationID: id.text,
            minimumSDK: merged["minSdk"]?.text.flatMap { Int($0) },
            targetSDK: merged["targetSdk"]?.text.flatMap { Int($0) }, unread: unread.sorted())
    }
}
