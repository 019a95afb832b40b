import Testing

@testable import TillInspect

@Suite("Private names")
struct PrivateNamesTests {
    @Test(
        "Names of secrets are those that rejects mask, and names of devices are private too",
        arguments: [
            "password", "Shared-Secret", "appSharedSecret", "clientSecret", "passwd", "passphrase", "pwd",
            "private_key",
            "Proxy-Authorization", "Set-Cookie", "X-Api-Key", "cookie_password", "unique_identifier", "idfa",
            "password.prod", "Authorization ", "api_key[0]", "password_of_the_shop_in_the_very_long_country_name",
        ]
    )
    func isPrivate(_ name: String) {
        #expect(Privacy.isPrivate(name))
    }

    @Test("Other names are shown", arguments: ["product_id", "appAccountToken", "cookies", "passport", "guidance"])
    func isShown(_ name: String) {
        #expect(!Privacy.isPrivate(name))
    }

    @Test("A text mentions a secret where its name is in it")
    func mentions() {
        for text in [
            "passphrase = x", "{\"clientSecret\":\"x\"}", "<key>udid</key>", "pass\\u0077ord\":1", "password.prod=x",
            "secret (prod): x", "the password is wrong",
        ] {
            #expect(Privacy.isMentioned(in: Array(text.utf8)), "\(text)")
        }
        for text in ["passport = x", ""] {
            #expect(!Privacy.isMentioned(in: Array(text.utf8)), "\(text)")
        }
    }
}
