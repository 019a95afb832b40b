import Synchronization
import TillColumns
import TillThreads

/// Encodes pages on a limited number of threads, for any number of writers.
///
/// A writer adds blocks and takes their pages in its own order. If too many blocks wait, the writer encodes its next
/// block itself. So memory is limited, and no writer waits for a thread that has not begun.
public final class EncodingQueue: Sendable {
    let options: ParquetOptions
    private let jobs: Int
    private let encoders = Locked<[PageEncoderBox]>([])
    private let waiting = Locked<[BlockJob]>([])

    /// - Parameter jobs: the number of blocks encoded at once; with 1, all work is done on the caller's thread.
    public init(jobs: Int, options: ParquetOptions = ParquetOptions()) {
        self.jobs = max(1, jobs)
        self.options = options
    }

    func submit(_ block: RowBlock, columns: [ParquetColumn]) -> BlockJob {
        let job = BlockJob(block: block, columns: columns)
        guard jobs > 1 else {
            run(job)
            return job
        }
        let unfinished = waiting.withLock { waiting in
            waiting.removeAll { $0.isDone }
            waiting.append(job)
            return waiting.count
        }
        Task.detached(executorPreference: Workers.shared) { [self] in run(job) }
        if unfinished > jobs + 1, let next = waiting.withLock({ $0.first { $0.isUnclaimed } }) { run(next) }
        return job
    }

    /// Encodes the pages of a job unless another thread has begun to.
    private func run(_ job: BlockJob) {
        guard job.claim() else { return }
        withEncoder { job.run(&$0) }
    }

    /// Waits until a job is done; does the job itself if no thread has begun it.
    func finish(_ job: BlockJob) {
        run(job)
        job.wait()
    }

    /// One encoder, used by one job after the other.
    func withEncoder<Result>(_ body: (inout PageEncoder) -> Result) -> Result {
        let box = encoders.withLock { $0.popLast() } ?? PageEncoderBox(options: options)
        defer { encoders.withLock { $0.append(box) } }
        return body(&box.encoder)
    }
}

/// Passes an encoder between tasks; the queue lets only one task have it at a time.
private final class PageEncoderBox: @unchecked Sendable {
    var encoder: PageEncoder

    init(options: ParquetOptions) {
        encoder = PageEncoder(options: options)
    }
}

/// The encoding of one block into pages. The thread that claims it owns the block until it is done.
final class BlockJob: @unchecked Sendable {
    let block: RowBlock
    private let columns: [ParquetColumn]
    private(set) var pages: [EncodedPage] = []
    private let claimed = Atomic<Bool>(false)
    private let done = Atomic<Bool>(false)
    private let signal = Semaphore()

    init(block: RowBlock, columns: [ParquetColumn]) {
        self.block = block
        self.columns = columns
    }

    var isUnclaimed: Bool { !claimed.load(ordering: .relaxed) }
    var isDone: Bool { done.load(ordering: .acquiring) }

    func claim() -> Bool {
        !claimed.exchange(true, ordering: .acquiringAndReleasing)
    }

    func run(_ encoder: inout PageEncoder) {
        pages = zip(columns, block.columns).map { column, values in
            encoder.encode(values, type: column.type, rowCount: block.rowCount)
        }
        done.store(true, ordering: .releasing)
        signal.signal()
    }

    func wait() {
        guard !isDone else { return }
        signal.wait()
        signal.signal()
    }
}
