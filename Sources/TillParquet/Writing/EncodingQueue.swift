import Synchronization
import TillColumns
import TillThreads

/// Encodes pages on a limited number of threads, for any number of writers.
///
/// A writer adds blocks and takes their pages in its own order. If too many blocks wait, the writer encodes columns of
/// the first of them itself. So memory is limited, and no writer waits for a thread that has not begun.
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
        if unfinished > jobs + 1, let next = waiting.withLock({ $0.first(where: \.hasUnclaimedColumns) }) { run(next) }
        return job
    }

    /// Encodes the columns of a job that no other thread has begun.
    private func run(_ job: BlockJob) {
        guard job.hasUnclaimedColumns else { return }
        withEncoder { job.run(&$0) }
    }

    /// Waits until a job is done; encodes columns that no thread has begun.
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

/// The encoding of one block into pages, column by column. Several threads may encode its columns.
final class BlockJob: @unchecked Sendable {
    let block: RowBlock
    private let columns: [ParquetColumn]
    private let encoded: Locked<[EncodedPage?]>
    /// The first column that no thread has begun; at the end, more than the number of columns.
    private let next = Atomic<Int>(0)
    private let finished = Atomic<Int>(0)
    private let signal = Semaphore()

    init(block: RowBlock, columns: [ParquetColumn]) {
        self.block = block
        self.columns = columns
        encoded = Locked(Array(repeating: nil, count: columns.count))
    }

    var hasUnclaimedColumns: Bool { next.load(ordering: .relaxed) < columns.count }
    var isDone: Bool { finished.load(ordering: .acquiring) == columns.count }

    /// The page of each column, once the job is done.
    var pages: [EncodedPage] { encoded.withLock { $0.compactMap(\.self) } }

    /// Encodes one column after the other, as long as there are some that no thread has begun.
    func run(_ encoder: inout PageEncoder) {
        while true {
            let column = next.wrappingAdd(1, ordering: .relaxed).oldValue
            guard column < columns.count else { return }
            let page = encoder.encode(block.columns[column], type: columns[column].type, rowCount: block.rowCount)
            encoded.withLock { $0[column] = page }
            let count = finished.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue
            if count == columns.count { signal.signal() }
        }
    }

    func wait() {
        guard !isDone else { return }
        signal.wait()
        signal.signal()
    }
}
