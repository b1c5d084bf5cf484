package import SSOShared

/// The metrics of a running program: where they are served, and what they are.
package struct ProgramMetrics: Sendable {
    let listen: ListenAddress
    package let registry: MetricsRegistry
    /// Counts the events of the logger that has it: see `Logger.counting`.
    package let counts: EventCounts

    /// - Parameters:
    ///   - descriptions: the metrics that this program has beside those of both.
    ///   - events: everything that can happen in this program.
    ///   - alerted: the ids of events that alert rules name.
    package init(
        _ listen: MetricsListen, build: BuildStamp, _ descriptions: [MetricDescription] = [], events: [EventKind],
        alerted: Set<String> = []
    ) {
        self.listen = listen.address
        registry = MetricsRegistry(CommonMetrics.all + descriptions)
        CommonMetrics.setBuild(build, in: registry)
        counts = EventCounts(events, in: registry, alerted: alerted)
    }
}

/// The address for metrics. They name no user, and all the same they are for those who run the program alone.
package struct MetricsListen: Sendable {
    package let address: ListenAddress

    /// The setting of a program.
    ///
    /// - Parameter prefix: `IDP`, `RP`.
    package static func setting(_ prefix: String, port: Int) -> Setting<MetricsListen?> {
        Setting(
            "\(prefix)_METRICS_LISTEN", example: "127.0.0.1:\(port)",
            "The address and port for metrics in Prometheus' text format, at /metrics: loopback or a private address.",
            warning: { text, reader in
                let listen = try MetricsListen(text, example: "127.0.0.1:\(port)")
                if isUnspecified(listen.address) {
                    reader.warn(
                        "\(prefix)_METRICS_LISTEN: \(listen.address) answers on every address of this machine. Keep the port away "
                            + "from other networks, or use a private address.")
                }
                return listen
            })
    }

    /// - Parameter example: of the setting, for its error.
    /// - Throws: ``SettingError`` for what is not an address, a name that is not `localhost`, and a public address.
    package init(_ text: String, example: String = "127.0.0.1:9464") throws(SettingError) {
        address = try ListenAddress(text, example: example)
        guard address.host != "localhost" else { return }
        guard let ip = IPAddress(address.host) else {
            throw SettingError("\"\(text)\" must be an IP address and a port, such as \(example).")
        }
        guard ip.isLoopback || ip.isUnspecified || ip.isPrivate else {
            throw SettingError(
                "\"\(text)\" is a public address. Metrics have no login. Use loopback or a private address, such as \(example)."
            )
        }
    }

    /// Why it cannot be beside the address of the program itself; nil when it can.
    ///
    /// - Parameter setting: the name of the setting of that address.
    package func problem(beside other: ListenAddress, _ setting: String) -> String? {
        // With port 0 the system chooses a free one for each.
        guard address.port != 0, address.port == other.port else { return nil }
        if address.host == other.host { return "is the same address as \(setting). Use a port of its own." }
        guard Self.covers(address, other) || Self.covers(other, address) else { return nil }
        return "has the port of \(setting), and one of the two is for every address. Use a port of its own."
    }

    /// Whether the first stands for every address of the machine, the second among them. `::` also stands for those of IPv4.
    private static func covers(_ all: ListenAddress, _ one: ListenAddress) -> Bool {
        isUnspecified(all) && (all.host.contains(":") || !one.host.contains(":"))
    }

    /// Whether it stands for every address of the machine.
    private static func isUnspecified(_ address: ListenAddress) -> Bool {
        IPAddress(address.host)?.isUnspecified ?? false
    }
}
