import Foundation

@testable import TestKit

/// Two domains with DKIM keys, and the filters (Debian's OpenDKIM) that sign for them and check their signatures.
///
/// The public keys are in a file, so nothing asks the DNS. Both filters end with the object.
final class DKIMFilter: Sendable {
    static let program = "/usr/sbin/opendkim"

    let signingPort: UInt16
    let checkingPort: UInt16
    private let folder: TemporaryFolder
    private let children: [ChildProcess]

    /// - Parameter folder: that of the mail server.
    /// - Throws: `ProbeFailure` when a filter does not start.
    init(in folder: TemporaryFolder) async throws {
        self.folder = folder
        (signingPort, checkingPort) = (try FreePort.find(), try FreePort.find())
        try await folder.run("/bin/sh", ["-c", Self.keys], named: "keys")
        try folder.write(Self.signing(signingPort, folder), to: "sign.conf")
        try folder.write(Self.checking(checkingPort, folder), to: "check.conf")
        children = try ["sign", "check"].map { name in
            try ChildProcess(
                Self.program, ["-f", "-x", folder.path(of: "\(name).conf")],
                environment: ["PATH": "/usr/sbin:/usr/bin"],
                folder: folder.path, standardOutput: folder.path(of: "\(name).out"),
                standardError: folder.path(of: "\(name).err"))
        }
        for (child, port) in zip(children, [signingPort, checkingPort]) {
            try await eventually("OpenDKIM accepts") { () -> Void? in
                if let exit = child.exit {
                    let errors = folder.text(of: "sign.err") + folder.text(of: "check.err")
                    throw ProbeFailure("opendkim ended: \(exit) \(errors)")
                }
                return (try? HTTPConnection(host: "127.0.0.1", port: port)).map { _ in () }
            }
        }
    }

    /// Ends both at once. After SIGTERM libmilter still waits for seconds.
    func stop() async throws {
        for child in children {
            child.send(SIGKILL)
            _ = try await child.waitForExit()
        }
    }

    private static let keys = """
        set -e
        # OpenDKIM runs as a user of its own.
        umask 022
        for domain in example.com other.example; do
          openssl genrsa -out $domain.key 2048
          public=$(openssl rsa -in $domain.key -pubout -outform DER | base64 -w 0)
          echo "s1._domainkey.$domain v=DKIM1; k=rsa; p=$public" >> public-keys
          echo "$domain $domain:s1:$PWD/$domain.key" >> key-table
          echo "*@$domain $domain" >> signing-table
        done
        echo 192.0.2.1 > no-hosts
        """

    /// Signs as the domain of Sender, or else of From: a server may sign a message with the From of another one.
    private static func signing(_ port: UInt16, _ folder: TemporaryFolder) -> String {
        """
        Mode s
        Socket inet:\(port)@127.0.0.1
        Canonicalization relaxed/relaxed
        KeyTable file:\(folder.path)/key-table
        SigningTable refile:\(folder.path)/signing-table
        SenderHeaders Sender,From
        RequireSafeKeys no

        """
    }

    /// The file of deploy/postfix. Messages from loopback are checked too.
    private static func checking(_ port: UInt16, _ folder: TemporaryFolder) throws -> String {
        let delivered = try DeployFiles.lines("postfix/opendkim.conf").joined(separator: "\n")
        return delivered.replacing("8891", with: "\(port)") + """
            InternalHosts file:\(folder.path)/no-hosts
            TestPublicKeys \(folder.path)/public-keys

            """
    }
}
