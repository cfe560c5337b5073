-- The same tables as on SQLite. Written by hand where Prisma's DDL has no words for it: the partial indexes, and two
-- unique indexes over a digest, because an index row of PostgreSQL holds 2,704 bytes and two keys of 512 characters
-- can be longer.

CREATE TABLE "sessions" (
    "session_key" TEXT NOT NULL,
    "agent_id" TEXT NOT NULL,
    "label" TEXT,
    "spawned_by" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sessions_pkey" PRIMARY KEY ("session_key", "agent_id")
);
CREATE INDEX "sessions_agent_id_session_key_idx" ON "sessions"("agent_id", "session_key");

CREATE TABLE "session_state_events" (
    "sequence" BIGSERIAL NOT NULL,
    "session_key" TEXT NOT NULL,
    "agent_id" TEXT NOT NULL,
    "session_id" TEXT,
    "kind" TEXT NOT NULL,
    "actor_type" TEXT NOT NULL,
    "actor_id" TEXT,
    "run_id" TEXT,
    "outcome" TEXT,
    "occurred_at" TIMESTAMPTZ(3) NOT NULL,
    "summary" TEXT NOT NULL,
    "payload" TEXT,
    "dedupe_key" TEXT,

    CONSTRAINT "session_state_events_pkey" PRIMARY KEY ("sequence")
);
CREATE INDEX "session_state_events_session_key_agent_id_sequence_idx" ON "session_state_events"("session_key", "agent_id", "sequence");
CREATE INDEX "session_state_events_occurred_at_idx" ON "session_state_events"("occurred_at");
CREATE UNIQUE INDEX "session_state_events_session_key_agent_id_dedupe_key_key" ON "session_state_events"("session_key", "agent_id", md5("dedupe_key")) WHERE "dedupe_key" IS NOT NULL;

CREATE TABLE "session_state_heads" (
    "session_key" TEXT NOT NULL,
    "agent_id" TEXT NOT NULL,
    "sequence" BIGINT NOT NULL,
    "pruned_sequence" BIGINT NOT NULL DEFAULT 0,
    "material_sequence" BIGINT NOT NULL DEFAULT 0,
    "material_actor_id" TEXT,
    "other_material_sequence" BIGINT NOT NULL DEFAULT 0,
    "material_at" TIMESTAMPTZ(3),
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "session_state_heads_pkey" PRIMARY KEY ("session_key", "agent_id")
);

CREATE TABLE "session_watch_cursors" (
    "id" BIGSERIAL NOT NULL,
    "watcher_session_key" TEXT NOT NULL,
    "target_session_key" TEXT NOT NULL,
    "target_agent_id" TEXT NOT NULL,
    "origin" TEXT NOT NULL,
    "last_seen" BIGINT NOT NULL,
    "notified" BIGINT NOT NULL,
    "opened_at" TIMESTAMPTZ(3),
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "session_watch_cursors_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "session_watch_cursors_target_session_key_target_agent_id_idx" ON "session_watch_cursors"("target_session_key", "target_agent_id");
CREATE INDEX "session_watch_cursors_updated_at_idx" ON "session_watch_cursors"("updated_at");
CREATE UNIQUE INDEX "session_watch_cursors_watcher_session_key_target_session_ke_key" ON "session_watch_cursors"("watcher_session_key", md5("target_session_key"), "target_agent_id");

-- A pending watch costs an append nothing: only cursors with nothing pending are in this index.
CREATE INDEX "session_watch_cursors_idle" ON "session_watch_cursors"("target_session_key", "target_agent_id") WHERE "notified" = "last_seen";
-- What is pending for a watcher, oldest first.
CREATE INDEX "session_watch_cursors_pending" ON "session_watch_cursors"("watcher_session_key", "opened_at", "notified", "id") WHERE "notified" > "last_seen";

CREATE TABLE "deleted_sessions" (
    "session_key" TEXT NOT NULL,
    "agent_id" TEXT NOT NULL,
    "sequence" BIGINT NOT NULL,
    "deleted_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "deleted_sessions_pkey" PRIMARY KEY ("session_key", "agent_id")
);
CREATE INDEX "deleted_sessions_deleted_at_idx" ON "deleted_sessions"("deleted_at");
