import { expect, test } from "vitest";
import { Trouble } from "../../src/awareness/trouble.js";

test("the log hears once that something fails, and once that it works again", () => {
  const lines: string[] = [];
  const say = (level: string) => (_fields: object, message: string) => void lines.push(`${level}: ${message}`);
  const trouble = new Trouble({ info: say("info"), warn: say("warn"), error: say("error") }, "read");
  trouble.over();
  for (let outage = 0; outage < 2; outage += 1) {
    for (let tries = 0; tries < 5; tries += 1) trouble.met(new Error("away"));
    trouble.over();
    trouble.over();
  }
  const once = ["warn: could not read; trying again", "info: could read again"];
  expect(lines).toEqual([...once, ...once]);
});
