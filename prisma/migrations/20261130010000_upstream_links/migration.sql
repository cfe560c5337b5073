-- Links of adopted sessions to their sources, and the agent's own prompts. Written by hand for AUTOINCREMENT: an id is
-- never used twice.

ALTER TABLE "sessions" ADD COLUMN "adopted_at" DATETIME;

CREATE TABLE "upstream_links" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "session_key" TEXT NOT NULL,
    "agent_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "node_id" TEXT NOT NULL,
    "thread_id" TEXT NOT NULL,
    "source_path" TEXT NOT NULL,
    "revision" BIGINT NOT NULL DEFAULT 0,
    "position" BIGINT NOT NULL,
    "file_identity" TEXT NOT NULL,
    "head_digest" TEXT NOT NULL,
    "tail_digest" TEXT NOT NULL,
    "known_turns" TEXT NOT NULL,
    "reader_state" TEXT NOT NULL,
    "missed_checks" INTEGER NOT NULL DEFAULT 0,
    "failed_checks" INTEGER NOT NULL DEFAULT 0,
    "skipped_rows" BIGINT NOT NULL DEFAULT 0,
    "unknown_rows" BIGINT NOT NULL DEFAULT 0,
    "next_check_at" DATETIME,
    "last_checked_at" DATETIME,
    "watched_at" DATETIME,
    "created_at" DATETIME NOT NULL
);
CREATE UNIQUE INDEX "upstream_links_session_key_agent_id_key" ON "upstream_links"("session_key", "agent_id");
CREATE INDEX "upstream_links_kind_node_id_thread_id_idx" ON "upstream_links"("kind", "node_id", "thread_id");

CREATE TABLE "upstream_own_prompts" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "session_key" TEXT NOT NULL,
    "agent_id" TEXT NOT NULL,
    "digest" TEXT NOT NULL,
    "noted_at" DATETIME NOT NULL
);
CREATE INDEX "upstream_own_prompts_session_key_agent_id_id_idx" ON "upstream_own_prompts"("session_key", "agent_id", "id");
