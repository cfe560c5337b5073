import { expect, test } from "vitest";
import { OneAtATime } from "../../src/awareness/oneAtATime.js";

test("whoever asks at whatever moment is served by a run that begins after", async () => {
  for (let steps = 0; steps < 12; steps += 1) {
    let asked = 0;
    const served: number[] = [];
    let end = () => {};
    const first = new Promise<void>((resolve) => {
      end = resolve;
    });
    const work = new OneAtATime(async () => {
      served.push(asked);
      if (served.length === 1) await first;
    });
    asked = 1;
    work.ask();
    end();
    for (let step = 0; step < steps; step += 1) await undefined;
    asked = 2;
    work.ask();
    await work.settled();
    expect(served, `${steps} steps after the end`).toEqual([1, 2]);
  }
});

test("one run serves all that asked while another was under way", async () => {
  let runs = 0;
  const work = new OneAtATime(async () => {
    runs += 1;
    await undefined;
  });
  for (let asked = 0; asked < 5; asked += 1) work.ask();
  await work.settled();
  expect(runs).toBe(2);
});
