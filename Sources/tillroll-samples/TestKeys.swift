/// TEST KEYS. They sign the samples and nothing else. Everybody can read them here, so their signatures prove nothing.
/// No key of Apple's or of any user's is in this file, and tillroll trusts none of these unless it is asked to
/// (`--anchor Samples/test-roots.pem`).
///
/// Made once, so that the samples are the same bytes for the same seed: a root, an intermediate and a signer of RSA-2048
/// for receipts, the same on P-256 for JWS, and for each signer a self-signed certificate, as Xcode makes one. Base64 of
/// DER.
enum TestKeys {
    /// Signer, intermediate, root.
    static let rsaChain = [rsaLeaf, rsaIntermediate, rsaRoot]
    static let ecChain = [ecLeaf, ecIntermediate, ecRoot]

    /// PKCS#1 private key of the signer of receipts.
    static let rsaKey: KeyMaterial = """
        MIIEogIBAAKCAQEAq3dZIF7kDu+5qFnBaV9r8yAzNoJnctscym0muVZqAdaHUQKyuV29ziuEiZ7yp7JnA9KIcS2+peKpHayDvWPw
        RozjHWatm23RzjBnKl3eGOfHOn/G5tySnR/i0bKjQm/Fd+fjxTrZ7MNyqkYOD8W8q8ypBfhLC5G9qL7BZObJ6zy/pQGucBViB3MS
        EWigpPiLqV6Uc6Co09qo3UZD2GSuxFM9Zog5EL5KIqlKRgNMmMoxUPfm6HDxyftIKh3UmPsQWZmkY0+xzffSs7p5IbMJuyhbeB4t
        zZR8/eGrdiabcI25CXPC+HaSUcXfbUKA8Zlla0O5CzpgVYbXt25vPz01BQIDAQABAoIBAA3uk5pSu3sPNWmdaV6zdyT5D9A1BkzJ
        yuwTtFrIz7I4iSQm8PioyjxPQuSfup2vnDkuSRHRIrV91jnoA4hG74X7+pQv/JktciervSYvHFWvt3tkWHf3oh4MMjTRq/xA8q2M
        dPBYmM5pDw8QxCG58luPNIicpRRakit83F/jdLKdSfLJmhpbm5/ATVqkX4VVg4JxX+Z4pPHyIbSlLMDVWPl8PA59fPx8r0k+ej0U
        h+fdwpTN3Juoh6/aLCvgj0GgkWL3c17TVdkkvIxGDSw+n1lAbnzIXTUoxKtw9rsLAJV2jxBYbNOtJZXRzJ4CcdHOogPVZgSEJOpl
        eXCvCAtjX4ECgYEA1lLNKOnYjnoUPbhMz7S23gLrb+Dg97p3VqXaFSvvyAzyVABDN8OupctnN6p8SVcaTgRMEhWjKkTXW23Xtogz
        YFC+abcF+tnv/sONxUZ29MsQvj1S3GrBtbJ5wllBKF090rGiHvSeLaf7ZxerwE3q+miLHee7n5OjjKBN6gl1SyUCgYEAzM8T7pIH
        p/qZw7d+RCP71SuG+zxtgusvINqksxJ3mkjwoVkebQneLv4vr0470uwIhFLyoEzoccilAVt2qrlvnQTsCg5HeIdaSqKZw3dwyqr4
        hamdT3xmhYSJaSL3cpKDEw64oiKdWCpTRVX4cwi2pbxqWMyRSgivCySQvaFODGECgYA0Z/DElVGfnRg/80XM8Bpa9QnOxIUd7hlq
        NYm67ZBnMUs74QiOpSmaXr8xbF2RrVvAQeq77VCFcGnccGJzvqAZaAT3YopyyUGW4QhUeaNyvgitC9+sB+qv3CFLtXlqPkp0r3y9
        5wCal12w2qfjkOnpKxEBUf2dyoMOStBibseghQKBgBBLUUyjtZQ5rc4SZStKqZh2FBEc56GI0IEOpBfTGkzeDLbpfjAynsiiVGzg
        DoZjXPIaH099juiui+IlwrUmd6jIYXcTV8BRFG/nq9APSpv1KjyIGAng3c81kjEZJRKqcV8sxqevlVEUXPehNVkBknZxHQzfiZeY
        RUTfrdxIXwtBAoGAIDgayX51G75IZQkRen14RiLaYKGtq/Wz3oajpkfcP2nmx8DC/+MFrz4lYCxE4QOpcuqpIEjaN5Lyu7P+gHRp
        lVoGC0HoNOn6AZYxxcyJmXJybP2+h7gP8rI8P2eXhTTk6FLqXjgqqx3BTo7ldNgB8nveAq1R9WU8a7FELmwKr9g=
        """
    /// The number that is the private key of the signer of JWS.
    static let ecKey: KeyMaterial = """
        uHk7Ajs7Csm1+Nvfm/gclf20VSipy/MFob21s/MVzjM=
        """
    /// Signs receipts.
    static let rsaLeaf: KeyMaterial = """
        MIIDLzCCAhegAwIBAgIDWgADMA0GCSqGSIb3DQEBCwUAMEIxGTAXBgNVBAoMEHRpbGxyb2xsIHNhbXBsZXMxJTAjBgNVBAMMHFRl
        c3QgRGV2ZWxvcGVyIFJlbGF0aW9ucyBSU0EwHhcNMTAwMTAxMDAwMDAwWhcNNDUwMTAxMDAwMDAwWjA+MRkwFwYDVQQKDBB0aWxs
        cm9sbCBzYW1wbGVzMSEwHwYDVQQDDBhUZXN0IFJlY2VpcHQgU2lnbmluZyBSU0EwggEiMA0GCSqGSIb3DQEBAQUAA4IBDwAwggEK
        AoIBAQCrd1kgXuQO77moWcFpX2vzIDM2gmdy2xzKbSa5VmoB1odRArK5Xb3OK4SJnvKnsmcD0ohxLb6l4qkdrIO9Y/BGjOMdZq2b
        bdHOMGcqXd4Y58c6f8bm3JKdH+LRsqNCb8V35+PFOtnsw3KqRg4PxbyrzKkF+EsLkb2ovsFk5snrPL+lAa5wFWIHcxIRaKCk+Iup
        XpRzoKjT2qjdRkPYZK7EUz1miDkQvkoiqUpGA0yYyjFQ9+bocPHJ+0gqHdSY+xBZmaRjT7HN99Kzunkhswm7KFt4Hi3NlHz94at2
        JptwjbkJc8L4dpJRxd9tQoDxmWVrQ7kLOmBVhte3bm8/PTUFAgMBAAGjMjAwMAwGA1UdEwEB/wQCMAAwDgYDVR0PAQH/BAQDAgeA
        MBAGCiqGSIb3Y2QGCwEEAgUAMA0GCSqGSIb3DQEBCwUAA4IBAQA7brhBUCi7GOPeh4oo6oSqLk9yjq0bU+/kGESC+ZnopwCcE45t
        2u5Of8sUijxpKCXwhVB+E/MUIStdpRQ1tfNTl/Sbr4AOldQra1qLiMoCeCI23+Qcy5Q/o/ZTKQ21ME0FFWA/xG3OrL//7KhHh3L5
        d7t5GhO5JrWlI4FcmZAQDGAZCDVnNU+lZqTVmWaVSAa127l2wkgcBDuyCFatyt6npcObQThS4kTAFfkLhbiJIfy4lCc4xvp8QSwj
        cdm+ZYA0678zEPfCeMELVRr2bjkOcHa9sWkoDv5BYbutUsXiSKNHIrb4P3VQLu6cdqZT8usL/UIni0/SAvRwWlQ8fjfE
        """
    /// Issued the signer of receipts.
    static let rsaIntermediate: KeyMaterial = """
        MIIDKjCCAhKgAwIBAgIDWgACMA0GCSqGSIb3DQEBCwUAMDMxGTAXBgNVBAoMEHRpbGxyb2xsIHNhbXBsZXMxFjAUBgNVBAMMDVRl
        c3QgUm9vdCBSU0EwHhcNMTAwMTAxMDAwMDAwWhcNNDUwMTAxMDAwMDAwWjBCMRkwFwYDVQQKDBB0aWxscm9sbCBzYW1wbGVzMSUw
        IwYDVQQDDBxUZXN0IERldmVsb3BlciBSZWxhdGlvbnMgUlNBMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAmukzUkW5
        vRqNKJixJ8BzCDTGzPFdKGUqPm3KvDDivTxj6Q6r1x6yWrBDGDZhmID0MBURhp6xYZI55LBO9ykUVEdtADmawJ8U7jENNZMi+JH4
        YoXJy23OT5GbFEucjWYjs7SQdD25d7hiJVESd+q/RcFLCazh8fu9UzIEQkou4++vI8yQM/HHbu7kzWoNIYNXLpK69xRLrAPh7X/u
        FVQbypmgpR3HFyWYzzKeWgOiCh5jFZcZQwZxyIGSYTHIsAKNJWPMcgYLaEz/BvM25t5vjhpL9X8sUnkwUx0GOE+sVHEPJ1O/TlwR
        F7bf57u5IEgz3WdSKRQZY97LRTm0fYraCwIDAQABozgwNjASBgNVHRMBAf8ECDAGAQH/AgEAMA4GA1UdDwEB/wQEAwIBBjAQBgoq
        hkiG92NkBgIBBAIFADANBgkqhkiG9w0BAQsFAAOCAQEAKclfUr++FOub7WRV1aU/pj8yRjZJv9WYzbJQNUMFIYewf08x10wRt5Mv
        sdOYtFv7zTTNAy0Kenlapnfm8ME3MjmCtHWzb3FOgQ0SlBh6zCh/Yd5N9PJBW3SjOKo46TRb59u4Rd76w67+BnYxf7QFJcaYamI/
        i1wZnEdvvykHC0gR3dswB5x/cgyYnlf6P5tPImkvrYwv8OOYsj1xQ/REIyxGoMNnsQvsvn5MCa9xge2auce0UrVdZ/5rNYMOcq++
        t/23yrcs7rBPRpo6C9E1uGfPFV1OybNT3nRLIsKhQ/2r9BhL7JcgvNoMXmRQXgwYT/zX27Nk0exBvSRz8UJAYw==
        """
    /// Issued the intermediate of receipts.
    static let rsaRoot: KeyMaterial = """
        MIIDBjCCAe6gAwIBAgIDWgABMA0GCSqGSIb3DQEBCwUAMDMxGTAXBgNVBAoMEHRpbGxyb2xsIHNhbXBsZXMxFjAUBgNVBAMMDVRl
        c3QgUm9vdCBSU0EwHhcNMTAwMTAxMDAwMDAwWhcNNDUwMTAxMDAwMDAwWjAzMRkwFwYDVQQKDBB0aWxscm9sbCBzYW1wbGVzMRYw
        FAYDVQQDDA1UZXN0IFJvb3QgUlNBMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAyGrrtEmeFAC1gfYb0IBfbSLqlLmD
        euPWI8u9SpFtwVN146OMW7/4A4Up1DjHmBh7yjDjo326T5M0UhZDuoT8X3LULKbrWMncYvP4f1KsCCdsvgO9uy7y+r819aVZcB2Z
        mOPRn+y4ofOOm2kqKJk2J92cj9ST4auYofma31lhwSzC3guGvQgsh+cZIOgpTxaYWvLIx4qmUzXWdqgLq06/4MBQxVAU1Ai9xZoO
        eDIqdGPxGB43d500OPfc4X1xIIaspU8xkV67rYyAIRKG+dOpNUljc0nJe93FdGpSmVOAEv0P2RCZyhtbCei8fS39niVh3wwP7fo0
        AbVqvVe4OeQAOwIDAQABoyMwITAPBgNVHRMBAf8EBTADAQH/MA4GA1UdDwEB/wQEAwIBBjANBgkqhkiG9w0BAQsFAAOCAQEAwlSf
        5u93taWP7T+bxHAsoBZHEdEsJt1UWHxr6OZZ/4df5NxlZPkr0TOHSJ1OHM7fE42msvoWSxkcen63UtBj71md1w+7Ad3GIxn0lkPV
        de6GLL0h7/B05ye13n4Fn5zBmYHi6eH1lOwQv6htHkJJsji5WFYefRAVreKBzg9AGgOA890xFB3omWF806tAWT+ZIvZEpBOxBDTr
        8hefP+HaLp9lCD2N2NMyXZG+1QkeGV38lO0+zungsApNHjHI8fMv45P8kGdQy0LJWsPnGhS7QmkS31/vsC93HauGe10asY1s8K+E
        zoOn3iOT6TklXL9vd2LckaeOOfe9Z5R6MzypZw==
        """
    /// The signer of receipts, issued by itself.
    static let rsaXcode: KeyMaterial = """
        MIIC+DCCAeCgAwIBAgIDWgAJMA0GCSqGSIb3DQEBCwUAMDQxGTAXBgNVBAoMEHRpbGxyb2xsIHNhbXBsZXMxFzAVBgNVBAMMDlRl
        c3QgWGNvZGUgUlNBMB4XDTEwMDEwMTAwMDAwMFoXDTQ1MDEwMTAwMDAwMFowNDEZMBcGA1UECgwQdGlsbHJvbGwgc2FtcGxlczEX
        MBUGA1UEAwwOVGVzdCBYY29kZSBSU0EwggEiMA0GCSqGSIb3DQEBAQUAA4IBDwAwggEKAoIBAQCrd1kgXuQO77moWcFpX2vzIDM2
        gmdy2xzKbSa5VmoB1odRArK5Xb3OK4SJnvKnsmcD0ohxLb6l4qkdrIO9Y/BGjOMdZq2bbdHOMGcqXd4Y58c6f8bm3JKdH+LRsqNC
        b8V35+PFOtnsw3KqRg4PxbyrzKkF+EsLkb2ovsFk5snrPL+lAa5wFWIHcxIRaKCk+IupXpRzoKjT2qjdRkPYZK7EUz1miDkQvkoi
        qUpGA0yYyjFQ9+bocPHJ+0gqHdSY+xBZmaRjT7HN99Kzunkhswm7KFt4Hi3NlHz94at2JptwjbkJc8L4dpJRxd9tQoDxmWVrQ7kL
        OmBVhte3bm8/PTUFAgMBAAGjEzARMA8GA1UdEwEB/wQFMAMBAf8wDQYJKoZIhvcNAQELBQADggEBAFHTyTteQU1thcU4KOjUoGMA
        BkO7iVEJzO942IFBgdQTDjkv1CsU7Ru6BKqiuAnhB4yCTF0d76orN2/4NE9d6yO76E4M7kIotWmxs/KYA0CP15xVdQYkEYr0fqm5
        oWc9fPGRS9QA0MwYis8FF0djzsdjIVexNzkRfJxIFFVwU14efU7WJ6a8nURVD02J3I17N+fK0sRJXIApc3mKZfWPMAZpizs0NIN7
        5AFI82iHeyPmxABORjc0uxT44QUahx+tTGXMv9+eCvteGY2j1Xqs1TpQ3b21rQ5X9xCmDCPtCqtS/Ba+U6VV5ntnyOQ6Xs+sFeun
        2s3pnIs5syyX0epQnp8=
        """
    /// Signs JWS.
    static let ecLeaf: KeyMaterial = """
        MIIBojCCAUegAwIBAgIDWgATMAoGCCqGSM49BAMCMEExGTAXBgNVBAoMEHRpbGxyb2xsIHNhbXBsZXMxJDAiBgNVBAMMG1Rlc3Qg
        RGV2ZWxvcGVyIFJlbGF0aW9ucyBFQzAeFw0xMDAxMDEwMDAwMDBaFw00NTAxMDEwMDAwMDBaMD0xGTAXBgNVBAoMEHRpbGxyb2xs
        IHNhbXBsZXMxIDAeBgNVBAMMF1Rlc3QgUmVjZWlwdCBTaWduaW5nIEVDMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEX7x27Eld
        jPmYueXZ5/I76kn2vV1Ke7E8ckAl7CKAVTzwjtuKlL6yskStOOs/p24f1mODZsL98oldw/ydqJXkjKMyMDAwDAYDVR0TAQH/BAIw
        ADAOBgNVHQ8BAf8EBAMCB4AwEAYKKoZIhvdjZAYLAQQCBQAwCgYIKoZIzj0EAwIDSQAwRgIhAI/YUif26XMYFsnQudK+EuWa4kEL
        ZhI++WwNN5zF0WmBAiEAvIDkKklrYC+gPUFgv7dsyCfeV8zECoEQ4/ukj9dYZ80=
        """
    /// Issued the signer of JWS.
    static let ecIntermediate: KeyMaterial = """
        MIIBnDCCAUKgAwIBAgIDWgASMAoGCCqGSM49BAMCMDIxGTAXBgNVBAoMEHRpbGxyb2xsIHNhbXBsZXMxFTATBgNVBAMMDFRlc3Qg
        Um9vdCBFQzAeFw0xMDAxMDEwMDAwMDBaFw00NTAxMDEwMDAwMDBaMEExGTAXBgNVBAoMEHRpbGxyb2xsIHNhbXBsZXMxJDAiBgNV
        BAMMG1Rlc3QgRGV2ZWxvcGVyIFJlbGF0aW9ucyBFQzBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABKBdXZWqwgTMUqkq75K6xlFp
        pXzwJb6YeWfngvsHbYjEOEtEVRozc+GOffmkgXwB28bvvy7Z6V0tCldLCWDg1G6jODA2MBIGA1UdEwEB/wQIMAYBAf8CAQAwDgYD
        VR0PAQH/BAQDAgEGMBAGCiqGSIb3Y2QGAgEEAgUAMAoGCCqGSM49BAMCA0gAMEUCIAECvL0b4yCtzL3i1utHgBXR2PhjrQ7JXTQn
        XgpyVm6QAiEAsq2Pk2FkJMdz/auZ1EtfYDqdXD2vto70I9y5VYYeNqE=
        """
    /// Issued the intermediate of JWS.
    static let ecRoot: KeyMaterial = """
        MIIBeDCCAR6gAwIBAgIDWgARMAoGCCqGSM49BAMCMDIxGTAXBgNVBAoMEHRpbGxyb2xsIHNhbXBsZXMxFTATBgNVBAMMDFRlc3Qg
        Um9vdCBFQzAeFw0xMDAxMDEwMDAwMDBaFw00NTAxMDEwMDAwMDBaMDIxGTAXBgNVBAoMEHRpbGxyb2xsIHNhbXBsZXMxFTATBgNV
        BAMMDFRlc3QgUm9vdCBFQzBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABAbU0v4uyugssuXsJ8GupZ+6nC/+l4h3OcMjsiZO2T/f
        DjMtjsEneXERJkhhIKCdRwmxSW4IbHVnpJLysnodzf6jIzAhMA8GA1UdEwEB/wQFMAMBAf8wDgYDVR0PAQH/BAQDAgEGMAoGCCqG
        SM49BAMCA0gAMEUCIQDiccRzmtwHbgKnN91pJO2i99ZVDkmst938kzBGxCrLPwIgUbK5GGDqiyOmBoFeqJudMBCGp/vvV3dFUtdS
        awQ18DU=
        """
    /// The signer of JWS, issued by itself.
    static let ecXcode: KeyMaterial = """
        MIIBajCCARCgAwIBAgIDWgAJMAoGCCqGSM49BAMCMDMxGTAXBgNVBAoMEHRpbGxyb2xsIHNhbXBsZXMxFjAUBgNVBAMMDVRlc3Qg
        WGNvZGUgRUMwHhcNMTAwMTAxMDAwMDAwWhcNNDUwMTAxMDAwMDAwWjAzMRkwFwYDVQQKDBB0aWxscm9sbCBzYW1wbGVzMRYwFAYD
        VQQDDA1UZXN0IFhjb2RlIEVDMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEX7x27EldjPmYueXZ5/I76kn2vV1Ke7E8ckAl7CKA
        VTzwjtuKlL6yskStOOs/p24f1mODZsL98oldw/ydqJXkjKMTMBEwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiEA
        9sRaraS8Q8MnphP8The8lPSii3YsfK3wk2f85oEMgYkCIAPs4IL2Ii8oWl0w22fbvpxdbuSKICRNZiRchbQvvkel
        """
}

/// A key or certificate, in base64 over several lines.
struct KeyMaterial: ExpressibleByStringLiteral {
    let octets: [UInt8]

    init(stringLiteral base64: String) {
        octets = [UInt8](base64: base64)
    }
}
