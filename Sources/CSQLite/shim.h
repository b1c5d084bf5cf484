// SQLite as Swift sees it. Swift cannot call a function with a variable number of arguments: this file has one typed name for each
// that is needed.
#pragma once

#include <sqlite3.h>

/// Counts no allocations from now on: all threads would share one lock for each of them. Has no effect after the first connection.
/// Source: https://www.sqlite.org/c3ref/c_config_covering_index_scan.html, `SQLITE_CONFIG_MEMSTATUS`.
static inline void sso_sqlite_count_no_allocations(void) { sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

/// Makes a text in double quotes a name alone. Otherwise a misspelled name would be a text.
/// Source: https://www.sqlite.org/quirks.html, section 8.
static inline void sso_sqlite_refuse_quoted_texts(sqlite3 *database) {
    sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DDL, 0, (int *)0);
    sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DML, 0, (int *)0);
}
