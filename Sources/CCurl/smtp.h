// What sending a letter needs beside shim.h: a callback and its context are set together, for one without the other crashes.
#pragma once

#include <curl/curl.h>

/// Where the bytes of an upload come from.
static inline CURLcode sso_smtp_set_reader(CURL *handle, curl_read_callback read, void *context) {
    CURLcode code = (curl_easy_setopt)(handle, CURLOPT_READDATA, context);
    return code == CURLE_OK ? (curl_easy_setopt)(handle, CURLOPT_READFUNCTION, read) : code;
}

/// Who is asked about once a second, and whenever something moves, whether to go on. Anything but 0 ends the transfer.
static inline CURLcode sso_smtp_set_progress(CURL *handle, curl_xferinfo_callback progress, void *context) {
    CURLcode code = (curl_easy_setopt)(handle, CURLOPT_XFERINFODATA, context);
    if (code == CURLE_OK) code = (curl_easy_setopt)(handle, CURLOPT_XFERINFOFUNCTION, progress);
    return code == CURLE_OK ? (curl_easy_setopt)(handle, CURLOPT_NOPROGRESS, 0L) : code;
}
