public import SSOShared

/// The build that these programs are from. BuildStampPlugin writes `version`, `commit` and `date` at each build.
///
/// A target of its own, which only the programs import: a new commit compiles nothing but this.
public enum ThisBuild {
    /// Version, commit and date. The last two are `unknown` where the sources are not a git repository and the build was not told.
    @inline(never)
    public static var stamp: BuildStamp { BuildStamp(version: version, commit: commit, date: date) }
}
