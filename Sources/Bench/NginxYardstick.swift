import Foundation

/// nginx with the same two cores, serving the association file from disk.
struct NginxYardstick {
    let server: ServerUnderTest

    private static let binary = "/usr/sbin/nginx"

    /// Nil when nginx is not installed.
    init?(folder: String, file: [UInt8]) throws {
        guard FileManager.default.isExecutableFile(atPath: Self.binary) else { return nil }
        let (root, port) = ("\(folder)/nginx", try ServerUnderTest.freePort())
        try FileManager.default.createDirectory(atPath: "\(root)/www/.well-known", withIntermediateDirectories: true)
        try Data(file).write(to: URL(fileURLWithPath: "\(root)/www\(AssociationFile.path)"))
        let paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \(root)/\($0);" }.joined(separator: " ")
        let configuration = """
            daemon off; worker_processes auto; pid \(root)/pid; error_log \(root)/error.log;
            events { worker_connections 1024; }
            http {
              access_log off; keepalive_requests 100000000; default_type application/json; sendfile on; \(paths)
              server { listen 127.0.0.1:\(port); root \(root)/www; }
            }
            """
        try Data(configuration.utf8).write(to: URL(fileURLWithPath: "\(root)/nginx.conf"))
        server = try ServerUnderTest(
            Self.binary, ["-c", "\(root)/nginx.conf", "-e", "\(root)/error.log"], environment: [:], folder: root,
            port: port, log: "\(root)/nginx.log")
    }
}

/// The file both servers are asked for.
enum AssociationFile {
    static let path = "/.well-known/apple-app-site-association"
}
