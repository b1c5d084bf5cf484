import Logging

/// What happens to the requests of both programs.
extension EventKind {
    package static let requestRefused = EventKind(
        "request_refused", .notice, line: [.cause()], by: [.field("code", RequestCode.refused)],
        "A 4xx page with its `reference`; for an access token `cause=access_token_malformed` or `cause=access_token_unknown`; `debug` for the JSON API without a user. `code` says what [the user can do](#the-commonest-failures), `cause` why."
    )
    package static let requestFailed = EventKind(
        "request_failed", .error, line: [.cause()], by: [.field("code", RequestCode.failed)],
        "A 5xx page with this `reference` (not `provider_faulty`'s 502): `cause`.")
    package static let malformedRequest = EventKind(
        "malformed_request", .notice, line: [.cause()],
        "Bytes that are not HTTP, or a head that can be read in two ways: a bare 400.")
    package static let forwardedAddressMalformed = EventKind(
        "forwarded_address_malformed", .warning, .line,
        "A trusted proxy's `X-Forwarded-For` has no valid address (once per process). Correct it.")
    package static let sessionTouchFailed = EventKind(
        "session_touch_failed", .warning, line: [.cause()],
        "Storage: last use of a session not stored (tried again).")
}

/// What happens to the programs themselves.
extension EventKind {
    package static let setting = EventKind(
        "setting", .info, .line,
        "A setting at the start, without its secret: `value`. With a fingerprint it is a `notice`: operators compare those of both programs."
    )
    package static let settingWarning = EventKind(
        "setting_warning", .warning, .line, "`message` names a probably wrong setting.")
    package static let settingInvalid = EventKind(
        "setting_invalid", .error, .line, "`message` says which setting, and what is wrong.")
    package static let startupFailed = EventKind(
        "startup_failed", .critical, line: [.cause()],
        "`cause` prevented the start or ended the service; `setting_invalid` has further problems.")
    package static let listening = EventKind(
        "listening", .info, .line,
        "The program serves at `address`: the last line of a start. `node` is its id among [nodes](postgresql.md#nodes)."
    )
    package static let metricsListening = EventKind(
        "metrics_listening", .info, .line, "Metrics are served at `address`.")
    package static let metricsNotRead = EventKind(
        "metrics_not_read", .debug, line: [.cause()],
        "Some numbers could not be read: they stay as they are. Tried again.")
    package static let reloadIgnored = EventKind(
        "reload_ignored", .notice, .line, "SIGHUP at a program without a file to reload. Settings need a restart.")
    package static let stopping = EventKind(
        "stopping", .info, .line,
        "SIGTERM: connections are accepted for `grace_milliseconds` more, each for one request.")
    package static let stopped = EventKind("stopped", .info, .line, "The program has ended as asked.")
    package static let drainTimeout = EventKind(
        "drain_timeout", .warning, .line, "The stop came before all answers.")
    package static let logLinesDropped = EventKind(
        "log_lines_dropped", .warning, .line, "The log's reader stalled; `count` lines lost.")
    package static let databaseCopied = EventKind(
        "database_copied", .notice, .line, "`rows` rows copied from `from` to `to`. Put the old database away.")
    package static let purgeFailed = EventKind(
        "purge_failed", .warning, line: [.cause()], "Storage: expired rows not deleted (tried again).")
    package static let schemaUnfit = EventKind(
        "schema_unfit", .error, line: [.cause("step")],
        "`/readyz` is 503 `schema` because of `step`: this version is [too old for the database, or too new](upgrading.md#versions-beside-each-other). A line a minute."
    )
    package static let nodeSettingsDiffer = EventKind(
        "node_settings_differ", .warning, .line, "`node` has another value or file for `setting`. Give both the same.")
}

/// What happens to the clock.
extension EventKind {
    package static let clockDiffers = EventKind(
        "clock_differs", .warning, .line, "This clock is over 2 seconds off the database's, which is used. Correct it.")
    package static let clockJumped = EventKind(
        "clock_jumped", .error, .line,
        "The wall clock jumped ahead: correct it; the program recovers. If the new time is right (a paused virtual machine), wait ten minutes or restart."
    )
    package static let clockSetBack = EventKind(
        "clock_set_back", .error, .line, "The wall clock was set back. If it is right now, restart.")
    package static let clockJumpAccepted = EventKind(
        "clock_jump_accepted", .warning, .line,
        "The wall clock stayed ahead for ten minutes and counts now. The purge pauses for an hour. If it is wrong, correct it: the earlier time continues."
    )
    package static let clockRestored = EventKind("clock_restored", .notice, .line, "The wall clock is right again.")
}

/// The codes of refusals and failures that are counted by themselves. Every other one is counted as `other`.
package enum RequestCode {
    package static let refused = [
        "invalid_request", "no_cookie", "not_found", "origin_hidden", "other_site", "rate_limited", "stale_form",
        "unauthenticated", "unknown_state",
    ]
    package static let failed = ["internal_error", "temporarily_unavailable"]
}

/// The events of both programs.
package enum WebEvents {
    package static let all: [EventKind] = [
        .requestRefused, .requestFailed, .malformedRequest, .forwardedAddressMalformed, .sessionTouchFailed, .setting,
        .settingWarning, .settingInvalid, .startupFailed, .listening, .metricsListening, .metricsNotRead,
        .reloadIgnored, .stopping, .stopped, .drainTimeout, .logLinesDropped, .databaseCopied, .purgeFailed,
        .schemaUnfit, .nodeSettingsDiffer, .clockDiffers, .clockJumped, .clockSetBack, .clockJumpAccepted,
        .clockRestored,
    ]
}
