-- refunds by the month in which they were made
-- CREATE VIEW transactions AS SELECT * FROM 'rows/transactions/*.parquet', and so for the other tables.
WITH copies AS (
    SELECT *,
           CASE WHEN environment IN ('xcode', 'local_testing') OR coalesce(transaction_id, '0') = '0'
                THEN concat_ws(':', source, document, "row") ELSE transaction_id END AS identity
    FROM transactions
    WHERE trust IS DISTINCT FROM 'untrusted'
), merged AS (
    SELECT identity, max(transaction_id) AS transaction_id,
           max(original_transaction_id) AS original_transaction_id,
           max(web_order_line_item_id) AS web_order_line_item_id, max(environment) AS environment,
           max(product_id) AS product_id, max(product_type) AS product_type,
           coalesce(max(quantity), 1) AS quantity, max(purchase_date) AS purchase_date,
           max(expires_date) AS expires_date, max(cancellation_date) AS cancellation_date,
           max(observed_at) FILTER (WHERE cancellation_date IS NOT NULL) AS cancellation_seen,
           max(refund_reversed_at) AS refund_reversed_at,
           coalesce(bool_or(is_upgraded), false) AS is_upgraded, max(ownership_type) AS ownership_type
    FROM copies
    GROUP BY identity
), kinds AS (
    SELECT *,
           expires_date IS NOT NULL OR coalesce(product_type, '') = 'auto_renewable' AS is_subscription,
           coalesce(environment, 'production') = 'production' AS is_booked,
           cancellation_date IS NOT NULL AND NOT is_upgraded
               AND coalesce(refund_reversed_at <= coalesce(cancellation_seen, cancellation_date), true)
               AS is_refunded,
           row_number() OVER (
               PARTITION BY coalesce(original_transaction_id, transaction_id), web_order_line_item_id,
                            expires_date IS NOT NULL OR coalesce(product_type, '') = 'auto_renewable'
               ORDER BY purchase_date, length(transaction_id), transaction_id
           ) AS turn
    FROM merged
), settled AS (
    SELECT *,
           CASE WHEN is_subscription THEN web_order_line_item_id IS NOT NULL AND turn > 1
                ELSE coalesce(transaction_id <> original_transaction_id, false) END AS is_restore,
           is_booked AND NOT is_restore AND coalesce(ownership_type, '') <> 'family_shared' AS is_sale
    FROM kinds
)
SELECT strftime(cancellation_date AT TIME ZONE 'UTC', '%Y-%m') AS month, product_id,
       count(*) AS refunded_transactions, sum(quantity) AS refunded_units
FROM settled
WHERE is_sale AND is_refunded
GROUP BY ALL
ORDER BY month, product_id;
