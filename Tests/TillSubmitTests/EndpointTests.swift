import Testing
import TillCore
import TillSubmit

@Suite("Addresses of endpoints")
struct EndpointTests {
    @Test(
        "https is accepted for every host, http for this machine",
        arguments: [
            "https://buy.itunes.apple.com/verifyReceipt", "https://example.com", "HTTPS://Example.com:8443/a/b?c=d",
            "https://[2001:db8::1]:443/x", "http://localhost:8080/verifyReceipt", "http://127.0.0.1/", "http://[::1]:1",
        ]
    )
    func accepts(_ text: String) throws {
        #expect(try Endpoint(text).url == text)
    }

    @Test(
        "Other addresses are refused, and the message does not repeat them",
        arguments: [
            "", "example.com/verifyReceipt", "http://example.com/", "http://localhost.example.com/",
            "http://127.0.0.1.example.com/", "ftp://example.com/", "file:///etc/passwd", "https://", "https:///path",
            "https://user:hunter22@example.com/", "http://localhost:80@example.com/", "https://example.com:0/",
            "https://example.com:99999/", "https://example.com:/", "https://exa mple.com/", "https://example.com/\n",
            "https://example.com\\@localhost/", "https://exämple.com/", "https://example.com/#part", "https://[::1/",
            "https://[::1]x/", "https://" + String(repeating: "a", count: 3000),
        ]
    )
    func refuses(_ text: String) throws {
        let error = try #require(throws: Finding.self) { try Endpoint(text) }
        #expect(error.code == "submit.endpoint")
        #expect(!error.reason.contains("hunter22"))
    }

    @Test("Only Apple's production endpoint has a sandbox of its own")
    func hasSandbox() throws {
        #expect(Endpoint.production.ownSandbox == .sandbox)
        #expect(try Endpoint(Endpoint.production.url).ownSandbox == .sandbox)
        #expect(try Endpoint("https://example.com/").ownSandbox == nil)
        #expect(Endpoint.sandbox.ownSandbox == nil)
    }
}
