-- The same tables as on SQLite. A key of 512 characters has at most 1,536 bytes, so plain indexes will do (an index row
-- of PostgreSQL holds 2,704).

ALTER TABLE "sessions" ADD COLUMN "adopted_at" TIMESTAMPTZ(3);

CREATE TABLE "upstream_links" (
    "id" BIGSERIAL NOT NULL,
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
    "next_check_at" TIMESTAMPTZ(3),
    "last_checked_at" TIMESTAMPTZ(3),
    "watched_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "upstream_links_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "upstream_links_session_key_agent_id_key" ON "upstream_links"("session_key", "agent_id");
CREATE INDEX "upstream_links_kind_node_id_thread_id_idx" ON "upstream_links"("kind", "node_id", "thread_id");

CREATE TABLE "upstream_own_prompts" (
    "id" BIGSERIAL NOT NULL,
    "session_key" TEXT NOT NULL,
    "agent_id" TEXT NOT NULL,
    "digest" TEXT NOT NULL,
    "noted_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "upstream_own_prompts_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "upstream_own_prompts_session_key_agent_id_id_idx" ON "upstream_own_prompts"("session_key", "agent_id", "id");
