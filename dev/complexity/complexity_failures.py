"""Client events and what fails."""
from complexity_parts import DAY, FORMATS, HOUR, MARCH, event, events, lines, shape

FAILURES = ["report failures in -t json", "report failures in -t table", "report failures in -t html"]


@shape("failures of one code", *FAILURES)
def _(parts):
    return events(parts)


@shape("codes", *FAILURES)
def _(parts):
    return events(parts, error=lambda n: {"domain": "SKErrorDomain", "code": n})


@shape("domains", *FAILURES)
def _(parts):
    return events(parts, error=lambda n: {"domain": f"Domain{n}", "code": 1})


@shape("failures an hour apart", *FAILURES)
def _(parts):
    return events(parts, ts=lambda n: MARCH + n * HOUR)


@shape("failures a year apart", *FAILURES, parts=50, most=400)
def _(parts):
    return events(parts, ts=lambda n: n * 365 * DAY)


@shape("codes in many hours", *FAILURES, most=8_000)
def _(parts):
    return events(parts, ts=lambda n: MARCH + n * HOUR, error=lambda n: {"domain": "D", "code": n % 100})


@shape("spikes", *FAILURES, most=8_000)
def _(parts):
    return lines(
        event(hour * 20 + copy, ts=MARCH + hour * HOUR, error={"domain": "D", "code": hour // 40})
        for hour in range(parts // 4) for copy in range(20 if hour % 40 == 39 else 1)
    )


@shape("versions in a spike", *FAILURES, most=8_000)
def _(parts):
    return lines(
        event(n, ts=MARCH + (n * 200 // parts) * HOUR if n % 4 else MARCH + 199 * HOUR, app_version=f"{n}", os_version=f"{n % 97}.{n}",
              storefront=f"S{n}", product_id=f"p{n}")
        for n in range(parts)
    )


@shape("one attempt", *FAILURES)
def _(parts):
    return events(parts, attempt_id="1")


@shape("underlying errors", "report failures in -t json", "inspect in -t text", parts=20, most=4_000)
def _(parts):
    error = '{"domain":"D","code":1,"underlying":' * parts + '{"domain":"D","code":1}' + "}" * parts
    return "".join(f'{{"event":"failed","ts":{MARCH + n},"attempt_id":"{n}","error":{error}}}\n' for n in range(20))


@shape("many errors of one event", "report failures in -t json")
def _(parts):
    return lines([event(0, errors=[{"domain": "D", "code": n} for n in range(parts)])])


@shape("messages", "report failures in -t json")
def _(parts):
    return events(parts, error=lambda n: {"domain": "D", "code": 1, "message": "m" * 300 + str(n)})


@shape("failures while they are watched", "report failures in --alert ongoing -t json")
def _(parts):
    return events(parts, ts=lambda n: MARCH + n * HOUR // 4, error=lambda n: {"domain": "D", "code": n % 7})


@shape("failures in every format", *(f"report failures in -t {name}" for name in FORMATS), most=8_000)
def _(parts):
    return events(parts, ts=lambda n: MARCH + n % 500 * HOUR, error=lambda n: {"domain": f"D{n % 300}", "code": n})


@shape("failures by every key", "report failures in --by app_version,os_version,storefront,product_id,hour -t json",
       "report failures in --by day,app_version -t table --detail", "report failures in --explain code=3 -t json",
       "report failures in --examples 10 -t json")
def _(parts):
    return events(parts, app_version=lambda n: f"{n}", os_version=lambda n: f"{n % 97}.{n}", storefront=lambda n: f"S{n}", product_id=lambda n: f"p{n}")


@shape("purchases and restores of events", "report restores in -t json", "report restores in -t html")
def _(parts):
    return events(parts, event=lambda n: "restored" if n % 2 else "purchased", transaction_id=lambda n: str(n), error=None)


@shape("verifications that failed", "report failures in -t json", "report failures in -t table")
def _(parts):
    return lines({"status": 21000 + n % 200, "ts": MARCH + n * HOUR} for n in range(parts))


@shape("errors in errors in text", "report failures in -t json", "inspect in -t text", parts=200, most=64_000)
def _(parts):
    return 'Error Domain=SKErrorDomain Code=2 "x" UserInfo={' * parts + "\n"


@shape("log lines of errors", "report failures in -t json", "convert in -t ndjson")
def _(parts):
    return "".join(
        f'2026-03-01 10:{n // 60 % 60:02}:{n % 60:02} app[{n}] Error Domain=SKErrorDomain Code={n % 19} "Cannot connect" '
        f"UserInfo={{NSUnderlyingError=0x{n:x} {{Error Domain=ASDErrorDomain Code={n % 999} \"(null)\"}}}}\n"
        for n in range(parts)
    )


@shape("errors of one line of log", "report failures in -t json", "convert in -t ndjson")
def _(parts):
    return " ".join(f"Error Domain=SKErrorDomain Code={n}" for n in range(parts)) + "\n"
