/// What the audit log records. The raw values are stable: the log has the same ids.
package enum AuditEvent: String, Sendable, CaseIterable {
    case signedIn = "signed_in"
    case secondFactorRequired = "second_factor_required"
    case signedOut = "signed_out"
    case appSignedOut = "app_signed_out"
    case tokenIssued = "token_issued"
    case tokenRedeemed = "token_redeemed"
    case handoffSignedIn = "handoff_signed_in"
    case accessRefused = "access_refused"
    case sessionEnded = "session_ended"
    case signOutQueued = "sign_out_queued"
    case signOutDelivered = "sign_out_delivered"
    case signOutFailed = "sign_out_failed"
    case signOutGivenUp = "sign_out_given_up"

    case mailQueued = "mail_queued"
    case mailNotSent = "mail_not_sent"
    case authorizeRefused = "authorize_refused"
    case signOutAddressRefused = "sign_out_address_refused"
    case verifyRefused = "verify_refused"
    case tokenRequestRefused = "token_request_refused"
    case codeReused = "code_reused"
    case refreshTokenReused = "refresh_token_reused"
    case refreshTokensEnded = "refresh_tokens_ended"
    case introspected
    case signingKeyMade = "signing_key_made"
    case signingKeyPublished = "signing_key_published"
    case signingKeyRetired = "signing_key_retired"
    case sessionQuestionRefused = "session_question_refused"
    case inboundMailRefused = "inbound_mail_refused"
    case codeRejected = "code_rejected"
    case linkRejected = "link_rejected"
    case providerAnswerRefused = "provider_answer_refused"
    case handoffCodeRejected = "handoff_code_rejected"
    case guessAlarmRaised = "guess_alarm_raised"
    case guessAlarmEnded = "guess_alarm_ended"

    case identityLinked = "identity_linked"
    case identityUnlinked = "identity_unlinked"
    case identityRevoked = "identity_revoked"
    case userChanged = "user_changed"
    case userErased = "user_erased"
    case userInvited = "user_invited"
    case invitationRejected = "invitation_rejected"
    case groupChanged = "group_changed"
    case clientChanged = "client_changed"
    case clientSecretAdded = "client_secret_added"
    case clientSecretRetired = "client_secret_retired"
    case sealedValuesRenewed = "sealed_values_renewed"
    case keysForgotten = "keys_forgotten"
    case clientsFileLoaded = "clients_file_loaded"
    case clientsFileRejected = "clients_file_rejected"
    case backupMade = "backup_made"
    case databaseRestored = "database_restored"
    case auditExported = "audit_exported"

    /// Whether a visitor without an account can cause it. Such events get at most ``AuditStore/maximumRowsPerHour`` rows in an
    /// hour, so that a flood of them cannot fill the disk. The others are counted by account (``AuditShares``).
    package var isOfVisitors: Bool {
        switch self {
        case .mailQueued, .mailNotSent, .authorizeRefused, .signOutAddressRefused, .verifyRefused,
            .tokenRequestRefused, .sessionQuestionRefused, .inboundMailRefused,
            .codeRejected, .linkRejected, .providerAnswerRefused, .handoffCodeRejected, .invitationRejected:
            true
        default: false
        }
    }

    /// The event that this one is counted with. An address that gets an email and one that gets none count together:
    /// otherwise the flood of one kind would change the statements for that kind alone, and reveal which kind an address is.
    var counted: AuditEvent { self == .mailNotSent ? .mailQueued : self }
}
