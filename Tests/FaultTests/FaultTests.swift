import Foundation
import SystemPackage
import Testing
import TillSystem

/// Every command with failing calls: the n-th call of the operating system fails, once and for ever, with each error
/// that it can have.
///
/// The suite takes a part of these runs; `make faults` takes all (`TILLROLL_FAULTS=all`), or all of the commands whose
/// names begin with one of some words (`TILLROLL_FAULTS=merge,report`).
@Suite("Failing calls", .serialized)
struct FaultTests {
    private static let chosen = ProcessInfo.processInfo.environment["TILLROLL_FAULTS"]
    static let isWhole = chosen != nil
    static let commands = FaultyCommand.all.filter { command in
        guard let chosen, chosen != "all" else { return true }
        return chosen.split(separator: ",").contains { command.name.hasPrefix($0) }
    }

    @Test("There are commands to run")
    func hasCommands() {
        #expect(!Self.commands.isEmpty, "TILLROLL_FAULTS=\(Self.chosen ?? "") names no command")
    }

    /// Statuses of a run that could not do its work (`tillroll --help`).
    private static let failures: Set<Int32> = [64, 65, 66, 73, 74]

    @Test(
        "Whatever call fails, the result is the same, or an error that names its place, with the old file whole",
        arguments: FaultTests.commands
    )
    func survives(_ command: FaultyCommand) throws {
        let run = try CommandRun(command)
        let old = try CommandRun.contents(of: run.folder)
        let (good, faults) = try run.run(.none)
        let calls = faults.calls
        #expect(Set<Int32>([0, 3]).contains(good.status), "\(good.messages)")
        var plans: [(Faults.Plan, SystemCall.Name)] = []
        for (number, name) in calls.enumerated() {
            for error in name.errors {
                plans.append((.failure(call: number, error, forEver: false), name))
                if name.ends(with: error) { plans.append((.failure(call: number, error, forEver: true), name)) }
            }
        }
        #expect(!plans.isEmpty, "\(command): no call can fail")
        let stride = Self.isWhole ? 1 : max(1, plans.count / command.mostRuns)
        for (plan, name) in plans.enumerated().filter({ $0.offset % stride == stride / 2 }).map(\.element) {
            let (outcome, faults) = try run.run(plan)
            let name = faults.failed ?? name
            check(
                outcome,
                in: run.folder,
                old,
                good,
                "\(command): \(name.rawValue), \(plan)",
                isOfMessages: name == .write,
                isOfRemoval: [.unlink, .rmdir].contains(name)
            )
        }
        try checkGoingOn(run, good)
        if Self.isWhole { print("\(command): \(calls.count) calls, \(plans.count) runs") }
    }

    /// Calls that are interrupted, and that read or write a few bytes only, change nothing.
    private func checkGoingOn(_ run: CommandRun, _ good: CommandOutcome) throws {
        let command = run.command
        for plan in [Faults.Plan.interruptions, .shortCounts(seed: 23)] {
            let (outcome, _) = try run.run(plan)
            #expect(outcome.status == good.status, "\(command), \(plan): \(outcome.messages)")
            #expect(outcome.output == good.output, "\(command), \(plan): standard output differs")
            #expect(outcome.files == good.files, "\(command), \(plan): files differ")
        }
    }

    private func check(
        _ outcome: CommandOutcome,
        in folder: String,
        _ old: [String: [String: [UInt8]]],
        _ good: CommandOutcome,
        _ plan: String,
        isOfMessages: Bool,
        isOfRemoval: Bool
    ) {
        if outcome.status == good.status {
            #expect(outcome.output == good.output, "\(plan): standard output is not whole")
            // A hidden unfinished file stays if its removal is the call that failed.
            let files = outcome.files.filter { name, _ in
                !(isOfRemoval && name.hasPrefix(".") && name.hasSuffix(".part") && old[name] == nil)
            }
            #expect(files == good.files, "\(plan): files are not whole: \(outcome.files.keys) \(outcome.messages)")
            return
        }
        #expect(Self.failures.contains(outcome.status), "\(plan): status \(outcome.status)")
        #expect(good.output.starts(with: outcome.output), "\(plan): standard output is another one")
        let places = [
            folder, CommandRun.root, "\(FileSystem.temporaryFolder):", "/usr/share/zoneinfo", "standard output", "-:",
            "- @ ",
        ]
        // If standard error itself cannot be written, nothing can be said.
        #expect(
            isOfMessages || places.contains { outcome.messages.contains($0) },
            "\(plan): status \(outcome.status) and no place in '\(outcome.messages)'"
        )
        for name in Set(outcome.files.keys).union(old.keys) where outcome.files[name] != good.files[name] {
            let isLeft = old[name] == nil
            let isTold = outcome.messages.contains(name)
            // A folder in which the output was to be made may stay, empty.
            let isEmpty = outcome.files[name]?.isEmpty ?? false
            #expect(
                outcome.files[name] == old[name]
                    || isLeft && (isTold || isOfRemoval && name.hasSuffix(".part") || isEmpty && !name.hasPrefix(".")),
                "\(plan): \(name) is neither as before nor as it should be: \(outcome.messages)"
            )
        }
    }
}
