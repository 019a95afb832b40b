#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// libcurl is opened when the first receipt is sent: no other command needs it, and a program that was built where it is
// installed runs where it is not. Each pointer has the type of the function in the library's own header. Where the header
// was not there, the library is never opened.
#if __has_include(<curl/curl.h>)
#include <curl/curl.h>
#define TILL_CURL_FUNCTIONS(X) \
    X(curl_global_init) X(curl_easy_init) X(curl_easy_setopt) X(curl_easy_perform) X(curl_easy_getinfo) \
    X(curl_easy_reset) X(curl_easy_cleanup) X(curl_easy_strerror) X(curl_slist_append) X(curl_slist_free_all) \
    X(curl_version_info)
#endif

/// The functions of the library.
struct till_curl_functions {
#ifdef TILL_CURL_FUNCTIONS
#define TILL_CURL_FIELD(name) __typeof__(name) *name;
    TILL_CURL_FUNCTIONS(TILL_CURL_FIELD)
#undef TILL_CURL_FIELD
#else
    void *none;
#endif
};

/// How an exchange ended.
enum till_curl_ending {
    /// There is an answer, whatever its status.
    TILL_CURL_ANSWERED,
    /// The network or the server failed; another try may pass.
    TILL_CURL_FAILED,
    /// Another try would fail as well: a certificate that does not hold, an address that is none.
    TILL_CURL_REFUSED,
    /// The answer has more bytes than are taken.
    TILL_CURL_TOO_LARGE,
    /// `is_over` has ended it.
    TILL_CURL_OVER,
};

/// One POST of JSON, and its answer.
struct till_curl_exchange {
    const char *url;
    const char *user_agent;
    const void *body;
    size_t body_count;
    /// Milliseconds for all of the exchange.
    long timeout;
    /// Whether the address begins with http: no proxy is asked then, since it could read the request.
    int is_plain;
    /// Bytes of the longest answer.
    size_t answer_limit;
    /// Bytes of an answer for which `await_room` is not called.
    size_t answer_share;
    /// Called once, when the answer exceeds its share; 0 ends the exchange.
    int (*await_room)(void *context);
    void *context;
    /// Asked about once a second; anything but 0 ends the exchange.
    int (*is_over)(void);

    // What came of it:
    enum till_curl_ending ending;
    /// The answer, to be freed by `free`; NULL where it is empty.
    unsigned char *answer;
    size_t answer_count;
    size_t answer_capacity;
    int is_too_large;
    int has_room;
    int is_ended;
    long status;
    /// Seconds, by the header Retry-After; 0 where there is none.
    int64_t retry_after;
    /// Why there is no answer.
    char reason[320];
};

/// Fills in the functions of the library; returns what is missing, NULL if nothing is.
static inline const char *till_curl_open(struct till_curl_functions *functions) {
#ifdef TILL_CURL_FUNCTIONS
    void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    if (!library) return dlerror();
#define TILL_CURL_FIND(name) \
    if (!(functions->name = (__typeof__(name) *)dlsym(library, #name))) return dlerror();
    TILL_CURL_FUNCTIONS(TILL_CURL_FIND)
#undef TILL_CURL_FIND
    return functions->curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK ? NULL : "it cannot be started";
#else
    return "this program was built without its header";
#endif
}

/// The version of the library that is installed; NULL where there is none.
static inline const char *till_curl_version(void) {
#ifdef TILL_CURL_FUNCTIONS
    void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    if (!library) return NULL;
    __typeof__(curl_version_info) *version = (__typeof__(curl_version_info) *)dlsym(library, "curl_version_info");
    return version ? version(CURLVERSION_NOW)->version : "unknown";
#else
    return NULL;
#endif
}

/// Makes a handle, which keeps its connections; NULL where there is no memory for it. One thread at a time may use it.
static inline void *till_curl_new(const struct till_curl_functions *functions) {
#ifdef TILL_CURL_FUNCTIONS
    return functions->curl_easy_init();
#else
    return NULL;
#endif
}

static inline void till_curl_free(const struct till_curl_functions *functions, void *handle) {
#ifdef TILL_CURL_FUNCTIONS
    functions->curl_easy_cleanup(handle);
#endif
}

#ifdef TILL_CURL_FUNCTIONS
static inline size_t till_curl_take(char *bytes, size_t size, size_t count, void *context) {
    struct till_curl_exchange *exchange = (struct till_curl_exchange *)context;
    size_t more = size * count;
    if (more > exchange->answer_limit - exchange->answer_count) {
        exchange->is_too_large = 1;
        return 0;
    }
    if (exchange->answer_count + more > exchange->answer_share && !exchange->has_room) {
        exchange->has_room = exchange->await_room(exchange->context);
        exchange->is_ended = !exchange->has_room;
        if (exchange->is_ended) return 0;
    }
    if (more > exchange->answer_capacity - exchange->answer_count) {
        size_t capacity = 2 * (exchange->answer_count + more);
        unsigned char *grown = (unsigned char *)realloc(exchange->answer, capacity);
        if (!grown) return 0;
        exchange->answer = grown;
        exchange->answer_capacity = capacity;
    }
    if (more) memcpy(exchange->answer + exchange->answer_count, bytes, more);
    exchange->answer_count += more;
    return more;
}

static inline int till_curl_progress(void *context, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d) {
    return ((struct till_curl_exchange *)context)->is_over();
}

static inline enum till_curl_ending till_curl_ending_of(CURLcode code, const struct till_curl_exchange *exchange) {
    if (exchange->is_too_large) return TILL_CURL_TOO_LARGE;
    if (exchange->is_ended) return TILL_CURL_OVER;
    switch (code) {
    case CURLE_OK: return TILL_CURL_ANSWERED;
    case CURLE_ABORTED_BY_CALLBACK: return TILL_CURL_OVER;
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
    case CURLE_PARTIAL_FILE:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR: return TILL_CURL_FAILED;
    default: return TILL_CURL_REFUSED;
    }
}
#endif

/// Sends a request and takes its answer. Redirects are not followed, and a server must have a certificate that holds.
static inline void till_curl_post(const struct till_curl_functions *functions, void *handle,
                                  struct till_curl_exchange *exchange) {
#ifdef TILL_CURL_FUNCTIONS
    exchange->ending = TILL_CURL_REFUSED;
    exchange->reason[0] = 0;
    char reason[CURL_ERROR_SIZE] = "";
    functions->curl_easy_reset(handle);
    CURLcode code = CURLE_OK;
    struct curl_slist *headers = functions->curl_slist_append(NULL, "Content-Type: application/json");
    // Without this, a long body waits a second for a word that many servers never say.
    struct curl_slist *all = headers ? functions->curl_slist_append(headers, "Expect:") : NULL;
    if (!all) code = CURLE_OUT_OF_MEMORY;
#define TILL_CURL_SET(option, value) \
    if (code == CURLE_OK) code = functions->curl_easy_setopt(handle, option, value)
    TILL_CURL_SET(CURLOPT_ERRORBUFFER, reason);
    TILL_CURL_SET(CURLOPT_NOSIGNAL, 1L);
    TILL_CURL_SET(CURLOPT_URL, exchange->url);
#if LIBCURL_VERSION_NUM >= 0x075500
    TILL_CURL_SET(CURLOPT_PROTOCOLS_STR, exchange->is_plain ? "http" : "https");
#else
    TILL_CURL_SET(CURLOPT_PROTOCOLS, (long)(exchange->is_plain ? CURLPROTO_HTTP : CURLPROTO_HTTPS));
#endif
    TILL_CURL_SET(CURLOPT_FOLLOWLOCATION, 0L);
    TILL_CURL_SET(CURLOPT_SSL_VERIFYPEER, 1L);
    TILL_CURL_SET(CURLOPT_SSL_VERIFYHOST, 2L);
    TILL_CURL_SET(CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    if (exchange->is_plain) TILL_CURL_SET(CURLOPT_PROXY, "");
    TILL_CURL_SET(CURLOPT_POST, 1L);
    TILL_CURL_SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)exchange->body_count);
    TILL_CURL_SET(CURLOPT_POSTFIELDS, exchange->body);
    TILL_CURL_SET(CURLOPT_HTTPHEADER, all);
    TILL_CURL_SET(CURLOPT_USERAGENT, exchange->user_agent);
    TILL_CURL_SET(CURLOPT_TIMEOUT_MS, exchange->timeout);
    TILL_CURL_SET(CURLOPT_CONNECTTIMEOUT_MS, exchange->timeout);
    TILL_CURL_SET(CURLOPT_WRITEFUNCTION, till_curl_take);
    TILL_CURL_SET(CURLOPT_WRITEDATA, (void *)exchange);
    TILL_CURL_SET(CURLOPT_NOPROGRESS, 0L);
    TILL_CURL_SET(CURLOPT_XFERINFOFUNCTION, till_curl_progress);
    TILL_CURL_SET(CURLOPT_XFERINFODATA, (void *)exchange);
#undef TILL_CURL_SET
    if (code == CURLE_OK) {
        code = functions->curl_easy_perform(handle);
        curl_off_t wait = 0;
        functions->curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &exchange->status);
        if (functions->curl_easy_getinfo(handle, CURLINFO_RETRY_AFTER, &wait) == CURLE_OK) exchange->retry_after = wait;
    }
    exchange->ending = till_curl_ending_of(code, exchange);
    if (code != CURLE_OK) {
        const char *general = functions->curl_easy_strerror(code);
        snprintf(exchange->reason, sizeof exchange->reason, "%s", reason[0] ? reason : general);
    }
    // Nothing of the request is left behind in the handle.
    functions->curl_easy_reset(handle);
    functions->curl_slist_free_all(all ? all : headers);
#endif
}
