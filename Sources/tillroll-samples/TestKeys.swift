/// TEST KEYS. They sign the samples and nothing else. Everybody can read them here, so their signatures prove nothing.
/// No key of Apple's or of any user's is in this file, and tillroll trusts none of these unless it is asked to
/// (`--anchor Samples/test-roots.pem`).
///
/// Made once, so that the samples are the same bytes for the same seed: a root, an intermediate and a signer of
/// RSA-2048 for receipts, the same on P-256 for JWS, and for each signer a self-signed certificate, as Xcode makes one.
/// Base64 of DER.
enum TestKeys {
    /// Signer, intermediate, root.
    static let rsaChain = [rsaLeaf, rsaIntermediate, rsaRoot]
    static let ecChain = [ecLeaf, ecIntermediate, ecRoot]

    /// PKCS#1 private key of the signer of receipts.
    static let rsaKey: KeyMaterial = """
        MIIEogIBAAKCAQEAq3dZIF7kDu+5qFnBaV9r8yAzNoJnctscym0muVZqAdaHUQKyuV29ziuEiZ7yp7JnA9KIcS2+peKpHayDvWPwRozjHWatm23R
        zjBnKl3eGOfHOn/G5tySnR/i0bKjQm/Fd+fjxTrZ7MNyqkYOD8W8q8ypBfhLC5G9qL7BZObJ6zy/pQGucBViB3MSEWigpPiLqV6Uc6Co09qo3UZD
        2GSuxFM9Zog5EL5KIqlKRgNMmMoxUPfm6HDxyftIKh3UmPsQWZmkY0+xzffSs7p5IbMJuyhbeB4tzZR8/eGrdiabcI25CXPC+HaSUcXfbUKA8Zll
        a0O5CzpgVYbXt25vPz01BQIDAQABAoIBAA3uk5pSu3sPNWmdaV6zdyT5D9A1BkzJyuwTtFrIz7I4iSQm8PioyjxPQuSfup2vnDkuSRHRIrV91jno
        A4hG74X7+pQv/JktciervSYvHFWvt3tkWHf3oh4MMjTRq/xA8q2MdPBYmM5pDw8QxCG58luPNIicpRRakit83F/jdLKdSfLJmhpbm5/ATVqkX4VV
        g4JxX+Z4pPHyIbSlLMDVWPl8PA59fPx8r0k+ej0Uh+fdwpTN3Juoh6/aLCvgj0GgkWL3c17TVdkkvIxGDSw+n1lAbnzIXTUoxKtw9rsLAJV2jxBY
        bNOtJZXRzJ4CcdHOogPVZgSEJOpleXCvCAtjX4ECgYEA1lLNKOnYjnoUPbhMz7S23gLrb+Dg97p3VqXaFSvvyAzyVABDN8OupctnN6p8SVcaTgRM
        EhWjKkTXW23XtogzYFC+abcF+tnv/sONxUZ29MsQvj1S3GrBtbJ5wllBKF090rGiHvSeLaf7ZxerwE3q+miLHee7n5OjjKBN6gl1SyUCgYEAzM8T
        7pIHp/qZw7d+RCP71SuG+zxtgusvINqksxJ3mkjwoVkebQneLv4vr0470uwIhFLyoEzoccilAVt2qrlvnQTsCg5HeIdaSqKZw3dwyqr4hamdT3xm
        hYSJaSL3cpKDEw64oiKdWCpTRVX4cwi2pbxqWMyRSgivCySQvaFODGECgYA0Z/DElVGfnRg/80XM8Bpa9QnOxIUd7hlqNYm67ZBnMUs74QiOpSma
        Xr8xbF2RrVvAQeq77VCFcGnccGJzvqAZaAT3YopyyUGW4QhUeaNyvgitC9+sB+qv3CFLtXlqPkp0r3y95wCal12w2qfjkOnpKxEBUf2dyoMOStBi
        bseghQKBgBBLUUyjtZQ5rc4SZStKqZh2FBEc56GI0IEOpBfTGkzeDLbpfjAynsiiVGzgDoZjXPIaH099juiui+IlwrUmd6jIYXcTV8BRFG/nq9AP
        Spv1KjyIGAng3c81kjEZJRKqcV8sxqevlVEUXPehNVkBknZxHQzfiZeYRUTfrdxIXwtBAoGAIDgayX51G75IZQkRen14RiLaYKGtq/Wz3oajpkfc
        P2nmx8DC/+MFrz4lYCxE4QOpcuqpIEjaN5Lyu7P+gHRplVoGC0HoNOn6AZYxxcyJmXJybP2+h7gP8rI8P2eXhTTk6FLqXjgqqx3BTo7ldNgB8nve
        Aq1R9WU8a7FELmwKr9g=
        """
    /// The number that is the private key of the signer of JWS.
    static let ecKey: KeyMaterial = """
        uHk7Ajs7Csm1+Nvfm/gclf20VSipy/MFob21s/MVzjM=
        """
    /// Signs receipts.
    static let rsaLeaf: KeyMaterial = """
        MIIDLzCCAhegAwIBAgIDWgADMA0GCSqGSIb3DQEBCwUAMEIxGTAXBgNVBAoMEHRpbGxyb2xsIHNhbXBsZXMxJTAjBgNVBAMMHFRlc3QgRGV2ZWxv
        cGVyIFJlbGF0aW9ucyBSU0EwHhcNMTAwMTAxMDAwMDAwWhcNNDUwMTAxMDAwMDAwWjA+MRkwFwYDVQQKDBB0aWxscm9sbCBzYW1wbGVzMSEwHwYD
        VQQDDBhUZXN0IFJlY2VpcHQgU2lnbmluZyBSU0EwggEiMA0GCSqGSIb3DQEBAQUAA4IBDwAwggEKAoIBAQCrd1kgXuQO77moWcFpX2vzIDM2gmdy
        2xzKbSa5VmoB1odRArK5Xb3OK4SJnvKnsmcD0ohxLb6l4qkdrIO9Y/BGjOMdZq2bbdHOMGcqXd4Y58c6f8bm3JKdH+LRsqNCb8V35+PFOtnsw3Kq
        Rg4PxbyrzKkF+EsLkb2ovsFk5snrPL+lAa5wFWIHcxIRaKCk+IupXpRzoKjT2qjdRkPYZK7EUz1miDkQvkoiqUpGA0yYyjFQ9+bocPHJ+0gqHdSY
        +xBZmaRjT7HN99Kzunkhswm7KFt4Hi3NlHz94at2JptwjbkJc8L4dpJRxd9tQoDxmWVrQ7kLOmBVhte3bm8/PTUFAgMBAAGjMjAwMAwGA1UdEwEB
        /wQCMAAwDgYDVR0PAQH/BAQDAgeAMBAGCiqGSIb3Y2QGCwEEAgUAMA0GCSqGSIb3DQEBCwUAA4IBAQA7brhBUCi7GOPeh4oo6oSqLk9yjq0bU+/k
        GESC+ZnopwCcE45t2u5Of8sUijxpKCXwhVB+E/MUIStdpRQ1tfNTl/Sbr4AOldQra1qLiMoCeCI23+Qcy5Q/o/ZTKQ21ME0FFWA/xG3OrL//7KhH
        h3L5d7t5GhO5JrWlI4FcmZAQDGAZCDVnNU+lZqTVmWaVSAa127l2wkgcBDuyCFatyt6npcObQThS4kTAFfkLhbiJIfy4lCc4xvp8QSwjcdm+ZYA0
        678zEPfCeMELVRr2bjkOcHa9sWkoDv5BYbutUsXiSKNHIrb4P3VQLu6cdqZT8usL/UIni0/SAvRwWlQ8fjfE
        """
    /// Issued the signer of receipts.
    static let rsaIntermediate: KeyMaterial = """
        MIIDKjCCAhKgAwIBAgIDWgACMA0GCSqGSIb3DQEBCwUAMDMxGTAXBgNVBAoMEHRpbGxyb2xsIHNhbXBsZXMxFjAUBgNVBAMMDVRlc3QgUm9vdCBS
        U0EwHhcNMTAwMTAxMDAwMDAwWhcNNDUwMTAxMDAwMDAwWjBCMRkwFwYDVQQKDBB0aWxscm9sbCBzYW1wbGVzMSUwIwYDVQQDDBxUZXN0IERldmVs
        b3BlciBSZWxhdGlvbnMgUlNBMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAmukzUkW5vRqNKJixJ8BzCDTGzPFdKGUqPm3KvDDivTxj
        6Q6r1x6yWrBDGDZhmID0MBURhp6xYZI55LBO9ykUVEdtADmawJ8U7jENNZMi+JH4YoXJy23OT5GbFEucjWYjs7SQdD25d7hiJVESd+q/RcFLCazh
        8fu9UzIEQkou4++vI8yQM/HHbu7kzWoNIYNXLpK69xRLrAPh7X/uFVQbypmgpR3HFyWYzzKeWgOiCh5jFZcZQwZxyIGSYTHIsAKNJWPMcgYLaEz/
        BvM25t5vjhpL9X8sUnkwUx0GOE+sVHEPJ1O/TlwRF7bf57u5IEgz3WdSKRQZY97LRTm0fYraCwIDAQABozgwNjASBgNVHRMBAf8ECDAGAQH/AgEA
        MA4GA1UdDwEB/wQEAwIBBjAQBgoqhkiG92NkBgIBBAIFADANBgkqhkiG9w0BAQsFAAOCAQEAKclfUr++FOub7WRV1aU/pj8yRjZJv9WYzbJQNUMF
        IYewf08x10wRt5MvsdOYtFv7zTTNAy0Kenlapnfm8ME3MjmCtHWzb3FOgQ0SlBh6zCh/Yd5N9PJBW3SjOKo46TRb59u4Rd76w67+BnYxf7QFJcaY
        amI/i1wZnEdvvykHC0gR3dswB5x/cgyYnlf6P5tPImkvrYwv8OOYsj1xQ/REIyxGoMNnsQvsvn5MCa9xge2auce0UrVdZ/5rNYMOcq++t/23yrcs
        7rBPRpo6C9E1uGfPFV1OybNT3nRLIsKhQ/2r9BhL7JcgvNoMXmRQXgwYT/zX27Nk0exBvSRz8UJAYw==
        """
    /// Issued the intermediate of receipts.
    static let rsaRoot: KeyMaterial = """
        MIIDBjCCAe6gAwIBAgIDWgABMA0GCSqGSIb3DQEBCwUAMDMxGTAXBgNVBAoMEHRpbGxyb2xsIHNhbXBsZXMxFjAUBgNVBAMMDVRlc3QgUm9vdCBS
        U0EwHhcNMTAwMTAxMDAwMDAwWhcNNDUwMTAxMDAwMDAwWjAzMRkwFwYDVQQKDBB0aWxscm9sbCBzYW1wbGVzMRYwFAYDVQQDDA1UZXN0IFJvb3Qg
        UlNBMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAyGrrtEmeFAC1gfYb0IBfbSLqlLmDeuPWI8u9SpFtwVN146OMW7/4A4Up1DjHmBh7
        yjDjo326T5M0UhZDuoT8X3LULKbrWMncYvP4f1KsCCdsvgO9uy7y+r819aVZcB2ZmOPRn+y4ofOOm2kqKJk2J92cj9ST4auYofma31lhwSzC3guG
        vQgsh+cZIOgpTxaYWvLIx4qmUzXWdqgLq06/4MBQxVAU1Ai9xZoOeDIqdGPxGB43d500OPfc4X1xIIaspU8xkV67rYyAIRKG+dOpNUljc0nJe93F
        dGpSmVOAEv0P2RCZyhtbCei8fS39niVh3wwP7fo0AbVqvVe4OeQAOwIDAQABoyMwITAPBgNVHRMBAf8EBTADAQH/MA4GA1UdDwEB/wQEAwIBBjAN
        BgkqhkiG9w0BAQsFAAOCAQEAwlSf5u93taWP7T+bxHAsoBZHEdEsJt1UWHxr6OZZ/4df5NxlZPkr0TOHSJ1OHM7fE42msvoWSxkcen63UtBj71md
        1w+7Ad3GIxn0lkPVde6GLL0h7/B05ye13n4Fn5zBmYHi6eH1lOwQv6htHkJJsji5WFYefRAVreKBzg9AGgOA890xFB3omWF806tAWT+ZIvZEpBOx
        BDTr8hefP+HaLp9lCD2N2NMyXZG+1QkeGV38lO0+zungsApNHjHI8fMv45P8kGdQy0LJWsPnGhS7QmkS31/vsC93HauGe10asY1s8K+EzoOn3iOT
        6TklXL9vd2LckaeOOfe9Z5R6MzypZw==
        """
    /// The signer of receipts, issued by itself.
    static let rsaXcode: KeyMaterial = """
        MIIC+DCCAeCgAwIBAgIDWgAJMA0GCSqGSIb3DQEBCwUAMDQxGTAXBgNVBAoMEHRpbGxyb2xsIHNhbXBsZXMxFzAVBgNVBAMMDlRlc3QgWGNvZGUg
        UlNBMB4XDTEwMDEwMTAwMDAwMFoXDTQ1MDEwMTAwMDAwMFowNDEZMBcGA1UECgwQdGlsbHJvbGwgc2FtcGxlczEXMBUGA1UEAwwOVGVzdCBYY29k
        ZSBSU0EwggEiMA0GCSqGSIb3DQEBAQUAA4IBDwAwggEKAoIBAQCrd1kgXuQO77moWcFpX2vzIDM2gmdy2xzKbSa5VmoB1odRArK5Xb3OK4SJnvKn
        smcD0ohxLb6l4qkdrIO9Y/BGjOMdZq2bbdHOMGcqXd4Y58c6f8bm3JKdH+LRsqNCb8V35+PFOtnsw3KqRg4PxbyrzKkF+EsLkb2ovsFk5snrPL+l
        Aa5wFWIHcxIRaKCk+IupXpRzoKjT2qjdRkPYZK7EUz1miDkQvkoiqUpGA0yYyjFQ9+bocPHJ+0gqHdSY+xBZmaRjT7HN99Kzunkhswm7KFt4Hi3N
        lHz94at2JptwjbkJc8L4dpJRxd9tQoDxmWVrQ7kLOmBVhte3bm8/PTUFAgMBAAGjEzARMA8GA1UdEwEB/wQFMAMBAf8wDQYJKoZIhvcNAQELBQAD
        ggEBAFHTyTteQU1thcU4KOjUoGMABkO7iVEJzO942IFBgdQTDjkv1CsU7Ru6BKqiuAnhB4yCTF0d76orN2/4NE9d6yO76E4M7kIotWmxs/KYA0CP
        15xVdQYkEYr0fqm5oWc9fPGRS9QA0MwYis8FF0djzsdjIVexNzkRfJxIFFVwU14efU7WJ6a8nURVD02J3I17N+fK0sRJXIApc3mKZfWPMAZpizs0
        NIN75AFI82iHeyPmxABORjc0uxT44QUahx+tTGXMv9+eCvteGY2j1Xqs1TpQ3b21rQ5X9xCmDCPtCqtS/Ba+U6VV5ntnyOQ6Xs+sFeun2s3pnIs5
        syyX0epQnp8=
        """
    /// Signs JWS.
    static let ecLeaf: KeyMaterial = """
        MIIBojCCAUegAwIBAgIDWgATMAoGCCqGSM49BAMCMEExGTAXBgNVBAoMEHRpbGxyb2xsIHNhbXBsZXMxJDAiBgNVBAMMG1Rlc3QgRGV2ZWxvcGVy
        IFJlbGF0aW9ucyBFQzAeFw0xMDAxMDEwMDAwMDBaFw00NTAxMDEwMDAwMDBaMD0xGTAXBgNVBAoMEHRpbGxyb2xsIHNhbXBsZXMxIDAeBgNVBAMM
        F1Rlc3QgUmVjZWlwdCBTaWduaW5nIEVDMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEX7x27EldjPmYueXZ5/I76kn2vV1Ke7E8ckAl7CKAVTzw
        jtuKlL6yskStOOs/p24f1mODZsL98oldw/ydqJXkjKMyMDAwDAYDVR0TAQH/BAIwADAOBgNVHQ8BAf8EBAMCB4AwEAYKKoZIhvdjZAYLAQQCBQAw
        CgYIKoZIzj0EAwIDSQAwRgIhAI/YUif26XMYFsnQudK+EuWa4kELZhI++WwNN5zF0WmBAiEAvIDkKklrYC+gPUFgv7dsyCfeV8zECoEQ4/ukj9dY
        Z80=
        """
    /// Issued the signer of JWS.
    static let ecIntermediate: KeyMaterial = """
        MIIBnDCCAUKgAwIBAgIDWgASMAoGCCqGSM49BAMCMDIxGTAXBgNVBAoMEHRpbGxyb2xsIHNhbXBsZXMxFTATBgNVBAMMDFRlc3QgUm9vdCBFQzAe
        Fw0xMDAxMDEwMDAwMDBaFw00NTAxMDEwMDAwMDBaMEExGTAXBgNVBAoMEHRpbGxyb2xsIHNhbXBsZXMxJDAiBgNVBAMMG1Rlc3QgRGV2ZWxvcGVy
        IFJlbGF0aW9ucyBFQzBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABKBdXZWqwgTMUqkq75K6xlFppXzwJb6YeWfngvsHbYjEOEtEVRozc+GOffmk
        gXwB28bvvy7Z6V0tCldLCWDg1G6jODA2MBIGA1UdEwEB/wQIMAYBAf8CAQAwDgYDVR0PAQH/BAQDAgEGMBAGCiqGSIb3Y2QGAgEEAgUAMAoGCCqG
        SM49BAMCA0gAMEUCIAECvL0b4yCtzL3i1utHgBXR2PhjrQ7JXTQnXgpyVm6QAiEAsq2Pk2FkJMdz/auZ1EtfYDqdXD2vto70I9y5VYYeNqE=
        """
    /// Issued the intermediate of JWS.
    static let ecRoot: KeyMaterial = """
        MIIBeDCCAR6gAwIBAgIDWgARMAoGCCqGSM49BAMCMDIxGTAXBgNVBAoMEHRpbGxyb2xsIHNhbXBsZXMxFTATBgNVBAMMDFRlc3QgUm9vdCBFQzAe
        Fw0xMDAxMDEwMDAwMDBaFw00NTAxMDEwMDAwMDBaMDIxGTAXBgNVBAoMEHRpbGxyb2xsIHNhbXBsZXMxFTATBgNVBAMMDFRlc3QgUm9vdCBFQzBZ
        MBMGByqGSM49AgEGCCqGSM49AwEHA0IABAbU0v4uyugssuXsJ8GupZ+6nC/+l4h3OcMjsiZO2T/fDjMtjsEneXERJkhhIKCdRwmxSW4IbHVnpJLy
        snodzf6jIzAhMA8GA1UdEwEB/wQFMAMBAf8wDgYDVR0PAQH/BAQDAgEGMAoGCCqGSM49BAMCA0gAMEUCIQDiccRzmtwHbgKnN91pJO2i99ZVDkms
        t938kzBGxCrLPwIgUbK5GGDqiyOmBoFeqJudMBCGp/vvV3dFUtdSawQ18DU=
        """
    /// The signer of JWS, issued by itself.
    static let ecXcode: KeyMaterial = """
        MIIBajCCARCgAwIBAgIDWgAJMAoGCCqGSM49BAMCMDMxGTAXBgNVBAoMEHRpbGxyb2xsIHNhbXBsZXMxFjAUBgNVBAMMDVRlc3QgWGNvZGUgRUMw
        HhcNMTAwMTAxMDAwMDAwWhcNNDUwMTAxMDAwMDAwWjAzMRkwFwYDVQQKDBB0aWxscm9sbCBzYW1wbGVzMRYwFAYDVQQDDA1UZXN0IFhjb2RlIEVD
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEX7x27EldjPmYueXZ5/I76kn2vV1Ke7E8ckAl7CKAVTzwjtuKlL6yskStOOs/p24f1mODZsL98old
        w/ydqJXkjKMTMBEwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiEA9sRaraS8Q8MnphP8The8lPSii3YsfK3wk2f85oEMgYkCIAPs
        4IL2Ii8oWl0w22fbvpxdbuSKICRNZiRchbQvvkel
        """
}

/// A key or certificate, in base64 over several lines.
struct KeyMaterial: ExpressibleByStringLiteral {
    let octets: [UInt8]

    init(stringLiteral base64: String) {
        octets = [UInt8](base64: base64)
    }
}
