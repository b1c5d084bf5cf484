import IdPClients
import IdPFlow
import IdPOperations
import SSOShared
import SSOWeb
import Storage

struct RotateAction: ServiceAction {
    static let id = "service_rotate"
    static let path = "/admin/services/:id/rotate"
    static let title = Text("admin.service-rotate-title")
    static let done = Text("admin.done-secret")
    let desk: AdminDesk

    func plan(
        _ view: ClientView, _ asked: AdminAsked, _ connection: any SQLConnection
    ) throws -> (Text, [Text], typed: String?, names: String) {
        guard view.secrets.count == 1, let current = view.secrets.first else {
            throw AdminRefusal(Text("admin.no-rotation"), client: view.client.id)
        }
        return (
            Text("admin.service-rotate", ["name": view.client.name]),
            [
                Text("admin.effect-rotate", ["fingerprint": current.fingerprint]), Text("admin.effect-secret-once"),
                Text("admin.effect-admins-told"),
            ], nil, "secret"
        )
    }

    func make(_ asked: AdminAsked, _ context: ChangeContext, _ connection: any SQLConnection) throws -> AdminOutcome {
        let (text, secret, box) = try secret(context)
        let view = try RotateSecret(
            asked.id, to: secret, endingAfter: ClientLimits.unusedSecretEndsAfter, box, registrar
        ).make(context, connection).result
        return .shown(ServiceLines.blocks(of: view.client, secret: text, desk))
    }
}

struct RetireAction: ServiceAction {
    static let id = "service_retire"
    static let path = "/admin/services/:id/retire"
    static let title = Text("admin.service-retire-title")
    static let done = Text("admin.done-retired")
    let desk: AdminDesk

    func plan(
        _ view: ClientView, _ asked: AdminAsked, _ connection: any SQLConnection
    ) throws -> (Text, [Text], typed: String?, names: String) {
        guard let previous = view.secrets.first(where: { !$0.isCurrent }) else {
            throw AdminRefusal(Text("admin.no-previous"), client: view.client.id)
        }
        let isUsed = previous.use.map { desk.parts.clock.now() - $0.last <= .hours(1) } ?? false
        return (
            Text("admin.service-retire", ["name": view.client.name]),
            [Text("admin.effect-retire", ["fingerprint": previous.fingerprint])]
                + (isUsed ? [Text("admin.effect-in-use")] : []) + desk.adminsTold,
            isUsed ? view.client.id : nil, "secret"
        )
    }

    func make(_ asked: AdminAsked, _ context: ChangeContext, _ connection: any SQLConnection) throws -> AdminOutcome {
        _ = try RetireSecret(asked.id, isForced: true, registrar).make(context, connection)
        return .done(nil)
    }
}

struct DisableServiceAction: ServiceAction {
    static let id = "service_disable"
    static let path = "/admin/services/:id/disable"
    static let title = Text("admin.service-disable-title")
    static let done = Text("admin.done-service")
    let desk: AdminDesk

    func plan(
        _ view: ClientView, _ asked: AdminAsked, _ connection: any SQLConnection
    ) throws -> (Text, [Text], typed: String?, names: String) {
        guard view.isEnabled else { throw AdminRefusal(Text("admin.is-disabled"), client: view.client.id) }
        let users = try AdminView.losing(.groups([]), at: view.client.id, connection)
        return (
            Text("admin.service-disable", ["name": view.client.name]),
            [Text("admin.effect-service-off"), Text("admin.effect-lost", count: users, ["name": view.client.name])],
            nil, "disabled"
        )
    }

    func make(_ asked: AdminAsked, _ context: ChangeContext, _ connection: any SQLConnection) throws -> AdminOutcome {
        _ = try EnableClient(asked.id, false, registrar).make(context, connection)
        return .done(nil)
    }
}

struct EnableServiceAction: ServiceAction {
    static let id = "service_enable"
    static let path = "/admin/services/:id/enable"
    static let title = Text("admin.service-enable-title")
    static let done = Text("admin.done-service")
    let desk: AdminDesk

    func plan(
        _ view: ClientView, _ asked: AdminAsked, _ connection: any SQLConnection
    ) throws -> (Text, [Text], typed: String?, names: String) {
        guard !view.isEnabled else { throw AdminRefusal(Text("admin.not-disabled"), client: view.client.id) }
        return (
            Text("admin.service-enable", ["name": view.client.name]), [Text("admin.effect-service-on")], nil, "enabled"
        )
    }

    func make(_ asked: AdminAsked, _ context: ChangeContext, _ connection: any SQLConnection) throws -> AdminOutcome {
        _ = try EnableClient(asked.id, true, registrar).make(context, connection)
        return .done(nil)
    }
}

struct RemoveServiceAction: ServiceAction {
    static let id = "service_remove"
    static let path = "/admin/services/:id/remove"
    static let title = Text("admin.service-remove-title")
    static let done = Text("admin.done-service-removed")
    let desk: AdminDesk

    func plan(
        _ view: ClientView, _ asked: AdminAsked, _ connection: any SQLConnection
    ) throws -> (Text, [Text], typed: String?, names: String) {
        guard !view.isEnabled else { throw AdminRefusal(Text("admin.is-enabled"), client: view.client.id) }
        return (
            Text("admin.service-remove", ["name": view.client.name]), [Text("admin.effect-service-gone")],
            view.client.id, "removed"
        )
    }

    func make(_ asked: AdminAsked, _ context: ChangeContext, _ connection: any SQLConnection) throws -> AdminOutcome {
        _ = try RemoveClient(asked.id, registrar).make(context, connection)
        return .done(AdminPath.services)
    }
}
