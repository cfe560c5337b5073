import { describe } from "vitest";
import { browserPath, howToGetIt } from "./browser.js";
import { describeReading } from "./describeReading.js";
import { describeStates } from "./describeStates.js";
import { describeStory } from "./describeStory.js";
import { openStage } from "./stage.js";

if (browserPath === undefined) console.warn(howToGetIt);

describe.skipIf(browserPath === undefined)("the web console, in a browser", () => {
  const stage = openStage();
  describeStory(stage);
  describeStates(stage);
  describeReading(stage);
});
