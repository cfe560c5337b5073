import Database from "better-sqlite3";

/**
 * A process of its own that takes a database's write lock when told to and holds it until told to let go.
 * Its messages: "held", "refused" (somebody else has the lock), "free".
 */
const database = new Database(process.argv[2] ?? "", { timeout: 0 });

process.on("message", (order) => {
  if (order === "hold") process.send?.(hold());
  if (order === "release") {
    database.exec("COMMIT");
    process.send?.("free");
  }
});
process.on("disconnect", () => process.exit());
process.send?.("ready");

function hold(): "held" | "refused" {
  try {
    database.exec("BEGIN IMMEDIATE");
    return "held";
  } catch {
    return "refused";
  }
}
