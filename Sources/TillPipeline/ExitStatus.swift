/// How a run ended, as the shell sees it (DESIGN §4; numbers from sysexits.h).
public enum ExitStatus: Int32, Sendable {
    case finished = 0
    case checkFailed = 3
    case usage = 64
    /// More rejects than allowed, or no document readable at all.
    case dataError = 65
    case noInput = 66
    case cannotCreate = 73
    case inputOutputError = 74
    case interrupted = 130
}

/// Why a run stops before its end: a message for the user and the status that goes with it.
public struct RunError: Error, Sendable, CustomStringConvertible {
    public var status: ExitStatus
    public var description: String

    public init(_ status: ExitStatus, _ description: String) {
        self.status = status
        self.description = description
    }
}
