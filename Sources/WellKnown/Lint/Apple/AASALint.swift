/// What is wrong in an apple-app-site-association file that could be read.
enum AASALint {
    static func check(_ file: AASAFile, options: LintOptions, into sheet: inout FindingSheet) {
    }
}
