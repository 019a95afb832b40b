import SystemPackage
import TillCore
import TillInput

/// The exit status of a run, as the shell sees it (`docs/rejects.md`; numbers from sysexits.h).
public enum ExitStatus: Int32, CaseIterable, Sendable {
    case finished = 0
    case checkFailed = 3
    case usage = 64
    /// More rejects than allowed, or no document readable at all.
    case dataError = 65
    case noInput = 66
    case cannotCreate = 73
    case inputOutputError = 74
    case interrupted = 130
    case terminated = 143

    /// The meaning of the status, for help texts.
    public var summary: String {
        switch self {
        case .finished: "finished, with or without rejects"
        case .checkFailed: "a check failed: --alert, verify, reconcile, codes that are all unknown"
        case .usage: "wrong usage"
        case .dataError: "more rejects than allowed, or no document could be read"
        case .noInput: "an input is missing"
        case .cannotCreate: "the output cannot be created"
        case .inputOutputError: "reading or writing failed"
        case .interrupted: "interrupted"
        case .terminated: "terminated, by SIGTERM"
        }
    }

    /// The code of an error that has no code of its own; `nil` if the run is finished.
    var code: String? {
        switch self {
        case .finished: nil
        case .checkFailed: "run.check-failed"
        case .usage: "run.usage"
        case .dataError: "run.data"
        case .noInput: "run.no-input"
        case .cannotCreate: "run.cannot-create"
        case .inputOutputError: "run.input-output"
        case .interrupted: "run.interrupted"
        case .terminated: "run.terminated"
        }
    }

    /// The status for the shell: ``interrupted`` is ``terminated`` if the signal was SIGTERM.
    public var ofProcess: ExitStatus { self == .interrupted && Interruption.isTermination ? .terminated : self }
}

extension ExitStatus {
    /// The status of a run that ends with an error from below.
    init(_ cause: Finding.Cause) {
        self =
            switch cause {
            case .missing: .noInput
            case .system, .damaged: .inputOutputError
            case .interrupted: .interrupted
            case .argument: .usage
            default: .dataError
            }
    }
}

/// The reason why a run stops early: a message for the user and an exit status.
public struct RunError: Error, Sendable, CustomStringConvertible {
    /// The exit status of the process that ends with this error.
    public var status: ExitStatus
    /// The message, line by line; a line feed within a line is data.
    public var lines: [String]

    public var description: String { lines.joined(separator: "\n") }

    /// Makes an error with a message of one line; a line feed in it is data.
    public init(_ status: ExitStatus, _ description: String) {
        self.init(status, lines: [description])
    }

    /// The end of a run by an error of it, or from below; `nil` for any other error.
    public init?(_ error: any Error) {
        switch error {
        case let error as RunError: self = error
        case let error as FileFindings: self.init(.dataError, lines: error.lines)
        case let error as Finding:
            self.init(ExitStatus(error.cause), lines: error.cause == .interrupted ? [] : [error.description])
        default: return nil
        }
    }

    /// A file or folder that cannot be created.
    init(creating name: String, _ error: any Error) {
        let isOfMachine = (error as? Errno)?.isOfMachine ?? false
        self.init(isOfMachine ? .inputOutputError : .cannotCreate, "\(name): cannot be created: \(error)")
    }

    /// Makes an error with several lines; standard error shows each of them as an error.
    public init(_ status: ExitStatus, lines: [String]) {
        self.status = status
        self.lines = lines
    }
}
