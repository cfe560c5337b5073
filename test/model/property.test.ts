import { openSqliteDomain } from "../support/domain.js";
import { describeProperty } from "./describeProperty.js";

describeProperty("SQLite", openSqliteDomain, 200);
