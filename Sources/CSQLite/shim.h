// SQLite as Swift sees it. Swift cannot call a function with a variable number of arguments: this file has one typed name for the
// one that is needed.
#pragma once

#include <sqlite3.h>

/// Makes a text in double quotes a name alone. Otherwise a misspelled name would be a text.
/// Source: https://www.sqlite.org/quirks.html, section 8.
static inline void sso_sqlite_refuse_quoted_texts(sqlite3 *database) {
    sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DDL, 0, (int *)0);
    sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DML, 0, (int *)0);
}
