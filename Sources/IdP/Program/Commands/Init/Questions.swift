import CommandLines
import Foundation
import SSOShared
import SSOWeb

/// Asks on the terminal, or reads the answers of a script line by line. The words go to standard error: standard output has the
/// result.
struct Questions: Sendable {
    /// The next line of the input; nil at its end.
    let read: @Sendable () -> String?
    let say: @Sendable (String) -> Void

    /// Those of this process.
    static let ofProcess = Questions(
        read: { readLine(strippingNewline: true) }, say: { StandardError.write($0) })

    /// Why there is no answer: the input has ended.
    struct NoAnswer: Error {}

    /// Asks until the answer is valid. An empty one is the fallback, where there is one.
    ///
    /// - Parameters:
    ///   - shown: how the fallback looks, if it must not be shown itself.
    ///   - hidden: whether the answer is typed without being seen.
    ///   - problem: what is wrong with an answer; nil when it is valid.
    func ask(
        _ question: String, fallback: String?, shown: String? = nil, hidden: Bool = false,
        problem: (String) -> String?
    ) throws(NoAnswer) -> String {
        var wasRefused = false
        while true {
            let offer = (shown ?? fallback).map { $0.isEmpty ? " [none]" : " [\($0)]" } ?? ""
            say("\(question)\(offer): ")
            let line = hidden ? Terminal.hidden(read) : read()
            guard let line else {
                say("\n")
                // The fallback is not what a refused answer asked for.
                guard let fallback, !wasRefused else { throw NoAnswer() }
                return fallback
            }
            let answer = line.trimmingCharacters(in: .whitespacesAndNewlines)
            if answer.isEmpty, let fallback { return fallback }
            guard let words = answer.isEmpty ? "An answer is needed." : problem(answer) else { return answer }
            say("  \(LogEscape.text(words))\n")
            wasRefused = true
        }
    }
}

/// The terminal of standard input.
enum Terminal {
    /// Reads a line that is not shown (termios(3)). Ctrl-C waits for its end, so that the terminal is as before.
    static func hidden(_ read: () -> String?) -> String? {
        var before = termios()
        guard tcgetattr(STDIN_FILENO, &before) == 0 else { return read() }
        var (interrupt, known) = (sigset_t(), sigset_t())
        sigemptyset(&interrupt)
        sigaddset(&interrupt, SIGINT)
        pthread_sigmask(SIG_BLOCK, &interrupt, &known)
        var quiet = before
        quiet.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet)
        defer {
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &before)
            StandardError.write("\n")
            pthread_sigmask(SIG_SETMASK, &known, nil)
        }
        return read()
    }
}
