import { sqliteWorld } from "../upstream/world.js";
import { describeDesk } from "./describeDesk.js";

describeDesk("SQLite", sqliteWorld);
