import type { Browser } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { startTestService, type TestService, type TestServiceOptions } from "../support/server.js";
import { buildConsole, launch, openBrowser, type Person } from "./browser.js";

export const lead = "agent:lead:main";
export const coder = "agent:coder:main";

/** A person types into this session. */
export function human(sessionKey: string) {
  return { sessionKey, kind: "HUMAN_DIRECT_MESSAGE", actor: { type: "HUMAN", id: "ada" } } as const;
}

/** One browser for all tests of a file; people and servers that go with it. */
export type Stage = {
  somebody(options?: Parameters<typeof openBrowser>[1]): Promise<Person>;
  started(options?: TestServiceOptions): Promise<TestService>;
  /** Something else that must end with the stage. */
  ends(service: { stop(): Promise<void> }): void;
};

export function openStage(): Stage {
  let browser: Browser;
  const people: Person[] = [];
  const services: { stop(): Promise<void> }[] = [];
  beforeAll(async () => {
    await buildConsole();
    browser = await launch();
  }, 60_000);
  afterAll(async () => {
    for (const person of people) await person.leave();
    for (const service of services) await service.stop();
    await browser.close();
  });
  return {
    async somebody(options = {}) {
      const person = await openBrowser(browser, options);
      person.page.setDefaultTimeout(10_000);
      people.push(person);
      return person;
    },
    async started(options = {}) {
      const service = await startTestService(options);
      services.push(service);
      return service;
    },
    ends: (service) => void services.push(service),
  };
}
