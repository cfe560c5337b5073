-- What ended and leaves no other row, for those who follow sessions in another process; and indexes for their look at
-- what was written last.

CREATE TABLE "session_endings" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "session_key" TEXT,
    "agent_id" TEXT,
    "watcher_session_key" TEXT,
    "ended_at" DATETIME NOT NULL
);
CREATE INDEX "session_endings_ended_at_idx" ON "session_endings"("ended_at");

CREATE INDEX "sessions_updated_at_idx" ON "sessions"("updated_at");
CREATE INDEX "upstream_links_last_checked_at_idx" ON "upstream_links"("last_checked_at");
