-- The watches on all sessions of one agent, in pages.

CREATE INDEX "session_watch_cursors_target_agent_id_id_idx" ON "session_watch_cursors"("target_agent_id", "id");
