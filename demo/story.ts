/**
 * Plays what this service is for, through the client that agents use, and says whether everything came back as told:
 * exit code 0 or 1. It starts its own server on a new database; `HEADSUP_URL` names a running one instead.
 */
import { coordinatorsDay } from "./coordinator.js";
import { sparseNumbers, workedExample } from "./cursor.js";
import { Narrator } from "./narrator.js";
import { openStage, type Stage } from "./stage.js";
import { typedIntoTranscript } from "./transcript.js";

const chapters: [title: string, play: (stage: Stage, narrator: Narrator) => Promise<void>][] = [
  ["1. Somebody steps in behind the coordinator's back", coordinatorsDay],
  ["2. How the cursor moves", workedExample],
  ["3. Holes are no gap", sparseNumbers],
  ["4. Somebody types into another tool", typedIntoTranscript],
];

const narrator = new Narrator();
try {
  for (const [title, play] of chapters) {
    const stage = await openStage(process.env);
    narrator.chapter(title);
    narrator.shows(`at ${stage.where}`);
    try {
      await play(stage, narrator);
    } finally {
      await stage.close();
    }
  }
  console.log(
    narrator.failures === 0 ? "\nEverything came back as told." : `\n${narrator.failures} claims do not hold.`,
  );
  process.exitCode = narrator.failures === 0 ? 0 : 1;
} catch (error) {
  console.error(`\nThe story broke off: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
