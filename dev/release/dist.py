#!/usr/bin/env python3
"""dist.py TILLROLL SCRATCH OUT   writes the release: a tarball, a Debian package, an SBOM (SPDX 2.3), SHA256SUMS.

Equal input gives equal bytes: files are sorted, belong to root and bear the time of the last change (SOURCE_DATE_EPOCH, else the
last commit). Only the Python standard library and dpkg-deb are needed; without dpkg-deb there is no package, and that is said.
"""
import gzip
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
# The licence of tillroll itself, as an SPDX identifier, and the line in NOTICE with its authors.
LICENCE = "Apache-2.0"
COPYRIGHT = next(line for line in (PROJECT / "NOTICE").read_text().splitlines() if line.startswith("Copyright "))
# With the pages of docs/, so that links of the README work in a release.
DOCUMENTS = ("LICENSE", "NOTICE", "README.md", "CHANGELOG.md", "SECURITY.md", *sorted(f"docs/{page.name}" for page in (PROJECT / "docs").glob("*.md")))
# The GCC Runtime Library Exception lets its C++ library be linked into any program; Debian says so in this file.
CXX_COPYRIGHT = Path("/usr/share/doc/libstdc++6/copyright")
# Software that is a part of what is linked in: its parent, licence, home, and the file with its licence below the parent's
# checkout (None: under the parent's own licence). Of a source file the first comment is taken.
CONTAINED = [
    ("BoringSSL", "swift-crypto", "Apache-2.0", "https://boringssl.googlesource.com/boringssl", None),
    ("fiat-crypto", "swift-crypto", "MIT", "https://github.com/mit-plv/fiat-crypto", PROJECT / "dev/release/licences/fiat-crypto.txt"),
    ("XKCP", "swift-crypto", "CC0-1.0", "https://github.com/XKCP/XKCP", "Sources/CXKCP/FIPS202-opt64/KeccakP-1600-opt64.c"),
    ("brg_endian", "swift-crypto", "LicenseRef-brg-endian", "https://github.com/BrianGladman", "Sources/CXKCP/FIPS202-opt64/brg_endian.h"),
    ("swift-foundation", "swift", "Apache-2.0 WITH Swift-exception", "https://github.com/swiftlang/swift-foundation", None),
    ("swift-collections", "swift", "Apache-2.0 WITH Swift-exception", "https://github.com/apple/swift-collections", None),
    ("swift-corelibs-libdispatch", "swift", "Apache-2.0 WITH Swift-exception", "https://github.com/swiftlang/swift-corelibs-libdispatch", None),
    ("LLVM", "swift", "Apache-2.0 WITH LLVM-exception", "https://llvm.org", None),
]
# Libraries that are opened when they are needed, by what needs them. Without one, its feature says what is missing.
OPENED = {
    "libxml2": "reads metadata.xml",
    "libxlsxwriter": "writes workbooks",
    "libisal": "inflates gzip; without it zlib does, more slowly",
    "libcurl": "sends receipts for submit",
    "ca-certificates": "has the roots by which submit checks servers",
    "tzdata": "has the rules of time zones",
}


def text(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def epoch():
    told = os.environ.get("SOURCE_DATE_EPOCH")
    return int(told) if told else int(text("git", "-C", str(PROJECT), "log", "-1", "--format=%ct"))


def told_versions(tool):
    """The libraries that `--version` names, with their versions; the first line is that of the tool."""
    lines = text(str(tool), "--version").splitlines()
    return lines[0], dict(line.split(" ", 1) for line in lines[1:])


def check_versions(told, parts):
    """`--version` is compiled in, so it is held against what was built."""
    for part in parts:
        if part["name"] in told and told[part["name"]].split()[0] != part["version"]:
            sys.exit(f"--version says {part['name']} {told[part['name']]}, and {part['version']} was built; remedy: Tool.swift")
    boring = next(part for part in parts if part["name"] == "BoringSSL")
    if boring["version"] not in told.get("swift-crypto", ""):
        sys.exit(f"--version does not say BoringSSL {boring['version']}; remedy: Tool.swift")


def first_comment(path):
    source = path.read_text(errors="replace")
    return source[source.index("/*") + 2 : source.index("*/")].strip()


def contained(parts, scratch):
    """Software inside the packages and the runtime that has a name, and often a licence, of its own."""
    parents = {part["name"]: part for part in parts}
    found = []
    for name, parent, licence, location, file in CONTAINED:
        version = parents[parent]["version"]
        if name == "BoringSSL":
            told = (scratch / "checkouts" / parent / "Sources/CCryptoBoringSSL/hash.txt").read_text()
            version = re.search(r"revision ([0-9a-f]{40})", told)[1]
        if file is None:
            words = f"The licence of {parent}, above."
        elif isinstance(file, Path):
            words = file.read_text()
        else:
            words = first_comment(scratch / "checkouts" / parent / file)
        found.append({
            "name": name, "version": version if name == "BoringSSL" else f"as in {parent} {version}", "location": location, "licence": licence,
            "texts": [], "words": words,
        })
    return found


def linked_packages(scratch):
    """The Swift packages of the build, by Package.resolved, with their checkouts."""
    pins = json.loads((PROJECT / "Package.resolved").read_text())["pins"]
    packages = []
    for pin in sorted(pins, key=lambda pin: pin["identity"]):
        checkout = scratch / "checkouts" / pin["identity"]
        licences = sorted(p for p in checkout.iterdir() if re.match(r"(LICENSE|NOTICE|COPYING)", p.name))
        if not licences:
            sys.exit(f"{pin['identity']}: its checkout has no licence; remedy: look into {checkout}")
        packages.append(
            {
                "name": pin["identity"],
                "version": pin["state"]["version"],
                "location": f"{pin['location']}@{pin['state']['revision']}",
                "licence": "Apache-2.0",
                "texts": licences,
            }
        )
    return packages


def runtimes():
    """The Swift standard library and the C++ library, which are linked statically."""
    swift = Path(shutil.which("swift")).resolve()
    licence = next((p / "share/swift/LICENSE.txt" for p in swift.parents if (p / "share/swift/LICENSE.txt").is_file()), None)
    if licence is None:
        sys.exit("the Swift toolchain has no share/swift/LICENSE.txt; remedy: build with a toolchain of swift.org")
    version = re.search(r"Swift version (\S+)", text("swift", "--version"))[1]
    found = [
        {
            "name": "swift", "version": version, "location": "https://github.com/swiftlang/swift",
            "licence": "Apache-2.0 WITH Swift-exception", "texts": [licence],
        }
    ]
    if CXX_COPYRIGHT.is_file():
        compiler = text("cc", "-dumpfullversion", "-dumpversion").splitlines()[0] if shutil.which("cc") else "unknown"
        found.append(
            {
                "name": "libstdc++", "version": compiler, "location": "https://gcc.gnu.org",
                "licence": "GPL-3.0-or-later WITH GCC-exception-3.1", "texts": [CXX_COPYRIGHT],
            }
        )
    return found


def needed_libraries(tool):
    """Shared libraries that the command cannot start without."""
    found = re.findall(r"NEEDED.*\[(.*)\]", text("readelf", "-d", str(tool)))
    return sorted(name for name in found if not name.startswith("ld-linux"))


def notices(parts):
    """The licence texts of all that is linked in, one after the other."""
    pieces = [
        f"tillroll\n{COPYRIGHT}\nSPDX-License-Identifier: {LICENCE}\nThe text of this licence is in LICENSE.\n",
        "\ntillroll contains the following software.\n",
    ]
    for part in parts:
        pieces.append(f"\n{'=' * 78}\n{part['name']} {part['version']}   {part['licence']}\n{part['location']}\n")
        if "words" in part:
            pieces.append(f"\n{part['words'].strip()}\n")
        for path in part["texts"]:
            pieces.append(f"\n{'-' * 78}\n{path.name}\n\n{path.read_text(errors='replace').strip()}\n")
    return "".join(pieces)


def sbom(version, tool, parts, libraries, told, time):
    """The bill of materials as SPDX 2.3 (https://spdx.github.io/spdx-spec/v2.3/)."""
    digest = hashlib.sha256(tool.read_bytes()).hexdigest()
    created = text("date", "-u", "-d", f"@{time}", "+%Y-%m-%dT%H:%M:%SZ")

    def package(identifier, name, number, location, licence, **more):
        return {
            "SPDXID": f"SPDXRef-{identifier}", "name": name, "versionInfo": number, "downloadLocation": location,
            "filesAnalyzed": False, "licenseConcluded": licence, "licenseDeclared": licence, "copyrightText": "NOASSERTION", **more,
        }

    packages = [
        package(
            "tillroll", "tillroll", version, "NOASSERTION", LICENCE, copyrightText=COPYRIGHT,
            checksums=[{"algorithm": "SHA256", "checksumValue": digest}], primaryPackagePurpose="APPLICATION",
        )
    ]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-tillroll")]

    def identifier(name):
        return re.sub(r"[^A-Za-z0-9.-]", "-", name)

    for part in parts:
        packages.append(package(identifier(part["name"]), part["name"], part["version"], f"git+{part['location']}", part["licence"]))
        relations.append(("SPDXRef-tillroll", "STATIC_LINK", f"SPDXRef-{identifier(part['name'])}"))
    for name in libraries:
        stem = re.sub(r"\.so.*", "", name)
        number = told.get({"libz": "zlib"}.get(stem, stem), "NOASSERTION")
        packages.append(package(identifier(name), name, number, "NOASSERTION", "NOASSERTION"))
        relations.append(("SPDXRef-tillroll", "DYNAMIC_LINK", f"SPDXRef-{identifier(name)}"))
    for name in OPENED:
        packages.append(package(identifier(name), name, told.get(name, "NOASSERTION"), "NOASSERTION", "NOASSERTION"))
        relations.append((f"SPDXRef-{identifier(name)}", "OPTIONAL_DEPENDENCY_OF", "SPDXRef-tillroll"))
    return json.dumps(
        {
            "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"tillroll-{version}",
            "documentNamespace": f"https://spdx.org/spdxdocs/tillroll-{version}-{digest[:16]}",
            "creationInfo": {"created": created, "creators": ["Tool: tillroll-dist"]},
            "packages": packages,
            "hasExtractedLicensingInfos": [
                {"licenseId": part["licence"], "extractedText": part["words"]} for part in parts if part["licence"].startswith("LicenseRef-")
            ],
            "relationships": [
                {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other} for one, kind, other in relations
            ],
        },
        indent=1,
    ) + "\n"


def write_tarball(path, root, files, time):
    """A .tar.gz whose bytes depend on names, contents and the time alone."""
    with open(path, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=time) as packed, tarfile.open(
        fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT
    ) as archive:
        for name, content, mode in sorted(files):
            entry = tarfile.TarInfo(f"{root}/{name}")
            entry.size, entry.mode, entry.mtime = len(content), mode, time
            archive.addfile(entry, io.BytesIO(content))


def dependencies(libraries):
    """The Debian packages of shared libraries, by the files that this machine has; those opened when needed are recommended."""
    packages = set()
    for name in libraries:
        listed = subprocess.run(["dpkg", "-S", f"*/{name}"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
        if not listed:
            sys.exit(f"{name}: no package of this machine has it; remedy: build where it is installed from a package")
        packages.add(listed.splitlines()[0].split(":")[0])
    libc = re.search(r"^\s*Version: ([0-9.]+)", text("dpkg", "-s", "libc6"), re.M)[1]
    return ", ".join(sorted(f"{name} (>= {libc})" if name == "libc6" else name for name in packages))


def opened_packages():
    """The Debian packages of ``OPENED`` as they are called here: `libxml2`, `libxlsxwriter4`."""
    installed = text("dpkg-query", "-W", "-f", "${Package}\n").splitlines()
    names = [next((p for p in installed if re.fullmatch(re.escape(name) + r"[0-9.-]*", p)), name) for name in OPENED]
    return ", ".join(sorted(names))


def write_package(path, version, files, libraries, time):
    """A .deb with the files below /usr."""
    places = {"bin": "usr/bin", "man": "usr/share/man/man1", "doc": "usr/share/doc/tillroll"}
    completions = {
        "bash": "usr/share/bash-completion/completions/tillroll", "zsh": "usr/share/zsh/vendor-completions/_tillroll",
        "fish": "usr/share/fish/vendor_completions.d/tillroll.fish",
    }
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        size = 0
        for name, content, mode in files:
            kind, _, rest = name.partition("/")
            target = completions[Path(name).suffix[1:]] if kind == "completions" else f"{places.get(kind, places['doc'])}/{rest or name}"
            if kind == "man":
                target, content = f"{target}.gz", gzip.compress(content, 9, mtime=0)
            if rest == "THIRD-PARTY-NOTICES.txt":
                # Debian wants the licences of all that a package contains in this file; the text of Apache-2.0 is on every system.
                target = "usr/share/doc/tillroll/copyright"
                content = content.replace(b"is in LICENSE.", b"is in /usr/share/common-licenses/Apache-2.0.", 1)
            file = root / target
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
            file.chmod(mode)
            size += len(content)
        control = root / "DEBIAN" / "control"
        control.parent.mkdir()
        control.write_text(
            f"Package: tillroll\nVersion: {version}\nArchitecture: {text('dpkg', '--print-architecture')}\n"
            "Maintainer: tillroll <tillroll@localhost>\nSection: utils\nPriority: optional\n"
            f"Installed-Size: {(size + 1023) // 1024}\nDepends: {dependencies(libraries)}\n"
            f"Recommends: {opened_packages()}\n"
            "Description: reports on App Store receipts\n"
            " Reads dumps of receipts, verification responses and notifications of the App\n"
            " Store, and reports revenue, restores and failure codes.\n"
        )
        for entry in [root, *root.rglob("*")]:
            if entry.is_dir():
                entry.chmod(0o755)
            os.utime(entry, (time, time))
        subprocess.run(
            ["dpkg-deb", "--root-owner-group", "-Zxz", "--build", str(root), str(path)],
            check=True, stdout=subprocess.DEVNULL, env={**os.environ, "SOURCE_DATE_EPOCH": str(time)},
        )


def main(tool, scratch, out):
    tool, scratch, out = Path(tool), Path(scratch), Path(out)
    (version, told), time = told_versions(tool), epoch()
    machine = os.uname().machine
    out.mkdir(parents=True, exist_ok=True)
    for old in out.iterdir():
        old.unlink()
    parts = linked_packages(scratch) + runtimes()
    parts += contained(parts, scratch)
    check_versions(told, parts)
    libraries = needed_libraries(tool)
    own = str(PROJECT).encode()
    if own in tool.read_bytes():
        sys.exit(f"{tool}: names the folder that it was built in; remedy: make clean build")
    bill = sbom(version, tool, parts, libraries, told, time)
    files = [
        ("bin/tillroll", tool.read_bytes(), 0o755),
        ("doc/THIRD-PARTY-NOTICES.txt", notices(parts).encode(), 0o644),
        ("doc/tillroll.spdx.json", bill.encode(), 0o644),
    ]
    files += [(f"doc/{name}", (PROJECT / name).read_bytes(), 0o644) for name in DOCUMENTS]
    files += [(f"man/{page.name}", page.read_bytes(), 0o644) for page in sorted((scratch / "man").glob("*.1"))]
    files += [(f"completions/{file.name}", file.read_bytes(), 0o644) for file in sorted((scratch / "completions").iterdir())]
    name = f"tillroll-{version}-linux-{machine}"
    write_tarball(out / f"{name}.tar.gz", name, files, time)
    (out / f"{name}.spdx.json").write_text(bill)
    if shutil.which("dpkg-deb"):
        write_package(out / f"tillroll_{version}_{text('dpkg', '--print-architecture')}.deb", version, files, libraries, time)
    else:
        print("there is no dpkg-deb here: no Debian package was written", file=sys.stderr)
    sums = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in sorted(out.iterdir())]
    (out / "SHA256SUMS").write_text("".join(sums))
    for file in sorted(out.iterdir()):
        print(f"{file.stat().st_size:12,} {file}")


if __name__ == "__main__":
    main(*sys.argv[1:])
