import Foundation
import SSOShared

/// The metrics that both programs have.
package enum CommonMetrics {
    static let requests = MetricDescription(
        "http_requests_total", .counter, "Requests that were answered, by route and status class.")
    static let requestSeconds = MetricDescription(
        "http_request_duration_seconds_total", .counter, "Time that requests have taken, by route.")
    static let build = MetricDescription("sso_build_info", .gauge, "1, with the version that runs.")
    static let residentMemory = MetricDescription(
        "process_resident_memory_bytes", .gauge, "Memory of the process that is in use.")
    static let openFiles = MetricDescription("process_open_fds", .gauge, "Open files and connections.")
    static let maximumFiles = MetricDescription("process_max_fds", .gauge, "The limit of open files and connections.")
    static let processorTime = MetricDescription(
        "process_cpu_seconds_total", .counter, "Processor time of the process.")
    static let startTime = MetricDescription(
        "process_start_time_seconds", .gauge, "When the process was started, in seconds since 1970.")
    static let clockDifference = MetricDescription(
        "sso_clock_difference_seconds", .gauge, "How far this machine's clock is ahead of the time that is used.")

    static let events = MetricDescription(
        "sso_events_total", .counter, "Events of docs/events.md, by their cause where there is a list.")
    static let ready = MetricDescription("sso_ready", .gauge, "1 while /readyz answers 200, otherwise 0.")

    /// All of them.
    package static let all =
        [
            requests, requestSeconds, build, residentMemory, openFiles, maximumFiles, processorTime, startTime,
            clockDifference, events, ready,
        ] + DatabaseMetrics.all

    /// Sets what does not change.
    static func setBuild(_ build: BuildStamp, in registry: MetricsRegistry) {
        registry.set(self.build, 1, [("version", build.version)])
        registry.set(startTime, Date.now.timeIntervalSince1970)
    }

    /// Reads what the system knows of this process.
    static func readProcess(_ registry: MetricsRegistry) {
        func set(_ description: MetricDescription, _ value: Double?) {
            if let value { registry.set(description, value) }
        }
        set(residentMemory, ProcessNumbers.residentMemory)
        set(openFiles, ProcessNumbers.openFiles)
        set(maximumFiles, ProcessNumbers.maximumFiles)
        set(processorTime, ProcessNumbers.processorTime)
    }

    /// A positive number for a clock that is ahead, 0 while it agrees.
    static func readClock(_ clock: ServiceClock, _ registry: MetricsRegistry) {
        let difference = clock.state().disagreement ?? .zero
        registry.set(clockDifference, Double(difference.milliseconds) / 1000)
    }
}

/// What Linux says of this process in `/proc/self` (proc(5)); nil on another system.
private enum ProcessNumbers {
    static var residentMemory: Double? {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Double($0) }
        return pages.map { $0 * Double(sysconf(Int32(_SC_PAGESIZE))) }
    }

    static var openFiles: Double? {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")).map { Double($0.count) }
    }

    static var maximumFiles: Double? {
        var limit = rlimit()
        guard getrlimit(numericCast(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
        return Double(limit.rlim_cur)
    }

    static var processorTime: Double? {
        var usage = rusage()
        guard getrusage(numericCast(RUSAGE_SELF.rawValue), &usage) == 0 else { return nil }
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }
}
