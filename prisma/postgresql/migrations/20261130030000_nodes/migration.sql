-- The same tables as on SQLite. Names are ordered by their bytes, as the server's own catalog is: the two are merged.

CREATE TABLE "upstream_nodes" (
    "node_id" TEXT NOT NULL,
    "machine_digest" TEXT NOT NULL,
    "cadence_ms" INTEGER NOT NULL,
    "catalog_id" TEXT NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "upstream_nodes_pkey" PRIMARY KEY ("node_id")
);

CREATE TABLE "upstream_node_threads" (
    "node_id" TEXT COLLATE "C" NOT NULL,
    "kind" TEXT COLLATE "C" NOT NULL,
    "thread_id" TEXT COLLATE "C" NOT NULL,
    "catalog_id" TEXT NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "upstream_node_threads_pkey" PRIMARY KEY ("node_id", "kind", "thread_id")
);
CREATE INDEX "upstream_node_threads_updated_at_idx" ON "upstream_node_threads"("updated_at");

CREATE TABLE "upstream_node_starts" (
    "id" BIGSERIAL NOT NULL,
    "node_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "thread_id" TEXT NOT NULL,
    "requested_at" TIMESTAMPTZ(3) NOT NULL,
    "answer" TEXT,

    CONSTRAINT "upstream_node_starts_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "upstream_node_starts_node_id_idx" ON "upstream_node_starts"("node_id");
