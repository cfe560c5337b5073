-- What stands for a deleted session is now the line above its last version, a number that no event has: where the last
-- version was the last number of all, the next one is left out.

UPDATE "sqlite_sequence" SET "seq" = "seq" + 1
    WHERE "name" = 'session_state_events' AND EXISTS (SELECT 1 FROM "deleted_sessions");
UPDATE "deleted_sessions" SET "sequence" = "sequence" + 1;
