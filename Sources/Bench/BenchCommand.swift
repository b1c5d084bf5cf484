import Foundation

/// Drives a real IdP process through logins and prints what it does beside what the machine could do. See
/// docs/benchmarks.md.
@main
struct BenchCommand {
    static func main() {
        do {
            let options = try BenchOptions(Array(CommandLine.arguments.dropFirst()))
            try BenchRun(options: options).run()
        } catch let usage as UsageFault {
            FileHandle.standardError.write(Data("\(usage.description)\n\n\(BenchOptions.usage)\n".utf8))
            exit(64)
        } catch {
            FileHandle.standardError.write(Data("bench: \(error)\n".utf8))
            exit(1)
        }
    }
}
