import IdPClients
import IdPFlow
import IdPOperations
import SSOShared
import SSOWeb
import Storage

/// A change of one client of the database, which `:id` of its path names.
protocol ServiceAction: AdminAction {
    var desk: AdminDesk { get }
    func plan(
        _ view: ClientView, _ asked: AdminAsked, _ connection: any SQLConnection
    ) throws -> (Text, [Text], typed: String?, names: String)
}

extension ServiceAction {
    var registrar: ClientRegistrar { ClientRegistrar(file: desk.file) }

    func view(_ asked: AdminAsked, _ connection: any SQLConnection) throws -> ClientView {
        let views = try AdminView.clients(file: desk.file, connection)
        guard let view = views.first(where: { $0.client.id.utf8.elementsEqual(asked.id.utf8) }) else {
            throw PublicError.notFound
        }
        guard view.entry != nil else {
            throw AdminRefusal(
                Text("admin.file-lines", ["place": view.client.origin.place ?? ""]), client: view.client.id)
        }
        return view
    }

    func plan(_ asked: AdminAsked, by admin: Admin, _ connection: any SQLConnection) throws -> AdminPlan {
        let view = try view(asked, connection)
        let (title, effects, typed, names) = try plan(view, asked, connection)
        let secrets = view.secrets.map(\.fingerprint).joined(separator: " ")
        return AdminPlan(
            title, effects, home: AdminPath.service(view.client.id), typed: typed, client: view.client.id,
            state: "\(view.isEnabled) \(secrets) \(view.entry?.fileText(of: desk.protocols) ?? "")", names: names)
    }

    /// A new secret, and the seal for it.
    func secret(_ context: ChangeContext) throws -> (String, SharedSecret, ClientSecretBox) {
        let text = Hex.encode(try context.randomness.bytes(32))
        return (
            text, try SharedSecret.parse(text, setting: "the new secret"),
            ClientSecretBox(keys: desk.parts.keys, randomness: context.randomness)
        )
    }
}

struct AddServiceAction: AdminAction {
    static let id = "service_add"
    static let path = "/admin/services/add"
    static let title = Text("admin.service-add")
    static let done = Text("admin.done-service")
    let desk: AdminDesk

    func fields(_ asked: AdminAsked, _ connection: any SQLConnection) throws -> [AdminField] {
        [
            AdminField(
                "protocol", Text("admin.protocol"),
                options: desk.protocols.ids.map { ($0, Text("admin.value", ["value": $0])) }),
            AdminField("id", Text("admin.service-id"), hint: Text("admin.service-id-hint"), isRequired: true),
            AdminField("name", Text("admin.key-name"), isRequired: true),
            AdminField(
                "address", Text("admin.service-address"), hint: Text("admin.service-address-hint"), isArea: true,
                isRequired: true),
            AdminField(
                "groups", Text("admin.key-groups"), hint: Text("admin.access-hint"), isArea: true),
        ]
    }

    private func addressKey(_ asked: AdminAsked) -> String? {
        desk.protocols.all.first { $0.id == asked.text("protocol") }?.addressKey
    }

    private func entry(_ asked: AdminAsked) -> ClientEntry {
        var entry = ClientEntry(id: asked.text("id"))
        entry["name"] = .text(asked.text("name"))
        let kind = asked.text("protocol")
        if kind != desk.protocols.ids.first { entry["protocols"] = .list([kind]) }
        let (key, lines) = (addressKey(asked), asked.lines("address"))
        if let key, !lines.isEmpty { entry[key] = key == "redirect_uris" ? .list(lines) : .text(asked.text("address")) }
        let groups = asked.lines("groups")
        entry[groups.isEmpty ? "access" : "groups"] = groups.isEmpty ? .text("everyone") : .list(groups)
        return entry
    }

    func plan(_ asked: AdminAsked, by admin: Admin, _ connection: any SQLConnection) throws -> AdminPlan {
        guard let address = addressKey(asked) else { throw AdminProblems("protocol", Text("admin.protocol-wrong")) }
        let labels = ["id": Text("admin.service-id"), address: Text("admin.service-address")]
        let client: Client
        do {
            client = try ServiceEntry(protocols: desk.protocols).check(entry(asked), logo: nil, labels: labels)
        } catch let error as AdminProblems {
            throw AdminProblems(error.all.map { ($0.field == address ? "address" : $0.field, $0.text) })
        }
        let views = try AdminView.clients(file: desk.file, connection)
        guard !views.contains(where: { $0.client.id == client.id }) else {
            throw AdminProblems("id", Text("admin.service-there"))
        }
        for group in asked.lines("groups") where try AdminView.group(group, connection) == nil {
            throw AdminProblems("groups", Text("admin.no-group", ["name": AdminWriter.cut(group)]))
        }
        let groups = asked.lines("groups")
        let access: Text =
            groups.isEmpty
            ? Text("admin.effect-everyone") : Text("admin.effect-groups", ["names": groups.joined(separator: ", ")])
        return try AdminPlan(
            Text("admin.service-add-named", ["name": client.name]),
            [Text("admin.effect-service"), access]
                + client.redirectURIs.map { Text("admin.effect-address", ["address": $0]) }
                + (client.hasNoSecret ? [] : [Text("admin.effect-secret-once")])
                + desk.warnings(about: client, before: nil, connection) + desk.adminsTold,
            home: AdminPath.service(client.id), client: client.id, names: "added")
    }

    func make(_ asked: AdminAsked, _ context: ChangeContext, _ connection: any SQLConnection) throws -> AdminOutcome {
        let text = Hex.encode(try context.randomness.bytes(32))
        let secret = try SharedSecret.parse(text, setting: "the new secret")
        let box = ClientSecretBox(keys: desk.parts.keys, randomness: context.randomness)
        let added = try AddClient(
            asked.text("id"), entry(asked), logo: nil, secret: secret, box, ClientRegistrar(file: desk.file)
        ).make(context, connection)
        return .shown(ServiceLines.blocks(of: added.result.client, secret: text, desk))
    }
}

struct ChangeServiceAction: ServiceAction {
    static let id = "service_change"
    static let path = "/admin/services/:id/change"
    static let title = Text("admin.service-change-title")
    static let done = Text("admin.done-service")
    let desk: AdminDesk

    private var keys: ServiceEntry { ServiceEntry(protocols: desk.protocols) }

    func title(_ asked: AdminAsked, _ connection: any SQLConnection) throws -> Text {
        Text("admin.service-change", ["name": try view(asked, connection).client.name])
    }

    func fields(_ asked: AdminAsked, _ connection: any SQLConnection) throws -> [AdminField] {
        let views = try AdminView.clients(file: desk.file, connection)
        let entry = views.first { $0.client.id.utf8.elementsEqual(asked.id.utf8) }?.entry
        return entry.map(keys.fields) ?? []
    }

    func plan(
        _ view: ClientView, _ asked: AdminAsked, _ connection: any SQLConnection
    ) throws -> (Text, [Text], typed: String?, names: String) {
        guard let entry = view.entry else { throw PublicError.notFound }
        let changes = keys.changes(asked, to: entry)
        guard !changes.isEmpty else { throw AdminProblems("name", Text("admin.no-change")) }
        var changed = entry
        for (key, value) in changes { changed[key] = value }
        let client = try keys.check(changed, logo: view.client.logo?.content)
        var effects = changes.keys.sorted().map { key in
            Text(
                "admin.effect-key",
                ["key": key, "before": Self.text(entry[key]), "after": Self.text(changed[key])])
        }
        let lost = view.isEnabled ? try AdminView.losing(client.access, at: client.id, connection) : 0
        if lost > 0 { effects.append(Text("admin.effect-lost", count: lost, ["name": client.name])) }
        effects += try desk.warnings(about: client, before: view.client, connection)
        return (
            Text("admin.service-change", ["name": view.client.name]), effects, nil,
            changes.keys.sorted().joined(separator: " ")
        )
    }

    private static func text(_ value: ClientEntry.Value?) -> String {
        switch value {
        case .text(let text)?: AdminWriter.cut(text)
        case .list(let items)?: items.map(AdminWriter.cut).joined(separator: ", ")
        case nil: "–"
        }
    }

    func make(_ asked: AdminAsked, _ context: ChangeContext, _ connection: any SQLConnection) throws -> AdminOutcome {
        guard let entry = try view(asked, connection).entry else { throw PublicError.notFound }
        _ = try SetClient(asked.id, keys.changes(asked, to: entry), logo: nil, isForced: true, registrar)
            .make(context, connection)
        return .done(nil)
    }
}

/// Registers an address that was refused. Anybody can send the id of a service with an address of their own: so the host of one that
/// the service has not registered must be typed.
struct RegisterAction: ServiceAction {
    static let id = "service_register"
    static let takesLinks = true
    static let path = "/admin/services/:id/register"
    static let title = Text("admin.service-register-title")
    static let done = Text("admin.done-registered")
    static let isFinal = false
    let desk: AdminDesk

    func title(_ asked: AdminAsked, _ connection: any SQLConnection) throws -> Text {
        Text("admin.service-register", ["name": try view(asked, connection).client.name])
    }

    func fields(_ asked: AdminAsked, _ connection: any SQLConnection) throws -> [AdminField] {
        [AdminField("address", Text("admin.key-redirect"), hint: Text("admin.register-hint"), isRequired: true)]
    }

    private func entry(_ view: ClientView, _ asked: AdminAsked) throws -> ClientEntry {
        guard var entry = view.entry else { throw PublicError.notFound }
        entry["redirect_uris"] = .list(view.client.redirectURIs + [asked.text("address")])
        return entry
    }

    func plan(
        _ view: ClientView, _ asked: AdminAsked, _ connection: any SQLConnection
    ) throws -> (Text, [Text], typed: String?, names: String) {
        let address = asked.text("address")
        guard !view.client.redirectURIs.contains(where: { $0.utf8.elementsEqual(address.utf8) }) else {
            throw AdminProblems("address", Text("admin.address-there"))
        }
        let client: Client
        do {
            client = try ServiceEntry(protocols: desk.protocols)
                .check(entry(view, asked), logo: view.client.logo?.content)
        } catch let problems as AdminProblems { throw AdminProblems(problems.all.map { ("address", $0.text) }) }
        let nearest = Client.nearest(to: Array(address.utf8), in: view.client.redirectURIs)
        let host = Self.host(of: address)
        let isKnown = view.client.redirectURIs.contains { Self.host(of: $0).utf8.elementsEqual(host.utf8) }
        return try (
            Text("admin.service-register", ["name": view.client.name]),
            [Text("admin.effect-address", ["address": address])]
                + (nearest.map { [Text("admin.effect-nearest", ["address": $0])] } ?? [])
                + (isKnown ? [] : [Text("admin.effect-new-host", ["host": host])])
                + desk.warnings(about: client, before: view.client, connection) + desk.adminsTold,
            isKnown ? nil : host, "redirect_uris"
        )
    }

    /// Scheme, host and port, byte for byte as they are written: what comes before the third slash.
    static func host(of address: String) -> String {
        let parts = address.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        return parts.count >= 3 ? parts.prefix(3).joined(separator: "/") : String(address.prefix { $0 != "/" })
    }

    func make(_ asked: AdminAsked, _ context: ChangeContext, _ connection: any SQLConnection) throws -> AdminOutcome {
        let view = try view(asked, connection)
        let values: [String: ClientEntry.Value?] = ["redirect_uris": try entry(view, asked)["redirect_uris"]]
        _ = try SetClient(asked.id, values, logo: nil, registrar).make(context, connection)
        return .done(nil)
    }
}
