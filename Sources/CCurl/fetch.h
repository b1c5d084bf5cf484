// For WellKnownTool/Fetch/WebClient, until it uses HTTPClient of SSOShared. Delete this file with it.
#pragma once

#include <curl/curl.h>

/// Who makes the sockets. Asked with the very address that is about to be connected to: a name that resolved to something
/// else a moment ago (DNS rebinding) does not get past it. CURL_SOCKET_BAD refuses the address.
static inline CURLcode sso_fetch_set_opensocket(CURL *handle, curl_opensocket_callback open, void *context) {
    CURLcode code = (curl_easy_setopt)(handle, CURLOPT_OPENSOCKETDATA, context);
    return code == CURLE_OK ? (curl_easy_setopt)(handle, CURLOPT_OPENSOCKETFUNCTION, open) : code;
}

/// The address inside; curl declares it as the first member of a longer one.
static inline const struct sockaddr *sso_fetch_address(const struct curl_sockaddr *address) { return &address->addr; }

/// NULL when curl does not know. The text belongs to the handle.
static inline const char *sso_fetch_get_text(CURL *handle, CURLINFO info) {
    char *text = NULL;
    return (curl_easy_getinfo)(handle, info, &text) == CURLE_OK ? text : NULL;
}

/// Microseconds; 0 when curl does not know.
static inline curl_off_t sso_fetch_get_time(CURL *handle, CURLINFO info) {
    curl_off_t time = 0;
    return (curl_easy_getinfo)(handle, info, &time) == CURLE_OK ? time : 0;
}

static inline CURLcode sso_curl_set_quick_exit(CURL *handle) {
    (void)handle;
    return CURLE_OK;
}
