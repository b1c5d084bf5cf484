import Foundation

/// One run of the built program `wellknown` as a separate process, from its start to its end.
struct WellKnownRun: Sendable {
    let code: Int32?
    let output: String
    let errors: String

    static var program: String { Programs.path(of: "wellknown") }

    /// The folder of the tests' data.
    static let vectors = TestVectors.folder.path

    /// - Parameters:
    ///   - input: goes to standard input, which is empty otherwise.
    ///   - terminal: gives the program a terminal for its output.
    ///   - folder: the working folder; a new one otherwise.
    static func run(
        _ arguments: [String], in folder: String? = nil, input: String? = nil, environment: [String: String] = [:],
        terminal: Bool = false
    ) async throws -> WellKnownRun {
        try await command([program] + arguments, in: folder, input: input, environment: environment, terminal: terminal)
    }

    /// Any command; the first word is the program.
    static func command(
        _ words: [String], in folder: String? = nil, input: String? = nil, environment: [String: String] = [:],
        terminal: Bool = false
    ) async throws -> WellKnownRun {
        let own = try TemporaryFolder()
        try input.map { _ = try own.write($0, to: "stdin") }
        var command = words
        if terminal {
            let spawn = "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))"
            command = ["/usr/bin/python3", "-c", spawn] + command
        }
        if input != nil {
            command = ["/bin/sh", "-c", "exec \"$@\" < \"$0\"", own.path(of: "stdin")] + command
        }
        // Wide, so that the help of an option is not wrapped in the middle of an expected text.
        let inherited = ProcessInfo.processInfo.environment.filter { $0.key == "PATH" || $0.key.hasPrefix("LD_") }
        let base = ["TERM": "xterm", "COLUMNS": "200"]
        let child = try ChildProcess(
            command[0], Array(command.dropFirst()),
            environment: inherited.merging(base) { $1 }.merging(environment) { $1 }, folder: folder ?? own.path,
            standardOutput: own.path(of: "stdout"), standardError: own.path(of: "stderr"))
        let exit = try await child.waitForExit()
        let code: Int32? = if case .code(let code) = exit { code } else { nil }
        return WellKnownRun(code: code, output: own.text(of: "stdout"), errors: own.text(of: "stderr"))
    }
}

/// Files for runs of the program: valid ones, with apps that no documentation uses.
enum SampleFiles {
    static let app = "K7Q2M9X4TB.com.acme.shop"
    static let fingerprint =
        "3B:7E:10:52:9C:41:D0:AA:5F:62:13:E8:94:07:BC:6D:21:F5:38:0E:C9:76:4A:B2:1D:E3:58:90:AF:04:6B:C7"
    static let aasa = """
        {
          "applinks": {
            "details": [
              {
                "appIDs": ["\(app)"],
                "components": [
                  { "/": "/shop/admin/*", "exclude": true },
                  { "/": "/shop/*" }
                ]
              }
            ]
          },
          "webcredentials": { "apps": ["\(app)"] }
        }

        """
    static let assetLinks = """
        [
          {
            "relation": ["delegate_permission/common.handle_all_urls", "delegate_permission/common.get_login_creds"],
            "target": {
              "namespace": "android_app",
              "package_name": "com.acme.shop",
              "sha256_cert_fingerprints": ["\(fingerprint)"]
            }
          }
        ]

        """

    /// A folder with both under their names.
    static func folder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try folder.write(aasa, to: "apple-app-site-association")
        try folder.write(assetLinks, to: "assetlinks.json")
        return folder
    }
}
