import Foundation
import Glibc

@testable import TestKit
@testable import WebTestKit

/// Debian's Postfix with OpenDKIM, in a folder and on ports of its own. It asks no DNS and reaches no other machine.
///
/// One port signs messages as the mail servers of senders do, and sends them to the other one. That one receives with the
/// files of deploy/postfix and pipes messages for `login+…@mail.example.com` into a command.
final class PostfixServer: Sendable {
    enum Port: Sendable {
        /// Signs for the domain of From, if it is example.com or other.example.
        case signing
        /// Takes messages as they are, as from any machine.
        case inbound
    }

    /// One message that the command has got.
    struct Delivery: Sendable {
        /// `sent` when the command exited with 0, `deferred` when it asked to try again, else `bounced`.
        let status: String
        /// What the command wrote into ``log`` meanwhile.
        let log: String
    }

    /// Of the files in deploy/postfix.
    static let domain = "mail.example.com"
    static let authservID = "mx.example.com"
    private static let master = "/usr/lib/postfix/sbin/master"

    /// Postfix starts as root. `script/setup --test` installs the packages.
    static let isUsable =
        getuid() == 0
        && ["/usr/sbin/postfix", master, DKIMFilter.program].allSatisfy(FileManager.default.isExecutableFile)

    let signing: UInt16
    let inbound: UInt16
    private let folder: TemporaryFolder
    private let filter: DKIMFilter
    private let child: ChildProcess

    /// Starts it and waits until it accepts connections on both ports.
    ///
    /// - Parameters:
    ///   - command: a shell script. `$1` is the folder of `files`, `$2` the recipient. The user is `nobody`.
    ///   - files: files for the command, by name.
    init(delivering command: String, with files: [String: String] = [:]) async throws {
        let folder = try TemporaryFolder()
        (signing, inbound) = (try FreePort.find(), try FreePort.find())
        chmod(folder.path, 0o711)
        for name in ["etc", "queue", "bin"] { _ = try folder.folder(name) }
        chmod(try folder.write(command, to: "bin/deliver-reply"), 0o755)
        let mail = try folder.folder("mail")
        try PipeUser.own(mail)
        for (name, text) in files {
            let path = try folder.write(text, to: "mail/\(name)")
            chmod(path, 0o600)
            try PipeUser.own(path)
        }
        filter = try await DKIMFilter(in: folder)
        try Self.configure(folder, filter, signing: signing, inbound: inbound)
        // Makes the queue's folders.
        try await folder.run("/usr/sbin/postfix", ["-c", folder.path(of: "etc"), "check"], named: "check-postfix")
        let child = try ChildProcess(
            // -s: in the foreground, as `postfix start-fg` runs it.
            Self.master, ["-s", "-c", folder.path(of: "etc")], environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"],
            folder: folder.path, standardOutput: folder.path(of: "master.out"),
            standardError: folder.path(of: "master.err"))
        (self.folder, self.child) = (folder, child)
        for port in [signing, inbound] {
            try await eventually("Postfix accepts") { () -> Void? in
                if let exit = child.exit {
                    throw ProbeFailure("Postfix ended: \(exit) \(folder.text(of: "master.err"))\(mailLog)")
                }
                return (try? HTTPConnection(host: "127.0.0.1", port: port)).map { _ in () }
            }
        }
    }

    /// Master leads a process group, which has its processes alone. Without it they may run on.
    deinit {
        if child.exit == nil { _ = kill(-child.pid, SIGKILL) }
    }

    /// Ends it. Master ends its own processes.
    func stop() async throws {
        child.send(SIGTERM)
        _ = try await child.waitForExit()
        try await filter.stop()
    }

    /// Postfix's own log.
    var mailLog: String { folder.text(of: "mail.log") }
    /// The file `replies.log` of the command.
    var log: String { folder.text(of: "mail/replies.log") }
    /// Another file of the command.
    func file(_ name: String) -> String { folder.text(of: "mail/\(name)") }

    /// What became of the messages that the command has got, oldest first.
    var statuses: [String] {
        mailLog.split(separator: "\n").filter { $0.contains(" relay=idp,") }
            .compactMap { $0.firstMatch(of: #/ status=([a-z]+) /#).map { String($0.1) } }
    }

    /// Sends a message and waits until the command has got it.
    func deliver(_ message: String, from sender: String, to recipient: String, by port: Port) async throws -> Delivery {
        let (count, length) = (statuses.count, log.utf8.count)
        try await send(message, from: sender, to: recipient, by: port)
        let status = try await eventually("the command gets the message; \(mailLog.suffix(2_000))") {
            statuses.dropFirst(count).first
        }
        return Delivery(status: status, log: String(decoding: log.utf8.dropFirst(length), as: UTF8.self))
    }

    /// Sends a message, with CRLF for each line end.
    /// - Parameter sender: the envelope's; empty for a bounce.
    /// - Throws: `ProbeFailure` with the reply of a port that refuses it.
    func send(_ message: String, from sender: String, to recipient: String, by port: Port) async throws {
        try folder.write(message.replacing("\r\n", with: "\n").replacing("\n", with: "\r\n"), to: "message.eml")
        let number = port == .signing ? signing : inbound
        try await folder.run("/usr/bin/python3", ["-c", Self.client, "\(number)", sender, recipient], named: "client")
    }

    private static let client = """
        import smtplib, sys
        port, sender, recipient = sys.argv[1:]
        with smtplib.SMTP("127.0.0.1", int(port), "sender.example", timeout=60) as server:
            server.sendmail(sender, [recipient], open("message.eml", "rb").read())
        """

    /// Sends bytes as the content of a message, the end of the message included, as no honest server would. Waits for
    /// the reply to it.
    func sendRaw(_ content: String, from sender: String, to recipient: String) async throws {
        try folder.write(content, to: "content")
        try await folder.run(
            "/usr/bin/python3", ["-c", Self.rawClient, "\(inbound)", sender, recipient], named: "client")
    }

    private static let rawClient = """
        import smtplib, sys
        port, sender, recipient = sys.argv[1:]
        server = smtplib.SMTP("127.0.0.1", int(port), "sender.example", timeout=60)
        server.ehlo()
        replies = [server.mail(sender), server.rcpt(recipient), server.docmd("DATA")]
        server.send(open("content", "rb").read())
        replies.append(server.getreply())
        assert [code for code, _ in replies] == [250, 250, 354, 250], replies
        """

    private static func configure(
        _ folder: TemporaryFolder, _ filter: DKIMFilter, signing: UInt16, inbound: UInt16
    ) throws {
        func delivered(_ name: String) throws -> String {
            try DeployFiles.lines("postfix/\(name)").joined(separator: "\n")
                .replacing("/etc/postfix/", with: folder.path(of: "etc/"))
                .replacing("/etc/swift-sso/mail", with: folder.path(of: "mail"))
                .replacing("/usr/local/bin/", with: folder.path(of: "bin/"))
                .replacing("user=swift-sso-idp", with: "user=\(PipeUser.name)")
                .replacing("8891", with: "\(filter.checkingPort)")
        }
        for name in ["reply_addresses", "reply_header_checks"] { try folder.write(delivered(name), to: "etc/\(name)") }
        try folder.write(main(folder) + delivered("main.cf"), to: "etc/main.cf")
        try folder.write(
            services(signing: signing, inbound: inbound, filter: filter.signingPort) + delivered("master.cf"),
            to: "etc/master.cf")
    }

    /// Nothing of this machine: no DNS, no local users, no trusted networks. Deferred messages are tried again after a
    /// second.
    private static func main(_ folder: TemporaryFolder) -> String {
        """
        compatibility_level = 3.6
        queue_directory = \(folder.path)/queue
        data_directory = \(folder.path)/data
        maillog_file = \(folder.path)/mail.log
        maillog_file_prefixes = \(folder.path)
        myhostname = \(authservID)
        mydestination =
        mynetworks =
        local_transport = error:no local mail
        inet_interfaces = 127.0.0.1
        inet_protocols = ipv4
        smtp_dns_support_level = disabled
        smtpd_peername_lookup = no
        alias_maps =
        alias_database =
        queue_run_delay = 1s
        minimal_backoff_time = 1s
        maximal_backoff_time = 1s
        bounce_queue_lifetime = 0
        fast_flush_domains =

        """
    }

    private static func services(signing: UInt16, inbound: UInt16, filter: UInt16) -> String {
        """
        127.0.0.1:\(inbound) inet n - n - - smtpd
        127.0.0.1:\(signing) inet n - n - - smtpd
          -o smtpd_milters=inet:127.0.0.1:\(filter)
          -o content_filter=smtp:[127.0.0.1]:\(inbound)
          -o cleanup_service_name=sender-cleanup
        sender-cleanup unix n - n - 0 cleanup
          -o header_checks=
        cleanup unix n - n - 0 cleanup
        qmgr unix n - n 1 1 qmgr
        rewrite unix - - n - - trivial-rewrite
        bounce unix - - n - 0 bounce
        defer unix - - n - 0 bounce
        trace unix - - n - 0 bounce
        proxymap unix - - n - - proxymap
        smtp unix - - n - - smtp
        error unix - - n - - error
        retry unix - - n - - error
        anvil unix - - n - 1 anvil
        postlog unix-dgram n - n - 1 postlogd

        """
    }
}

/// The user that a mail server's command runs as: pipe(8) refuses root.
enum PipeUser {
    static let name = "nobody"

    /// Gives a file or folder to the user.
    static func own(_ path: String) throws {
        guard let user = getpwnam(name), chown(path, user.pointee.pw_uid, user.pointee.pw_gid) == 0 else {
            throw ProbeFailure("\(path) cannot be given to \(name): errno \(errno)")
        }
    }
}
