#include <stddef.h>
#include <stdint.h>

// SHA-256 (FIPS 180-4), declared for the modules that hash and implemented by TillDigest with swift-crypto. The linker joins the
// two, so only TillDigest and what links it wait for swift-crypto's C library, which takes longer to compile than any module here.

/// A hash that bytes are added to.
typedef struct till_sha256 till_sha256;

/// Makes the hash of no bytes; `till_sha256_free` ends its life.
till_sha256 *_Nonnull till_sha256_new(void);

/// Adds `count` bytes.
void till_sha256_update(till_sha256 *_Nonnull hash, const void *_Nullable bytes, size_t count);

/// Writes the 32 octets of the hash of all bytes added so far; more bytes can be added afterwards.
void till_sha256_write(till_sha256 *_Nonnull hash, uint8_t *_Nonnull octets);

void till_sha256_free(till_sha256 *_Nonnull hash);
