// libpq as Swift sees it. Swift imports neither the macros of its result fields nor a format that takes arguments: this file has
// one typed name for each that is needed.
#pragma once

#include <libpq-fe.h>

/// SQLSTATE, five characters. NULL for an error that libpq itself reports.
static inline const char *sso_pq_sqlstate(const PGresult *result) {
    return PQresultErrorField(result, PG_DIAG_SQLSTATE);
}

/// The severity in English, whatever the language of the server: ERROR, FATAL, PANIC, WARNING, NOTICE …
static inline const char *sso_pq_severity(const PGresult *result) {
    return PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);
}

/// The severity in the language of what reports. Old servers and poolers send no other.
static inline const char *sso_pq_severity_in_words(const PGresult *result) {
    return PQresultErrorField(result, PG_DIAG_SEVERITY);
}

/// The message without detail and hint: those may hold values.
static inline const char *sso_pq_message(const PGresult *result) {
    return PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
}

/// The function of the server that reported the error.
static inline const char *sso_pq_routine(const PGresult *result) {
    return PQresultErrorField(result, PG_DIAG_SOURCE_FUNCTION);
}
