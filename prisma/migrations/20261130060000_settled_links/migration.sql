-- When the position of a link was last known to be the end of its source: not the same as its last check, which may have
-- failed. Where the last one did fail, the time of the last good one is not known: since the adoption is true too.

ALTER TABLE "upstream_links" ADD COLUMN "settled_at" DATETIME;
UPDATE "upstream_links" SET "settled_at" = "last_checked_at" WHERE "missed_checks" = 0 AND "failed_checks" = 0;
