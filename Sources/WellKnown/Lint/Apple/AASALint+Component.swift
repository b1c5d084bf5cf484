import SSOShared

extension AASALint {
    /// One component: its keys, their types, its patterns.
    mutating func component(
        _ component: AppLinksComponent, _ name: @autoclosure () -> String,
        _ defaults: [(origin: ValueOrigin, fields: ComponentFields)]
    ) {
        guard let fields = component.fields else { return }
        _ = unknownKeys(
            fields.unknownMembers, known: ComponentFields.keys, in: name(), as: AppleComponentRules.unknownKey)
        let merged = MergedFields(layers: [(.component, fields)] + defaults, wrongTypeKeepsDefault: false)
        let known = fields.node.object?.contains { ComponentFields.keys.contains($0.key) && $0.key != "comment" }
        let hasDefault = defaults.contains {
            $0.fields.node.object?.contains { ["/", "?", "#"].contains($0.key) } == true
        }
        if known != true, !hasDefault {
            sheet.add(
                AppleComponentRules.emptyComponent, at: component.node,
                "\(name().capitalizedFirst) sets nothing that systems know, and matches every address")
            remarked.insert(component.node.range.lowerBound)
            empty.insert(component.node.range.lowerBound)
        }
        if fieldTypes(fields) { remarked.insert(component.node.range.lowerBound) }
        let reading = PatternReading(
            isEncoded: merged.value(\.percentEncoded, builtIn: true).content, isLegacy: false,
            folds: !merged.value(\.caseSensitive, builtIn: true).content)
        if !reading.isEncoded { decodes = true }
        if let path = fields.path.value, let node = fields.path.member?.value { self.path(path, node, reading) }
        if let fragment = fields.fragment.value, let node = fields.fragment.member?.value {
            characters(fragment, node, reading)
        }
        query(fields, name(), reading, isExclude: merged.value(\.exclude, builtIn: false).content)
    }

    /// Values that are ignored for their type; `defaults` have the same keys.
    ///
    /// - Returns: whether a pattern is among them: then the rule is wider than it reads, and that has been said.
    @discardableResult
    mutating func fieldTypes(_ fields: ComponentFields) -> Bool {
        defer { exclude(fields) }
        let rules = AppleComponentRules.self
        let texts = [("/", fields.path), ("#", fields.fragment)]
        for case (let key, .wrongType(let member)) in texts {
            sheet.add(
                rules.type, at: member.value,
                "\(key.quoted) is \(member.value.typeName), and counts as \"*\"; it must be a string")
        }
        for case (let key, .wrongType(let member)) in [
            ("caseSensitive", fields.caseSensitive), ("percentEncoded", fields.percentEncoded),
        ] {
            sheet.add(
                rules.type, at: member.value, "\(key) is \(member.value.typeName); it must be true or false",
                fix: "Write true or false, without quotes.")
        }
        guard case .wrongType(let member) = fields.query else {
            return fields.path.isWrongType || fields.fragment.isWrongType
        }
        switch member.value.value {
        case .array: sheet.add(rules.queryArray, at: member.value, "\"?\" is a list, and is ignored")
        case .object(let items):
            for item in items where item.value.string == nil {
                sheet.add(
                    rules.queryType, at: item.value,
                    "The pattern of \(item.key.quoted) is \(item.value.typeName): the whole dictionary is ignored")
            }
        default:
            sheet.add(
                rules.type, at: member.value, "\"?\" is \(member.value.typeName), and counts as \"*\"",
                fix: "Write a string, or a dictionary of names and patterns.")
        }
        return true
    }

    private mutating func exclude(_ fields: ComponentFields) {
        guard case .wrongType(let member) = fields.exclude else { return }
        let value = member.value.string.map { " \($0.quoted)" } ?? ""
        sheet.add(
            AppleComponentRules.excludeType, at: member.value,
            "exclude is \(member.value.typeName)\(value), and counts as false; it must be true or false")
    }

    private mutating func query(
        _ fields: ComponentFields, _ name: @autoclosure () -> String, _ reading: PatternReading, isExclude: Bool
    ) {
        let rules = AppleComponentRules.self
        switch fields.query.value {
        case .whole(let pattern):
            if let node = fields.query.member?.value {
                characters(pattern, node, reading)
                doubleStar(pattern, node)
            }
        case .items(let items):
            let isOpen = items.allSatisfy { $0.pattern.utf8.allSatisfy { $0 == UInt8(ascii: "*") } }
            for item in items {
                let isAnything = !item.pattern.isEmpty && item.pattern.utf8.allSatisfy { $0 == UInt8(ascii: "*") }
                if isAnything, isExclude, isOpen {
                    sheet.add(
                        rules.queryStarExclude, at: item.member.value,
                        "\(name().capitalizedFirst) excludes its addresses without \(item.name.quoted), too: \"*\" matches the absent item"
                    )
                } else if isAnything {
                    sheet.add(
                        rules.queryStarNoOp, at: item.member.value,
                        "\"*\" also matches addresses without \(item.name.quoted)")
                }
                if item.name.hasSuffix("[]") || item.name.uppercased().hasSuffix("%5B%5D"), !isAnything {
                    sheet.add(
                        rules.queryRepeated, at: item.member,
                        "\(item.name.quoted) usually repeats: all its values must match the pattern")
                }
                characters(item.pattern, item.member.value, reading)
                doubleStar(item.pattern, item.member.value)
                // A name is no pattern, and is compared as it is sent.
                if reading.isEncoded, item.name.utf8.contains(where: { $0 >= 0x80 }) {
                    sheet.add(
                        ApplePathRules.nonASCII, at: item.member,
                        "the item name \(item.name.quoted) is never sent like this: the rule matches nothing",
                        fix: "Write \(PatternEscapes.encoded(item.name).quoted), or set percentEncoded to false.")
                }
            }
        case nil: break
        }
    }
}

extension String {
    /// The first letter in upper case: for the beginning of a sentence.
    var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
