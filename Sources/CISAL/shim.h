#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

// ISA-L is opened when the first gzip source is: what it costs a start is saved, and a program that was built where it
// is installed runs where it is not. Debian has no static library of it. Where its headers were not there, it is never opened.
#if __has_include(<isa-l/igzip_lib.h>)
#include <isa-l.h>
#define TILL_ISAL_TEXT(x) #x
#define TILL_ISAL_NUMBER(version) TILL_ISAL_TEXT(version)
#define TILL_ISAL_NAME(version) "libisal.so." TILL_ISAL_TEXT(version)
#else
struct inflate_state;
#endif

/// The functions that are used.
struct till_isal_functions {
    void (*start)(struct inflate_state *);
    int (*inflate)(struct inflate_state *);
    uint32_t (*checksum)(uint32_t, const unsigned char *, uint64_t);
};

/// Fills in the functions of the library; 0 where it is not there.
static inline int till_isal_open(struct till_isal_functions *functions) {
#ifdef TILL_ISAL_NAME
    void *library = dlopen(TILL_ISAL_NAME(ISAL_MAJOR_VERSION), RTLD_NOW | RTLD_LOCAL);
    if (!library) return 0;
    functions->start = (__typeof__(isal_inflate_init) *)dlsym(library, "isal_inflate_init");
    functions->inflate = (__typeof__(isal_inflate) *)dlsym(library, "isal_inflate");
    functions->checksum = (__typeof__(crc32_gzip_refl) *)dlsym(library, "crc32_gzip_refl");
    return functions->start && functions->inflate && functions->checksum;
#else
    return 0;
#endif
}

/// The version of the header; the library does not tell its own. NULL where there was no header.
static inline const char *till_isal_version(void) {
#ifdef TILL_ISAL_NAME
    return TILL_ISAL_NUMBER(ISAL_MAJOR_VERSION) "." TILL_ISAL_NUMBER(ISAL_MINOR_VERSION) "." TILL_ISAL_NUMBER(ISAL_PATCH_VERSION);
#else
    return NULL;
#endif
}

/// Makes the state of a decoder, to be freed by `free`; NULL where there is no memory for it.
static inline void *till_isal_new(void) {
#ifdef TILL_ISAL_NAME
    return malloc(sizeof(struct inflate_state));
#else
    return NULL;
#endif
}

/// Makes a decoder ready for a further stream.
static inline void till_isal_begin(const struct till_isal_functions *functions, void *state) {
    functions->start((struct inflate_state *)state);
}

/// What one call of the library moved.
struct till_isal_step {
    /// Negative where bytes that earlier calls took lie behind the end of the stream.
    ptrdiff_t consumed;
    size_t written;
    /// Whether the DEFLATE stream is complete.
    int ended;
    int damaged;
};

/// Goes on inflating a DEFLATE stream without anything around it.
///
/// The library takes up to eight bytes more than it needs into `read_in`; those behind the end are given back.
static inline struct till_isal_step till_isal_inflate(const struct till_isal_functions *functions, void *decoder,
                                                      const void *input, uint32_t input_count, void *output,
                                                      uint32_t output_count) {
    struct till_isal_step step = {0, 0, 0, 0};
#ifdef TILL_ISAL_NAME
    struct inflate_state *state = (struct inflate_state *)decoder;
    state->next_in = (uint8_t *)input;
    state->avail_in = input_count;
    state->next_out = (uint8_t *)output;
    state->avail_out = output_count;
    step.damaged = functions->inflate(state) < 0;
    step.ended = !step.damaged && state->block_state == ISAL_BLOCK_FINISH;
    step.consumed = (ptrdiff_t)input_count - (ptrdiff_t)state->avail_in;
    step.written = output_count - state->avail_out;
    if (step.ended || step.damaged) step.consumed -= state->read_in_length / 8;
#endif
    return step;
}
