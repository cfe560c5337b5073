import { serverAudits } from "graphql-http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestService, type TestService } from "../support/server.js";

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

describe("GraphQL over HTTP", () => {
  for (const audit of serverAudits({ url: () => service.url, fetchFn: fetch })) {
    test(`${audit.id} ${audit.name}`, async () => {
      expect(await audit.fn()).toMatchObject({ status: "ok" });
    });
  }
});
