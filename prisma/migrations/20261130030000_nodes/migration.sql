-- Other machines that watch over transcripts: who they are, what they list, and what they are asked.

CREATE TABLE "upstream_nodes" (
    "node_id" TEXT NOT NULL PRIMARY KEY,
    "machine_digest" TEXT NOT NULL,
    "cadence_ms" INTEGER NOT NULL,
    "catalog_id" TEXT NOT NULL,
    "seen_at" DATETIME NOT NULL
);

CREATE TABLE "upstream_node_threads" (
    "node_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "thread_id" TEXT NOT NULL,
    "catalog_id" TEXT NOT NULL,
    "updated_at" DATETIME NOT NULL,

    PRIMARY KEY ("node_id", "kind", "thread_id")
);
CREATE INDEX "upstream_node_threads_updated_at_idx" ON "upstream_node_threads"("updated_at");

CREATE TABLE "upstream_node_starts" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "node_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "thread_id" TEXT NOT NULL,
    "requested_at" DATETIME NOT NULL,
    "answer" TEXT
);
CREATE INDEX "upstream_node_starts_node_id_idx" ON "upstream_node_starts"("node_id");
