import CDigest
import Crypto

// The functions of `digest.h`, for which `TillCore.ContentHash` is the Swift face. The pointer owns a ``State``.

private final class State {
    var hash = SHA256()

    static func at(_ pointer: OpaquePointer) -> State {
        Unmanaged<State>.fromOpaque(UnsafeRawPointer(pointer)).takeUnretainedValue()
    }
}

@c @implementation
public func till_sha256_new() -> OpaquePointer {
    OpaquePointer(Unmanaged.passRetained(State()).toOpaque())
}

@c @implementation
public func till_sha256_update(_ hash: OpaquePointer, _ bytes: UnsafeRawPointer?, _ count: Int) {
    State.at(hash).hash.update(bufferPointer: UnsafeRawBufferPointer(start: bytes, count: count))
}

@c @implementation
public func till_sha256_write(_ hash: OpaquePointer, _ octets: UnsafeMutablePointer<UInt8>) {
    for (index, octet) in State.at(hash).hash.finalize().enumerated() { octets[index] = octet }
}

@c @implementation
public func till_sha256_free(_ hash: OpaquePointer) {
    Unmanaged<State>.fromOpaque(UnsafeRawPointer(hash)).release()
}
