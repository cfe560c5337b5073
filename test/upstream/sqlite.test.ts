import { describeAdoption } from "./describeAdoption.js";
import { describeChecks } from "./describeChecks.js";
import { sqliteWorld } from "./world.js";

describeAdoption("SQLite", sqliteWorld);
describeChecks("SQLite", sqliteWorld);
