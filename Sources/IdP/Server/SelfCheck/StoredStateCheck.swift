import Foundation
package import IdPClients
import IdPMail
import IdPOperations
import IdPSignOut
import SSOShared
import SSOWeb
package import Storage

/// What waits in the database, how old the last backup is, and how much room is left for it.
struct StoredState: Sendable {
    var email, signOut, backup: Timestamp?
    var now: Timestamp

    init(_ connection: any SQLConnection, at now: Timestamp) throws {
        self.now = now
        email = try MailQueue.oldestWaiting(at: now, connection)
        signOut = try SignOutQueue(randomness: SystemRandomness()).waiting(connection).oldest
        backup = try AdminView.newest(["backup_made"], since: now - .days(3650), limit: 1, connection).first?.at
    }

    init(email: Timestamp? = nil, signOut: Timestamp? = nil, backup: Timestamp? = nil, now: Timestamp) {
        (self.email, self.signOut, self.backup, self.now) = (email, signOut, backup, now)
    }

    /// What an operator sees.
    var lines: [(name: String, shown: String)] {
        func text(_ moment: Timestamp?) -> String { moment.map { PlainDate.long($0) } ?? "none" }
        return [
            ("oldest waiting email", text(email)), ("oldest waiting sign-out", text(signOut)),
            ("last backup", text(backup)),
        ]
    }

    var warnings: [String] {
        var found: [String] = []
        if let email, now - email > .minutes(10) {
            found.append(
                "an email waits since \(PlainDate.long(email)): the mail server takes none, or no program runs. Look at mail_delivery_failed in the log."
            )
        }
        if let signOut, now - signOut > .hours(1) {
            found.append("a sign-out waits since \(PlainDate.long(signOut)): idp sign-outs list says why.")
        }
        if let backup, now - backup > .days(7) {
            found.append("the last backup was made at \(PlainDate.long(backup)). Make one: idp backup FILE")
        }
        return found
    }
}

/// The room that is left where a program writes.
package enum DiskSpace {
    private static let least: UInt64 = 20 << 20
    private static let few: UInt64 = 500 << 20

    /// The folder of a file.
    package static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// - Returns: nil where the system does not say.
    static func free(at folder: String) -> UInt64? {
        var status = statvfs()
        guard statvfs(folder, &status) == 0 else { return nil }
        return UInt64(status.f_bavail) * UInt64(status.f_frsize)
    }

    /// What is wrong with so little room; nil where there is enough.
    static func fault(_ free: UInt64, of folder: String) -> (text: String, isProblem: Bool)? {
        guard free < few else { return nil }
        let text =
            "the disk of \(folder) has \(free >> 20) MiB left. Without room nobody signs in: remove files, or make it larger."
        return (text, free < least)
    }
}

extension SettingsReader {
    /// Looks at what is stored, and changes nothing.
    ///
    /// - Returns: the clients of the database that are enabled.
    package func checkStoredState(_ location: DatabaseLocation, of protocols: ClientProtocols) async -> [Client] {
        let found = await location.reading { database in
            try await database.read { connection in
                let views = try ClientView.all(file: ClientRegistry([], of: protocols), connection)
                return (
                    try StoredState(connection, at: ServiceClock.system().now()),
                    views.filter(\.isEnabled).map(\.client)
                )
            }
        }
        guard let (state, clients) = found else { return [] }
        for line in state.lines { record(line.name, line.shown) }
        state.warnings.forEach(warn)
        return clients
    }

    package func checkDisk(_ folder: String) {
        guard let free = DiskSpace.free(at: folder) else { return }
        record("free disk", "\(free >> 20) MiB at \(folder)")
        guard let fault = DiskSpace.fault(free, of: folder) else { return }
        if fault.isProblem { problem(fault.text) } else { warn(fault.text) }
    }

    /// Connects to the sign-out address of each client, up to TLS, and asks nothing there.
    package func checkSignOutAddresses(_ clients: [Client]) async {
        let addresses = clients.flatMap { client in
            client.protocols.compactMap { $0.signOutAddress }.map { (client, $0) }
        }
        guard !addresses.isEmpty, let http = try? HTTPClient.forSignOuts() else { return }
        for (client, address) in addresses.prefix(ClientLimits.clients) {
            var request = HTTPClient.Request(url: address)
            (request.method, request.timeout, request.reusesConnection) = (.connect, .seconds(5), false)
            request.allowsHTTP = (try? WebURL(address, allowing: .looseNames)).map(client.takesPlainHTTP) ?? false
            request.addressError = request.allowsHTTP ? SignOutAddress.errorOverPlainHTTP : SignOutAddress.error
            do {
                _ = try await http.send(request)
                record("connect \(client.id)", "\(address) can be reached")
            } catch {
                warn("\(client.id): sign-outs cannot be told at \(address): \(error).")
            }
        }
    }
}
