// libcurl as Swift sees it. curl_easy_setopt, curl_multi_setopt and curl_easy_getinfo are variadic, which Swift cannot
// import: here is one typed wrapper for each kind of argument. The parentheses keep curl's type-checking macros away.
#pragma once

#include <curl/curl.h>

#include "fetch.h"
#include "smtp.h"

/// What curl calls with received bytes; the answer is how many were taken, any other number ends the transfer.
typedef size_t (*sso_curl_receive)(char *bytes, size_t size, size_t count, void *context);

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

static inline CURLcode sso_curl_set_receive(CURL *handle, CURLoption option, sso_curl_receive value) {
    return (curl_easy_setopt)(handle, option, value);
}

/// What curl calls for bytes to send: fills the buffer and answers how many; 0 is the end.
typedef size_t (*sso_curl_send)(char *buffer, size_t size, size_t count, void *context);

static inline CURLcode sso_curl_set_send(CURL *handle, CURLoption option, sso_curl_send value) {
    return (curl_easy_setopt)(handle, option, value);
}

static inline CURLMcode sso_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return (curl_multi_setopt)(multi, option, value);
}

static inline CURLcode sso_curl_get_long(CURL *handle, CURLINFO info, long *value) {
    return (curl_easy_getinfo)(handle, info, value);
}

static inline CURLcode sso_curl_get_pointer(CURL *handle, CURLINFO info, void **value) {
    return (curl_easy_getinfo)(handle, info, value);
}

/// The result of a finished transfer. CURLMsg holds it in a union, which reads badly from Swift.
static inline CURLcode sso_curl_message_result(const CURLMsg *message) { return message->data.result; }

/// Never wait for a name lookup that hangs: without it one dead DNS server stalls the thread that drives every call.
/// The option came with 7.87; an older curl goes without.
static inline CURLcode sso_curl_set_quick_exit(CURL *handle) {
#if LIBCURL_VERSION_NUM >= 0x075700
    return (curl_easy_setopt)(handle, CURLOPT_QUICK_EXIT, 1L);
#else
    (void)handle;
    return CURLE_OK;
#endif
}

/// What holds for every transfer of ours: the other end is proven by its certificate and name, nothing below TLS 1.2, no
/// proxy that the environment names for browsers, no signals in a server.
static inline CURLcode sso_curl_set_manners(CURL *handle) {
    CURLcode code = (curl_easy_setopt)(handle, CURLOPT_SSL_VERIFYPEER, 1L);
    if (code == CURLE_OK) code = (curl_easy_setopt)(handle, CURLOPT_SSL_VERIFYHOST, 2L);
    if (code == CURLE_OK) code = (curl_easy_setopt)(handle, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    if (code == CURLE_OK) code = (curl_easy_setopt)(handle, CURLOPT_PROXY, "");
    if (code == CURLE_OK) code = (curl_easy_setopt)(handle, CURLOPT_NOPROXY, "*");
    return code == CURLE_OK ? (curl_easy_setopt)(handle, CURLOPT_NOSIGNAL, 1L) : code;
}

/// Once a process, before anything else of curl. Safe to call from several threads since 7.84.
static inline CURLcode sso_curl_global_init(void) { return curl_global_init(CURL_GLOBAL_ALL); }
