-- failures by hour and code, of verifications and of events
-- CREATE VIEW transactions AS SELECT * FROM 'rows/transactions/*.parquet', and so for the other tables.
WITH failures AS (
    SELECT logged_at AS "at", 'verifyReceipt' AS domain, status::BIGINT AS code, environment
    FROM documents
    WHERE kind = 'verify' AND status NOT IN (0, 21006)
    UNION ALL
    SELECT "at", error_domain, error_code, environment
    FROM events
    WHERE event IN ('failed', 'restore_failed', 'verify_failed', 'product_request_failed')
      AND error_class IS DISTINCT FROM 'cancelled'
)
SELECT date_trunc('hour', "at" AT TIME ZONE 'UTC') AS hour, domain, code, count(*) AS count
FROM failures
WHERE coalesce(environment, 'production') = 'production'
GROUP BY ALL
ORDER BY hour, count DESC, domain, code;
