import SSOShared

/// Reads one element of a list like Google's service: an ill-formed statement is skipped and reported.
///
/// Source: Digital Asset Links compatibility suite, comptest2001 to 3316. Every error of an element is reported, not
/// only the first, because their order is not specified.
struct StatementReading {
    var links: [AssetLink] = []
    var include: SiteAddress?
    var includeText = ""
    var faults: [String] = []

    init(_ statement: AssetStatement, source: LinkedAsset) {
        guard statement.isObject else {
            faults.append("the statement is not an object but \(statement.node.typeName)")
            return
        }
        if let member = statement.include.member {
            readInclude(member, in: statement)
        } else {
            readLinks(statement, source: source)
        }
    }

    private mutating func readInclude(_ member: JSONMember, in statement: AssetStatement) {
        let others = [
            ("relation", statement.relation.isAbsent), ("target", statement.target.isAbsent),
            ("relation_extensions", statement.relationExtensions.isAbsent),
        ].filter { !$0.1 }.map(\.0)
        for name in others { faults.append("invalid field \(name) beside include") }
        guard let text = member.value.string else {
            faults.append("include is not a string: not a valid URL")
            return
        }
        do {
            let address = try SiteAddress(text)
            guard others.isEmpty else { return }
            include = address
            includeText = text
        } catch .otherScheme(let scheme) {
            faults.append("include \(text.quoted) is not a valid URL: non-HTTP URL (\(scheme.quoted))")
        } catch .login {
            faults.append("include \(text.quoted) is not a valid URL: it cannot contain login information")
        } catch {
            faults.append("include \(text.quoted) is not a valid URL: \(error)")
        }
    }

    private mutating func readLinks(_ statement: AssetStatement, source: LinkedAsset) {
        var relations: [String] = []
        switch statement.relation {
        case .absent: faults.append("no relation array specified")
        case .wrongType: faults.append("relation is not an array")
        case .present(let elements, _):
            for element in elements {
                guard let text = element.string else {
                    faults.append("invalid relation: not a string but \(element.typeName)")
                    continue
                }
                if let fault = AssetRelation.fault(in: text) { faults.append(fault) } else { relations.append(text) }
            }
        }
        let targets: [LinkedAsset]
        switch statement.target {
        case .absent:
            faults.append("no target specified")
            return
        case .wrongType:
            faults.append("target is not an object")
            return
        case .present(let target, _):
            var reading = TargetReading()
            reading.read(target)
            faults += reading.faults
            targets = reading.targets
        }
        guard faults.isEmpty else { return }
        let extensions = statement.relationExtensions.value ?? []
        for relation in relations {
            let rules = extensions.last { $0.relation == relation }?.member.value
            for target in targets {
                links.append(AssetLink(source: source, relation: relation, target: target, extensions: rules))
            }
        }
    }
}

/// The targets of a statement. An app with two certificates is two targets.
private struct TargetReading {
    var targets: [LinkedAsset] = []
    var faults: [String] = []

    mutating func read(_ target: AssetTarget) {
        switch target.namespace.value {
        case "web": readSite(target)
        case "android_app": readApp(target)
        case nil where target.namespace.isAbsent: faults.append("no namespace field: unrecognized namespace")
        case nil: faults.append("namespace is not a string: unrecognized namespace")
        case let other?: faults.append("unrecognized namespace \(other.quoted)")
        }
    }

    private mutating func readSite(_ target: AssetTarget) {
        guard let site = target.site.value else {
            faults.append(
                target.site.isAbsent
                    ? "no site field in web asset descriptor" : "Invalid site: the site field is not a string")
            return
        }
        do {
            targets.append(try .web(site: site))
        } catch {
            faults.append(error.words)
        }
    }

    private mutating func readApp(_ target: AssetTarget) {
        let package = target.packageName.value ?? ""
        if target.packageName.isAbsent {
            faults.append("no package_name field in android app asset descriptor")
        } else if target.packageName.isWrongType {
            faults.append("invalid package name: the package_name field is not a string")
        } else if !LinkedAsset.isPackageName(package) {
            faults.append("invalid package name \(package.quoted)")
        }
        guard let elements = target.fingerprints.value else {
            faults.append(
                target.fingerprints.isAbsent
                    ? "no sha256_cert_fingerprints field in android app asset descriptor"
                    : "the sha256_cert_fingerprints field is not an array")
            return
        }
        if elements.isEmpty { faults.append("sha256_cert_fingerprints must contain at least one certificate") }
        for element in elements {
            guard let text = element.string else {
                faults.append("an element of sha256_cert_fingerprints is not a string: malformed cert")
                continue
            }
            if LinkedAsset.isFingerprint(text) {
                targets.append(.androidApp(packageName: package, fingerprint: text))
            } else {
                faults.append("malformed cert fingerprint \(text.quoted) in sha256_cert_fingerprints")
            }
        }
    }
}
