import Testing

/// What a suite needs, and so which command runs it. Each suite has one size: `script/test --list` prints them, and a suite
/// without one fails `script/test`.
///
/// All suites of a target run by the same command, so that the command builds only what it runs.
struct TestSize: SuiteTrait {}

extension Trait where Self == TestSize {
    /// Functions and types of one library. In `script/test`.
    static var rules: Self { TestSize() }
    /// A whole program in this process, with SQLite. In `script/test`.
    static var program: Self { TestSize() }
    /// One of each kind with real processes, sockets, emails and a browser. In `script/test`.
    static var smoke: Self { TestSize() }
    /// Processes, proxies, disks, scripts, documents. In `script/test all`.
    static var deployment: Self { TestSize() }
    /// Whole ways of users and operators, with browsers, crashes and restarts. In `script/test all`.
    static var journey: Self { TestSize() }
}

/// A suite of size ``program`` that `script/test all` runs once more with every database a schema of PostgreSQL: the storage
/// decides its claims.
struct AlsoOnPostgres: SuiteTrait {}

extension Trait where Self == AlsoOnPostgres {
    static var alsoOnPostgres: Self { Self() }
}

/// The claims of the suite include the machine: browsers, mail servers, proxies, other people's programs. Only its tests may have
/// a second try, alone (docs/decisions/0087-a-second-try.md).
struct DependsOnMachine: SuiteTrait {}

extension Trait where Self == DependsOnMachine {
    static var dependsOnMachine: Self { Self() }
}
