// libcurl as Swift sees it. curl_easy_setopt, curl_multi_setopt and curl_easy_getinfo are variadic, which Swift cannot
// import: this file has one typed wrapper for each kind of argument. The parentheses keep curl's type-checking macros away.
#pragma once

#include <curl/curl.h>

/// Call once per process before anything else of curl. Safe from several threads since curl 7.84.
static inline CURLcode sso_curl_global_init(void) { return curl_global_init(CURL_GLOBAL_ALL); }

/// Options of every transfer: the server's certificate and name are verified, TLS is 1.2 or newer, no proxy of the
/// environment and no stored login is used, no signals are raised.
///
/// `ca_file`: certificates in PEM form to trust beside the system's folder of certificates; may be NULL.
static inline CURLcode sso_curl_set_common_options(CURL *handle, const char *ca_file) {
    CURLcode code = (curl_easy_setopt)(handle, CURLOPT_SSL_VERIFYPEER, 1L);
    if (code == CURLE_OK) code = (curl_easy_setopt)(handle, CURLOPT_SSL_VERIFYHOST, 2L);
    if (code == CURLE_OK) code = (curl_easy_setopt)(handle, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    if (code == CURLE_OK && ca_file) code = (curl_easy_setopt)(handle, CURLOPT_CAINFO, ca_file);
    if (code == CURLE_OK) code = (curl_easy_setopt)(handle, CURLOPT_PROXY, "");
    if (code == CURLE_OK) code = (curl_easy_setopt)(handle, CURLOPT_NOPROXY, "*");
    if (code == CURLE_OK) code = (curl_easy_setopt)(handle, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    if (code == CURLE_OK) code = (curl_easy_setopt)(handle, CURLOPT_NOSIGNAL, 1L);
#if LIBCURL_VERSION_NUM >= 0x075700
    // Do not wait for a name lookup that hangs: one dead DNS server would stop the thread that runs all transfers.
    if (code == CURLE_OK) code = (curl_easy_setopt)(handle, CURLOPT_QUICK_EXIT, 1L);
#endif
    return code;
}

static inline CURLcode sso_curl_set_long(CURL *handle, CURLoption option, long value) {
    return (curl_easy_setopt)(handle, option, value);
}

static inline CURLcode sso_curl_set_offset(CURL *handle, CURLoption option, curl_off_t value) {
    return (curl_easy_setopt)(handle, option, value);
}

static inline CURLcode sso_curl_set_string(CURL *handle, CURLoption option, const char *value) {
    return (curl_easy_setopt)(handle, option, value);
}

static inline CURLcode sso_curl_set_pointer(CURL *handle, CURLoption option, const void *value) {
    return (curl_easy_setopt)(handle, option, value);
}

static inline CURLcode sso_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
    return (curl_easy_setopt)(handle, option, value);
}

/// Called with received bytes. Returns how many were taken; any other number ends the transfer.
typedef size_t (*sso_curl_receive)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode sso_curl_set_receive(CURL *handle, CURLoption option, sso_curl_receive value) {
    return (curl_easy_setopt)(handle, option, value);
}

/// Called for bytes to send. Fills the buffer and returns how many; 0 is the end.
typedef size_t (*sso_curl_send)(char *buffer, size_t size, size_t count, void *context);

static inline CURLcode sso_curl_set_send(CURL *handle, CURLoption option, sso_curl_send value) {
    return (curl_easy_setopt)(handle, option, value);
}

/// Called to create each socket, with the address that is about to be connected to. CURL_SOCKET_BAD refuses the address.
static inline CURLcode sso_curl_set_opensocket(CURL *handle, curl_opensocket_callback open, void *context) {
    CURLcode code = (curl_easy_setopt)(handle, CURLOPT_OPENSOCKETDATA, context);
    return code == CURLE_OK ? (curl_easy_setopt)(handle, CURLOPT_OPENSOCKETFUNCTION, open) : code;
}

/// Called with each socket that was made, and in place of closing it.
static inline CURLcode sso_curl_set_sockets(
    CURL *handle, curl_sockopt_callback made, curl_closesocket_callback close, void *context) {
    CURLcode code = (curl_easy_setopt)(handle, CURLOPT_SOCKOPTDATA, context);
    if (code == CURLE_OK) code = (curl_easy_setopt)(handle, CURLOPT_CLOSESOCKETDATA, context);
    if (code == CURLE_OK) code = (curl_easy_setopt)(handle, CURLOPT_SOCKOPTFUNCTION, made);
    return code == CURLE_OK ? (curl_easy_setopt)(handle, CURLOPT_CLOSESOCKETFUNCTION, close) : code;
}

/// Called with all that is sent and received. Nothing is printed then.
static inline CURLcode sso_curl_set_debug(CURL *handle, curl_debug_callback debug, void *context) {
    CURLcode code = (curl_easy_setopt)(handle, CURLOPT_DEBUGDATA, context);
    if (code == CURLE_OK) code = (curl_easy_setopt)(handle, CURLOPT_DEBUGFUNCTION, debug);
    return code == CURLE_OK ? (curl_easy_setopt)(handle, CURLOPT_VERBOSE, 1L) : code;
}

/// The socket address in curl's structure, which declares it as the first member of a longer one.
static inline const struct sockaddr *sso_curl_socket_address(const struct curl_sockaddr *address) {
    return &address->addr;
}

static inline CURLMcode sso_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return (curl_multi_setopt)(multi, option, value);
}

static inline CURLcode sso_curl_get_long(CURL *handle, CURLINFO info, long *value) {
    return (curl_easy_getinfo)(handle, info, value);
}

/// NULL when curl does not know. The text belongs to the handle.
static inline const char *sso_curl_get_text(CURL *handle, CURLINFO info) {
    char *text = NULL;
    return (curl_easy_getinfo)(handle, info, &text) == CURLE_OK ? text : NULL;
}

/// Microseconds; 0 when curl does not know.
static inline curl_off_t sso_curl_get_time(CURL *handle, CURLINFO info) {
    curl_off_t time = 0;
    return (curl_easy_getinfo)(handle, info, &time) == CURLE_OK ? time : 0;
}

/// The result of a finished transfer. CURLMsg holds it in a union, which Swift imports awkwardly.
static inline CURLcode sso_curl_message_result(const CURLMsg *message) { return message->data.result; }

/// Sets where the bytes of an upload come from. Callback and context are set together: one without the other crashes.
static inline CURLcode sso_smtp_set_reader(CURL *handle, curl_read_callback read, void *context) {
    CURLcode code = (curl_easy_setopt)(handle, CURLOPT_READDATA, context);
    return code == CURLE_OK ? (curl_easy_setopt)(handle, CURLOPT_READFUNCTION, read) : code;
}

/// Sets what is called about once a second and at each progress. A result other than 0 ends the transfer.
static inline CURLcode sso_smtp_set_progress(CURL *handle, curl_xferinfo_callback progress, void *context) {
    CURLcode code = (curl_easy_setopt)(handle, CURLOPT_XFERINFODATA, context);
    if (code == CURLE_OK) code = (curl_easy_setopt)(handle, CURLOPT_XFERINFOFUNCTION, progress);
    return code == CURLE_OK ? (curl_easy_setopt)(handle, CURLOPT_NOPROGRESS, 0L) : code;
}
