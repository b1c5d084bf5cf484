import Foundation
import Glibc

/// Two machines of a test, each a network namespace: a link from this machine to each, and one between them. Needs root.
///
/// A machine that vanishes takes no packet and sends none, and nobody is told: no reset, and no answer of a router.
final class SeparateMachines: Sendable {
    struct Machine: Sendable {
        /// Of its network namespace.
        let name: String
        /// Where this machine reaches it.
        let address: String
        /// Where the other one of the two reaches it.
        let between: String
    }

    /// Tried once: a container may refuse it to root.
    static let canBeMade: Bool = {
        guard geteuid() == 0, let folder = try? TemporaryFolder() else { return false }
        let name = "sso-try-\(getpid())"
        let script = """
            ip netns add \(name) && trap 'ip netns del \(name)' EXIT &&
            ip -n \(name) link add one type veth peer name two && ip -n \(name) route add blackhole 192.0.2.0/31
            """
        let child = try? ChildProcess(
            "/bin/sh", ["-c", script], environment: ["PATH": path], folder: folder.path,
            standardOutput: "/dev/null", standardError: "/dev/null")
        guard let child else { return false }
        while child.exit == nil { usleep(1_000) }
        return child.exit == .code(0)
    }()

    private static let path = "/usr/sbin:/usr/bin:/sbin:/bin"

    let machines: [Machine]
    /// The first three numbers of all addresses.
    private let network: String
    private let folder: TemporaryFolder
    private let janitor: ChildProcess

    /// Makes the machines, lets `body` use them, and removes them.
    static func open(_ body: (SeparateMachines) async throws -> Void) async throws {
        let machines = try await SeparateMachines()
        do {
            try await machines.connect()
            try await body(machines)
        } catch {
            try? await machines.remove()
            throw error
        }
        try await machines.remove()
    }

    private init() async throws {
        folder = try TemporaryFolder()
        let folder = folder
        var candidates = (0..<200).map { number in
            let place = Int(getpid()) * 7 + number
            return "10.\(128 + place / 256 % 128).\(place % 256)"
        }[...]
        network = try await eventually("a network that nobody uses") {
            guard let network = candidates.popFirst() else { throw ProbeFailure("no network is free") }
            try await folder.run(
                "/bin/sh", ["-c", "ip route show to match \(network).1; ip route show root \(network).0/24"],
                named: "routes")
            let others = folder.text(of: "routes.out").split(separator: "\n").filter { !$0.hasPrefix("default") }
            return others.isEmpty ? network : nil
        }
        let (network, id) = (network, "sso-test-\(getpid())-\(UInt32.random(in: 0..<10_000))")
        machines = [0, 1].map {
            Machine(name: "\(id)-\($0)", address: "\(network).\(4 * $0 + 2)", between: "\(network).\(9 + $0)")
        }
        // A signal that kills the tests has not removed these: they end when the tests are gone.
        let names = machines.map(\.name).joined(separator: " ")
        janitor = try ChildProcess(
            "/bin/sh",
            ["-c", "while kill -0 \(getpid()); do sleep 1; done; for n in \(names); do ip netns del $n; done"],
            environment: ["PATH": Self.path], folder: "/", standardOutput: "/dev/null", standardError: "/dev/null")
    }

    private func connect() async throws {
        for machine in machines { try await ip("netns add \(machine.name)") }
        for (index, machine) in machines.enumerated() {
            // At most 15 characters. It ends with the other end, in the namespace.
            let link = "sso\(getpid())m\(index)"
            try await ip("link add \(link) type veth peer name world netns \(machine.name)")
            try await ip("addr add \(network).\(4 * index + 1)/30 dev \(link)")
            try await ip("link set \(link) up")
            try await ip("-n \(machine.name) addr add \(machine.address)/30 dev world")
            for device in ["lo", "world"] { try await ip("-n \(machine.name) link set \(device) up") }
            try await remember(machine.address, of: "world", in: machine, from: link, in: nil)
        }
        let (first, second) = (machines[0], machines[1])
        try await ip("-n \(first.name) link add between type veth peer name between netns \(second.name)")
        for machine in machines {
            try await ip("-n \(machine.name) addr add \(machine.between)/30 dev between")
            try await ip("-n \(machine.name) link set between up")
        }
        try await remember(second.between, of: "between", in: second, from: "between", in: first)
        try await remember(first.between, of: "between", in: first, from: "between", in: second)
    }

    /// A sender that finds no neighbour is told that the host cannot be reached. These are known.
    private func remember(
        _ address: String, of device: String, in machine: Machine, from link: String, in other: Machine?
    ) async throws {
        let file = "/sys/class/net/\(device)/address"
        try await folder.run("/bin/sh", ["-c", "ip netns exec \(machine.name) cat \(file)"], named: "hardware")
        let hardware = folder.text(of: "hardware.out").trimmingCharacters(in: .whitespacesAndNewlines)
        let place = other.map { "-n \($0.name) " } ?? ""
        try await ip("\(place)neigh replace \(address) lladdr \(hardware) dev \(link) nud permanent")
    }

    private func remove() async throws {
        for machine in machines { try await ip("netns del \(machine.name)") }
        janitor.send(SIGKILL)
    }

    private func ip(_ arguments: String) async throws {
        try await folder.run("/bin/sh", ["-c", "exec ip \(arguments)"], named: "ip")
    }

    // MARK: - What happens to them

    /// Loses all packets from and to a machine, also those of connections that are open.
    func vanish(_ machine: Machine) async throws {
        for half in halves { try await ip("-n \(machine.name) route add blackhole \(half)") }
    }

    /// Ends what ``vanish(_:)`` did.
    func reappear(_ machine: Machine) async throws {
        for half in halves { try await ip("-n \(machine.name) route del blackhole \(half)") }
    }

    /// Narrower than the routes of the links, so that these come first.
    private var halves: [String] { stride(from: 0, to: 12, by: 2).map { "\(network).\($0)/31" } }
}
